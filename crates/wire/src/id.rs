//! Ids and tokens: shown as they arrived, compared by what they mean.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::number::Decimal;

/// The id of a request, or a token, kept in the spelling of the sender. Two of them are equal when they are the same JSON
/// value: `8` and `8.0` are one id, `8` and `"8"` are two.
#[derive(Clone, Debug)]
pub enum Id {
    /// A number, as it was spelled.
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
        raw.get().starts_with('"') || is_integer(raw.get())
    }

    /// Whether MCP allows the id on a request: a string or an integer. As in JSON Schema, `1e3` is an integer.
    pub fn is_legal(&self) -> bool {
        match self {
            Self::String(_) => true,
            Self::Number(spelled) => is_integer(spelled),
            Self::Other(_) => false,
        }
    }
}

/// The integer of 64 bits that `raw` means, however it is spelled: `-32603.0` is -32603.
pub fn integer(raw: &RawValue) -> Option<i64> {
    Decimal::parse(raw.get())?.to_i64()
}

/// The same of a parsed value.
pub fn integer_of(value: &Value) -> Option<i64> {
    Decimal::parse(&value.as_number()?.to_string())?.to_i64()
}

fn is_integer(text: &str) -> bool {
    Decimal::parse(text).is_some_and(|number| number.is_integer())
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => {
                one == two
                    || matches!((Decimal::parse(one), Decimal::parse(two)), (Some(a), Some(b)) if a == b)
            }
            (Self::String(one), Self::String(two)) | (Self::Other(one), Self::Other(two)) => one == two,
            (Self::Number(_) | Self::String(_) | Self::Other(_), _) => false,
        }
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Number(spelled) => match Decimal::parse(spelled) {
                Some(number) => number.hash(state),
                None => spelled.hash(state),
            },
            Self::String(text) | Self::Other(text) => text.hash(state),
        }
    }
}

/// The id that a parsed value is. A number of more than 64 bits has lost digits by then; [`Id::from_raw`] keeps them.
impl From<&Value> for Id {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::String(text.as_str().into()),
            Value::Number(number) => Self::Number(number.to_string().into()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                Self::Other(value.to_string().into())
            }
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
            Self::String(text) => write!(f, "{}", Value::from(text.as_ref())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn id(json: &str) -> Id {
        Id::from_raw(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn ids_are_compared_by_meaning_and_shown_as_spelled() {
        for (one, two) in [("8", "8.0"), ("10", "10e0"), ("\"ab\"", "\"\\u0061b\""), ("-0", "0")] {
            assert_eq!(id(one), id(two));
            assert!(HashSet::from([id(one)]).contains(&id(two)), "{one} {two}");
        }
        for (one, two) in [("8", "\"8\""), ("null", "\"null\""), ("9007199254740993", "9007199254740992")] {
            assert_ne!(id(one), id(two));
        }
        assert_eq!(id("18446744073709551616").to_string(), "18446744073709551616");
        assert_eq!(id("8.0").to_string(), "8.0");
    }

    #[test]
    fn a_parsed_value_is_the_same_id() {
        for json in ["8", "1e1", "-7", "\"a\\u0062\"", "null", "true", "18446744073709551615"] {
            assert_eq!(Id::from(&serde_json::from_str::<Value>(json).unwrap()), id(json), "{json}");
        }
    }

    #[test]
    fn codes_are_read_by_meaning() {
        let read = |json: &str| integer(serde_json::from_str(json).unwrap());
        assert_eq!(read("-32603.0"), Some(-32603));
        assert_eq!(integer_of(&serde_json::json!(-32603.0)), Some(-32603));
        assert_eq!(integer_of(&serde_json::json!("-32603")), None);
        assert_eq!(read("-32603"), Some(-32603));
        assert_eq!(read("\"-32603\""), None);
        assert_eq!(read("-32603.5"), None);
    }

    #[test]
    fn only_strings_and_integers_are_legal() {
        for json in ["0", "-7", "\"\"", "1e3", "7.0", "1.5", "1e-1", "null", "{}", "true"] {
            assert_eq!(Id::allows(serde_json::from_str(json).unwrap()), id(json).is_legal(), "{json}");
        }
        assert!(["0", "-7", "\"\"", "1e3", "7.0"].iter().all(|json| id(json).is_legal()));
        assert!(["1.5", "1e-1", "null", "{}", "true"].iter().all(|json| !id(json).is_legal()));
    }

    #[test]
    fn display_is_json() {
        assert_eq!(id("\"a\\\"b\"").to_string(), "\"a\\\"b\"");
        assert_eq!(id("null").to_string(), "null");
    }
}
