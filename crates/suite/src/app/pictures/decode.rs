//! PNG files ⇄ pixels, within bounds.

use std::io::Cursor;

use png::{ColorType, Decoder, Encoder, Limits, Transformations};

/// The most bytes that a picture may take while it is decoded.
const MAX_BYTES: usize = 128 * 1024 * 1024;
/// The most pixels of a side.
const MAX_PIXELS: u32 = 16_384;

/// Red, green and blue.
pub(super) type Rgb = [u8; 3];

/// A picture without transparency: what is transparent lies on white.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pixels: Vec<Rgb>,
}

impl Picture {
    /// A picture of one colour.
    pub(super) fn filled(width: usize, height: usize, color: Rgb) -> Self {
        Self { width, height, pixels: vec![color; width.saturating_mul(height)] }
    }

    /// The colour of a pixel; none outside of the picture.
    pub(super) fn at(&self, x: usize, y: usize) -> Option<Rgb> {
        (x < self.width).then(|| self.pixels.get(y * self.width + x).copied()).flatten()
    }

    /// Sets the colour of a pixel within the picture.
    pub(super) fn set(&mut self, x: usize, y: usize, color: Rgb) {
        if let Some(pixel) = self.pixels.get_mut(y * self.width + x).filter(|_| x < self.width) {
            *pixel = color;
        }
    }

    /// The pixels of a PNG file.
    pub(super) fn decode(file: &[u8]) -> Result<Self, String> {
        let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: MAX_BYTES });
        decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|why| why.to_string())?;
        let (width, height) = (reader.info().width, reader.info().height);
        if width.max(height) > MAX_PIXELS {
            return Err(format!("{width} × {height} pixels are too many"));
        }
        let size = reader.output_buffer_size().filter(|size| *size <= MAX_BYTES).ok_or("it is too large")?;
        let mut buffer = vec![0; size];
        let frame = reader.next_frame(&mut buffer).map_err(|why| why.to_string())?;
        let pixels = match frame.color_type {
            ColorType::Rgba => buffer.chunks_exact(4).filter_map(over_white).collect(),
            ColorType::GrayscaleAlpha => buffer.chunks_exact(2).filter_map(over_white).collect(),
            kind @ (ColorType::Rgb | ColorType::Grayscale | ColorType::Indexed) => {
                return Err(format!("its colours were not converted from {kind:?}"));
            }
        };
        let side = |pixels: u32| usize::try_from(pixels).unwrap_or_default();
        Ok(Self { width: side(width), height: side(height), pixels })
    }

    /// The picture as a PNG file.
    pub(super) fn encode(&self) -> Result<Vec<u8>, String> {
        let side = |pixels: usize| u32::try_from(pixels).map_err(|why| why.to_string());
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, side(self.width)?, side(self.height)?);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(|why| why.to_string())?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(|why| why.to_string())?;
        writer.finish().map_err(|why| why.to_string())?;
        Ok(file)
    }
}

/// The colour of a pixel of grey and alpha, or of red, green, blue and alpha, on white.
fn over_white(pixel: &[u8]) -> Option<Rgb> {
    let (alpha, color) = pixel.split_last()?;
    let alpha = u16::from(*alpha);
    let mix = |value: u8| u8::try_from((u16::from(value) * alpha + 255 * (255 - alpha)) / 255).unwrap_or(255);
    match *color {
        [red, green, blue] => Some([mix(red), mix(green), mix(blue)]),
        [grey] => Some([mix(grey); 3]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_survives_its_file() {
        let mut picture = Picture::filled(3, 2, [255, 0, 7]);
        picture.set(2, 1, [1, 2, 3]);
        picture.set(3, 0, [9, 9, 9]);
        assert_eq!(Picture::decode(&picture.encode().unwrap()), Ok(picture));
    }

    #[test]
    fn transparency_lies_on_white() {
        assert_eq!(over_white(&[0, 0, 0, 0]), Some([255, 255, 255]));
        assert_eq!(over_white(&[10, 20, 30, 255]), Some([10, 20, 30]));
        assert_eq!(over_white(&[0, 128]), Some([127; 3]));
    }

    #[test]
    fn what_is_not_a_picture_is_refused() {
        for file in [&b"GIF89a"[..], b"", b"\x89PNG\r\n\x1a\n"] {
            Picture::decode(file).unwrap_err();
        }
    }
}
