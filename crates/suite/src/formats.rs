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
    // ISO 8601 is wider than RFC 3339: seconds and the zone may be left out.
    is("date-time", text)
        || is("date", text)
        || is("date-time", &format!("{text}Z"))
        || is("date-time", &format!("{text}:00Z"))
}

/// Base64 with the standard alphabet; padding may be left out.
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
            (is_base64, "aGVsbG8=", "no bytes!"),
            (is_base64, "", "a"),
            (is_base64, "YQ==", "YQ"),
            (is_media_type, "text/html;profile=mcp-app", "picture"),
        ] {
            assert!(test(right) && !test(wrong), "{right} {wrong}");
        }
    }
}
