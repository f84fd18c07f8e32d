//! Compares two pictures pixel by pixel, and forgives what smoothing does at edges.

use super::decode::{Picture, Rgb};

/// A colour that differs by less in every channel is the same to the eye.
const CHANNEL_DISTANCE: u8 = 16;
/// How many equal neighbours make a pixel part of an area.
const AREA_NEIGHBOURS: usize = 3;
const DIFFERENT: Rgb = [220, 0, 40];
const FORGIVEN: Rgb = [240, 190, 0];

/// The share of pixels that may differ, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance(f64);

/// Two pictures that are not the same.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureDifference {
    /// The share of pixels that differ, from 0 to 1.
    pub share: f64,
    /// The widths and heights, where they differ: expected, then actual.
    pub sizes: Option<[(usize, usize); 2]>,
    /// What differs, as PNG: red on a faded copy; yellow is what smoothing explains.
    pub picture: Vec<u8>,
}

impl Default for Tolerance {
    /// Enough for a cursor that blinks, and not for a letter.
    fn default() -> Self {
        Self(0.0001)
    }
}

impl Tolerance {
    /// A share from 0 to 1; none for anything else.
    pub fn new(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then_some(Self(share))
    }

    /// The share, from 0 to 1.
    pub const fn share(self) -> f64 {
        self.0
    }
}

impl PictureDifference {
    /// What differs in a line.
    pub fn describe(&self) -> String {
        let percent = self.share * 100.0;
        let share = if percent < 0.1 { "less than 0.1".to_owned() } else { format!("{percent:.1}") };
        match self.sizes {
            None => format!("{share} % of the pixels differ"),
            Some([(width, height), (now_width, now_height)]) => format!(
                "{now_width} × {now_height} pixels instead of {width} × {height}, and {share} % of them differ"
            ),
        }
    }
}

/// What differs between two PNG files; none where it is within `tolerance`. Another size always is a difference.
pub(super) fn compare(
    expected: &[u8],
    actual: &[u8],
    tolerance: Tolerance,
) -> Result<Option<PictureDifference>, String> {
    if expected == actual {
        return Ok(None);
    }
    let expected = Picture::decode(expected).map_err(|why| format!("the reference picture: {why}"))?;
    let actual = Picture::decode(actual).map_err(|why| format!("the picture of the browser: {why}"))?;
    let (differing, picture) = mark_differences(&expected, &actual);
    let [before, now] = [&expected, &actual].map(|picture| (picture.width, picture.height));
    let sizes = (before != now).then_some([before, now]);
    let share = share_of(differing, picture.width.saturating_mul(picture.height));
    if share <= tolerance.0 && sizes.is_none() {
        return Ok(None);
    }
    Ok(Some(PictureDifference { share, sizes, picture: picture.encode()? }))
}

/// How many pixels differ, and a picture that shows which.
fn mark_differences(expected: &Picture, actual: &Picture) -> (usize, Picture) {
    let (width, height) = (expected.width.max(actual.width), expected.height.max(actual.height));
    let mut marked = Picture::filled(width, height, [255; 3]);
    let mut differing = 0;
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let color = match (expected.at(x, y), actual.at(x, y)) {
            (Some(before), Some(now)) if are_alike(before, now) => faded(now),
            (Some(_), Some(_)) if is_smoothed(expected, actual, x, y) => FORGIVEN,
            (Some(_), Some(_)) | (Some(_), None) | (None, Some(_)) => {
                differing += 1;
                DIFFERENT
            }
            // Beside two pictures of which one is wider and the other is higher.
            (None, None) => [255; 3],
        };
        marked.set(x, y, color);
    }
    (differing, marked)
}

fn are_alike(one: Rgb, other: Rgb) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) < CHANNEL_DISTANCE)
}

/// Whether smoothing of edges explains the difference: the pixel is on an edge in one of the pictures, and the areas on both
/// sides of that edge are there in both.
fn is_smoothed(expected: &Picture, actual: &Picture, x: usize, y: usize) -> bool {
    is_on_smooth_edge(expected, actual, x, y) || is_on_smooth_edge(actual, expected, x, y)
}

/// Whether a pixel lies between a darker and a brighter neighbour, one of which is part of an area in both pictures.
fn is_on_smooth_edge(picture: &Picture, other: &Picture, x: usize, y: usize) -> bool {
    let Some(own) = picture.at(x, y).map(brightness) else { return false };
    let around: Vec<_> =
        neighbours(x, y).filter_map(|(x, y)| Some((brightness(picture.at(x, y)?) - own, (x, y)))).collect();
    let alike = around.iter().filter(|(step, _)| *step == 0).count();
    let darkest = around.iter().min().filter(|(step, _)| *step < 0);
    let brightest = around.iter().max().filter(|(step, _)| *step > 0);
    let is_area = |at: (usize, usize)| is_in_area(picture, at) && is_in_area(other, at);
    let (Some((_, darkest)), Some((_, brightest))) = (darkest, brightest) else { return false };
    alike < AREA_NEIGHBOURS && (is_area(*darkest) || is_area(*brightest))
}

/// Whether a pixel has enough neighbours of its own colour.
fn is_in_area(picture: &Picture, (x, y): (usize, usize)) -> bool {
    let own = picture.at(x, y);
    let equal = neighbours(x, y).filter(|(x, y)| own.is_some() && picture.at(*x, *y) == own);
    equal.take(AREA_NEIGHBOURS).count() == AREA_NEIGHBOURS
}

/// The places around one; those outside of a picture have no colour.
fn neighbours(x: usize, y: usize) -> impl Iterator<Item = (usize, usize)> {
    const STEPS: [(isize, isize); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
    STEPS
        .into_iter()
        .filter_map(move |(right, down)| Some((x.checked_add_signed(right)?, y.checked_add_signed(down)?)))
}

/// How bright a colour is to the eye, from 0 to 255000.
fn brightness([red, green, blue]: Rgb) -> i32 {
    i32::from(red) * 299 + i32::from(green) * 587 + i32::from(blue) * 114
}

/// A grey that leaves room for marks.
fn faded(color: Rgb) -> Rgb {
    let grey = brightness(color) / 1000;
    [u8::try_from(255 - (255 - grey) / 6).unwrap_or(255); 3]
}

fn share_of(part: usize, whole: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Rgb = [255; 3];
    const BLACK: Rgb = [0; 3];

    /// A white picture of 20 × 20 pixels, with `marks` in it.
    fn picture(marks: &[(usize, usize, Rgb)]) -> Picture {
        let mut picture = Picture::filled(20, 20, WHITE);
        marks.iter().for_each(|(x, y, color)| picture.set(*x, *y, *color));
        picture
    }

    fn difference(one: &Picture, other: &Picture, tolerance: f64) -> Option<PictureDifference> {
        let tolerance = Tolerance::new(tolerance).unwrap();
        compare(&one.encode().unwrap(), &other.encode().unwrap(), tolerance).unwrap()
    }

    #[test]
    fn one_pixel_is_found_and_tolerated_on_request() {
        let marked = picture(&[(5, 5, BLACK)]);
        let found = difference(&picture(&[]), &marked, 0.0).unwrap();
        assert!((found.share - 1.0 / 400.0).abs() < 1e-9, "{}", found.share);
        assert_eq!(found.describe(), "0.2 % of the pixels differ");
        let shown = Picture::decode(&found.picture).unwrap();
        assert_eq!((shown.at(5, 5), shown.at(6, 5)), (Some(DIFFERENT), Some(WHITE)));
        assert_eq!(difference(&picture(&[]), &marked, 0.01), None);
    }

    #[test]
    fn another_shade_is_no_difference() {
        assert_eq!(difference(&picture(&[]), &picture(&[(5, 5, [245; 3])]), 0.0), None);
        assert!(difference(&picture(&[]), &picture(&[(5, 5, [255, 255, 230])]), 0.0).is_some());
    }

    #[test]
    fn another_size_is_a_difference_whatever_is_tolerated() {
        let found = difference(&picture(&[]), &Picture::filled(20, 21, WHITE), 1.0).unwrap();
        assert_eq!(found.sizes, Some([(20, 20), (20, 21)]));
        assert!(found.describe().starts_with("20 × 21 pixels instead of 20 × 20"), "{}", found.describe());
        let crossed = difference(&Picture::filled(4, 2, WHITE), &Picture::filled(2, 4, WHITE), 0.0).unwrap();
        assert!((crossed.share - 0.5).abs() < 1e-9, "{}", crossed.share);
    }

    /// The left half is black; where it ends the pixels have the brightness `smooth`.
    fn halves(smooth: u8) -> Picture {
        let mut halves = picture(&[]);
        for (x, y) in (0..10).flat_map(|x| (0..20).map(move |y| (x, y))) {
            halves.set(x, y, if x == 9 { [smooth; 3] } else { BLACK });
        }
        halves
    }

    #[test]
    fn smoothing_of_an_edge_is_forgiven() {
        assert_eq!(difference(&halves(90), &halves(160), 0.0), None);
    }

    #[test]
    fn a_line_that_moved_is_not_forgiven() {
        let line = |at: usize| picture(&(0..20).map(|y| (at, y, BLACK)).collect::<Vec<_>>());
        assert!(difference(&line(7), &line(8), 0.0).is_some());
    }
}
