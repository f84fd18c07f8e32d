//! Checks strings with a format: URIs, URI templates, base64.

use std::sync::LazyLock;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Value, json};

type Checker = LazyLock<Option<jsonschema::Validator>>;

static URI: Checker = LazyLock::new(|| checker("uri"));
static URI_TEMPLATE: Checker = LazyLock::new(|| checker("uri-template"));

/// Padding is not asked for: decoders that bridge languages accept its absence.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Whether `value` is a string with an absolute URI of RFC 3986.
pub(super) fn is_uri(value: &Value) -> bool {
    passes(&URI, value)
}

/// Whether `value` is a string with a URI template of RFC 6570.
pub(super) fn is_uri_template(value: &Value) -> bool {
    passes(&URI_TEMPLATE, value)
}

/// Whether `value` is a string of base64 in the standard alphabet.
pub(super) fn is_base64(value: &Value) -> bool {
    value.as_str().is_some_and(|text| BASE64.decode(text).is_ok())
}

fn passes(checker: &Checker, value: &Value) -> bool {
    value.is_string() && checker.as_ref().is_some_and(|checker| checker.is_valid(value))
}

fn checker(format: &str) -> Option<jsonschema::Validator> {
    jsonschema::options().should_validate_formats(true).build(&json!({"format": format})).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_absolute_and_escaped() {
        for good in ["file:///tmp/a.txt", "ui://app/view", "data:text/plain,hi", "urn:x:y"] {
            assert!(is_uri(&json!(good)), "{good}");
        }
        for bad in ["", "readme.md", "file:///a b", "http://[", "%"] {
            assert!(!is_uri(&json!(bad)), "{bad}");
        }
    }

    #[test]
    fn templates_close_their_braces() {
        assert!(is_uri_template(&json!("file:///{+path}{?q*}")));
        assert!(!is_uri_template(&json!("file:///{path")));
    }

    #[test]
    fn base64_has_one_alphabet_and_optional_padding() {
        for good in ["", "aGk=", "aGk", "+/+/"] {
            assert!(is_base64(&json!(good)), "{good}");
        }
        for bad in ["-_-_", "a", "aGk\n", "data:image/png;base64,aGk="] {
            assert!(!is_base64(&json!(bad)), "{bad}");
        }
    }
}
