//! Values of `Mcp-Name` and `Mcp-Param-*`: plain where HTTP allows it, base64 between markers elsewhere.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// A header value that cannot be what the client meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadValue {
    /// A byte that HTTP does not allow in a value.
    #[error("it contains a character that is neither visible ASCII, space nor tab")]
    Character,
    /// The text between the markers is not base64.
    #[error("what stands between =?base64? and ?= is not base64")]
    Base64,
    /// The decoded bytes are not UTF-8.
    #[error("the base64 value is not UTF-8")]
    Utf8,
}

/// The value as it goes into the header.
pub fn encode(value: &str) -> Cow<'_, str> {
    if is_plain(value) && !looks_encoded(value) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(value)))
}

/// The value that a header stands for.
pub fn decode(header: &[u8]) -> Result<Cow<'_, str>, BadValue> {
    if !header.iter().all(|byte| is_field_byte(*byte)) {
        return Err(BadValue::Character);
    }
    let text = std::str::from_utf8(header).map_err(|_| BadValue::Character)?;
    let Some(base64) = text.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)) else {
        return Ok(Cow::Borrowed(text));
    };
    let bytes = STANDARD.decode(base64).map_err(|_| BadValue::Base64)?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| BadValue::Utf8)
}

fn is_plain(value: &str) -> bool {
    let blank = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    let bytes = value.as_bytes();
    bytes.iter().all(|byte| is_field_byte(*byte)) && !blank(bytes.first()) && !blank(bytes.last())
}

/// Begins and ends like an encoded value, even where the two markers share a character.
fn looks_encoded(value: &str) -> bool {
    value.starts_with(PREFIX) && value.ends_with(SUFFIX)
}

const fn is_field_byte(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_page() {
        for (value, header) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encode(value), header);
            assert_eq!(decode(header.as_bytes()).unwrap(), value);
        }
    }

    #[test]
    fn every_value_survives_the_journey() {
        let values = [
            "",
            "a",
            "a b",
            "a\tb",
            "\ta",
            "a ",
            "\u{7f}",
            "é",
            "=?base64?",
            "=?base64?=",
            "=?BASE64?YQ==?=",
            "\r\n",
        ];
        for value in values {
            let header = encode(value);
            assert!(header.bytes().all(is_field_byte), "{value:?} → {header:?}");
            assert_eq!(decode(header.as_bytes()).unwrap(), value);
        }
        assert_eq!(encode("a b"), "a b", "inner space is fine");
        assert_eq!(encode(""), "", "an empty value is a value");
    }

    #[test]
    fn bad_headers_are_refused() {
        assert_eq!(decode("é".as_bytes()), Err(BadValue::Character));
        assert_eq!(decode(b"a\nb"), Err(BadValue::Character));
        assert_eq!(decode(b"a\x7f"), Err(BadValue::Character));
        assert_eq!(decode(b"=?base64?a b?="), Err(BadValue::Base64));
        assert_eq!(decode(b"=?base64?YQ?="), Err(BadValue::Base64), "padding is part of base64");
        assert_eq!(decode(b"=?base64?/w==?="), Err(BadValue::Utf8));
    }

    #[test]
    fn markers_are_case_sensitive() {
        assert_eq!(decode(b"=?BASE64?YQ==?=").unwrap(), "=?BASE64?YQ==?=");
    }
}
