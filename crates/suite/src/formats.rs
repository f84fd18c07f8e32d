//! Whether a text is what it is meant to be.

use jsonschema::Validator;
use serde_json::{Value, json};

/// An absolute URI by RFC 3986.
pub(crate) fn is_uri(text: &str) -> bool {
    is("uri", text)
}

/// A URI, or a reference relative to one, by RFC 3986.
pub(crate) fn is_uri_reference(text: &str) -> bool {
    is("uri-reference", text)
}

/// A template by RFC 6570.
pub(crate) fn is_uri_template(text: &str) -> bool {
    is("uri-template", text)
}

/// A point in time, or a day, by ISO 8601.
pub(crate) fn is_timestamp(text: &str) -> bool {
    is_date(text) || is_date_time(text)
}

/// A point in time by ISO 8601, which is wider than RFC 3339: there are weeks and a format without separators, and seconds
/// and the zone may be left out.
pub(crate) fn is_date_time(text: &str) -> bool {
    let parts = text.split_once(['T', 't']);
    is("date-time", text) || parts.is_some_and(|(date, time)| is_date(date) && is_time(time))
}

/// A day by ISO 8601: of a month, of a week, or of a year.
pub(crate) fn is_date(text: &str) -> bool {
    let dashed = ["0000-00-00", "0000-W00-0", "0000-000"];
    let plain = ["00000000", "0000W000", "0000000"];
    is("date", text) || (dashed.iter().chain(&plain).any(|form| fits(form, text)) && !fits(dashed[0], text))
}

/// A time of the day by ISO 8601, with its zone or without.
fn is_time(text: &str) -> bool {
    let (clock, zone) = match text.strip_suffix(['Z', 'z']) {
        Some(clock) => (clock, None),
        None => text.rsplit_once(['+', '-']).map_or((text, None), |(clock, zone)| (clock, Some(zone))),
    };
    let (whole, fraction) = clock.split_once(['.', ',']).map_or((clock, "0"), |parts| parts);
    let is_clock = ["00:00:00", "00:00", "000000", "0000", "00"].iter().any(|form| fits(form, whole));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let is_zone = |zone: &str| ["00:00", "0000", "00"].iter().any(|form| fits(form, zone)) && in_range(zone);
    is_clock && in_range(whole) && is_fraction && zone.is_none_or(is_zone)
}

/// Whether the hours, minutes and seconds of a time exist.
fn in_range(clock: &str) -> bool {
    let digits: Vec<u8> = clock.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    let most = [24, 59, 60];
    digits.chunks(2).zip(most).all(|(pair, most)| pair.iter().fold(0, |sum, digit| sum * 10 + digit) <= most)
}

/// Whether a text has a digit wherever `form` has a zero, and is the same elsewhere.
fn fits(form: &str, text: &str) -> bool {
    let same = |(form, byte): (u8, u8)| if form == b'0' { byte.is_ascii_digit() } else { form == byte };
    form.len() == text.len() && form.bytes().zip(text.bytes()).all(same)
}

/// Base64 by RFC 4648: the standard alphabet, with padding and without line breaks.
pub(crate) fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    let alphabet = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    body.bytes().all(alphabet) && padding <= 2 && text.len().is_multiple_of(4)
}

/// `type/subtype`, perhaps with parameters.
pub(crate) fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim();
    let token = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&b))
    };
    essence.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

fn is(format: &str, text: &str) -> bool {
    let schema = json!({ "format": format });
    let judge: Option<Validator> = jsonschema::options().should_validate_formats(true).build(&schema).ok();
    judge.is_some_and(|judge| judge.is_valid(&Value::from(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_right_passes_and_what_is_not_does_not() {
        for (test, right, wrong) in [
            (is_uri as fn(&str) -> bool, "test://a", "no uri"),
            (is_uri_template, "test://{a}/b", "test://{a"),
            (is_timestamp, "2026-07-28T00:00:00Z", "yesterday"),
            (is_timestamp, "2026-07-28T12:00", "28.7.2026"),
            (is_timestamp, "20260728T120000Z", "20260728T250000Z"),
            (is_timestamp, "2026-07-28T12:00:00.5+02", "2026-07-28T12:00:00+2"),
            (is_timestamp, "2026-W31-2T12,5Z", "2026-13-28"),
            (is_timestamp, "2026-209", "1760000000"),
            (is_date_time, "2026-07-28T12:00:00-0700", "2026-07-28"),
            (is_base64, "aGVsbG8=", "no bytes!"),
            (is_base64, "", "a"),
            (is_base64, "YQ==", "YQ"),
            (is_media_type, "text/html;profile=mcp-app", "picture"),
        ] {
            assert!(test(right) && !test(wrong), "{right} {wrong}");
        }
    }
}
