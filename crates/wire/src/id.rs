//! Request ids, owned and comparable, spelled as they arrived.

use std::fmt;

use serde_json::value::RawValue;

/// The id of a request, kept in the spelling of the sender: `8` and `8.0` are different ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// A number, as its digits.
    Number(Box<str>),
    /// A string, decoded.
    String(Box<str>),
    /// Anything else that stood there, as JSON: `null`, an object, a boolean.
    Other(Box<str>),
}

impl Id {
    /// The id that `raw` spells.
    pub fn from_raw(raw: &RawValue) -> Self {
        match (crate::text(raw), raw.get().as_bytes().first()) {
            (Some(text), _) => Self::String(text.into()),
            (None, Some(b'-' | b'0'..=b'9')) => Self::Number(raw.get().into()),
            (None, _) => Self::Other(raw.get().into()),
        }
    }

    /// Whether MCP allows `raw` as the id of a request, as [`Id::is_legal`] says.
    pub fn allows(raw: &RawValue) -> bool {
        match raw.get().as_bytes().first() {
            Some(b'"') => true,
            Some(b'-' | b'0'..=b'9') => !raw.get().contains(['.', 'e', 'E']),
            _ => false,
        }
    }

    /// Whether MCP allows the id on a request: a string or an integer.
    pub fn is_legal(&self) -> bool {
        match self {
            Self::String(_) => true,
            Self::Number(digits) => !digits.contains(['.', 'e', 'E']),
            Self::Other(_) => false,
        }
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::Number(number.to_string().into())
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

/// As JSON, ready to stand in a message.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(json) | Self::Other(json) => f.write_str(json),
            Self::String(text) => write!(f, "{}", serde_json::Value::from(text.as_ref())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(json: &str) -> Id {
        Id::from_raw(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn spelling_is_identity() {
        assert_ne!(id("8"), id("8.0"));
        assert_ne!(id("8"), id("\"8\""));
        assert_eq!(id("\"a\\u0062\""), Id::from("ab"));
        assert_eq!(id("18446744073709551616").to_string(), "18446744073709551616");
    }

    #[test]
    fn only_strings_and_integers_are_legal() {
        for json in ["0", "-7", "\"\"", "1.5", "1e3", "null", "{}", "true"] {
            assert_eq!(Id::allows(serde_json::from_str(json).unwrap()), id(json).is_legal(), "{json}");
        }
        assert!(id("0").is_legal() && id("-7").is_legal() && id("\"\"").is_legal());
        assert!(
            !id("1.5").is_legal() && !id("1e3").is_legal() && !id("null").is_legal() && !id("{}").is_legal()
        );
    }

    #[test]
    fn display_is_json() {
        assert_eq!(id("\"a\\\"b\"").to_string(), "\"a\\\"b\"");
        assert_eq!(id("null").to_string(), "null");
    }
}
