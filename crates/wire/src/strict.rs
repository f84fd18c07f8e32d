//! Finds what a lenient parser does not report: repeated members, depth, bad UTF-8, trailing bytes.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// How deep arrays and objects may nest before [`inspect`] stops reading.
pub const MAX_DEPTH: usize = 100;

/// Something about a JSON text that receivers may read in different ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A member name that occurs twice in one object.
    DuplicateKey {
        /// JSON pointer of the member.
        path: String,
    },
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep {
        /// JSON pointer of the first value that is too deep.
        path: String,
    },
    /// Not UTF-8.
    InvalidUtf8 {
        /// Offset of the first bad byte.
        at: usize,
    },
    /// A byte order mark before the text.
    ByteOrderMark,
    /// Something after the end of the value.
    TrailingBytes,
    /// Not JSON at all.
    Syntax {
        /// The parser's reason, with line and column.
        why: String,
    },
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateKey { path } => write!(f, "member `{path}` occurs twice"),
            Self::TooDeep { path } => write!(f, "nested deeper than {MAX_DEPTH} levels at `{}`", clip(path)),
            Self::InvalidUtf8 { at } => write!(f, "not UTF-8 from byte {at} on"),
            Self::ByteOrderMark => f.write_str("a byte order mark before the text"),
            Self::TrailingBytes => f.write_str("bytes after the end of the value"),
            Self::Syntax { why } => write!(f, "not JSON: {why}"),
        }
    }
}

/// Every flaw of a JSON text; none for a clean one.
pub fn inspect(bytes: &[u8]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => {
            flaws.push(Flaw::ByteOrderMark);
            rest
        }
        None => bytes,
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            flaws.push(Flaw::InvalidUtf8 { at: error.valid_up_to() });
            return flaws;
        }
    };
    let mut path = Path { steps: Vec::new(), flaws: &mut flaws };
    let mut parser = serde_json::Deserializer::from_str(text);
    match (Inspector { path: &mut path }).deserialize(&mut parser) {
        Ok(()) if parser.end().is_err() => flaws.push(Flaw::TrailingBytes),
        Ok(()) => {}
        Err(_) if flaws.iter().any(|f| matches!(f, Flaw::TooDeep { .. })) => {}
        Err(error) => flaws.push(Flaw::Syntax { why: error.to_string() }),
    }
    flaws
}

fn clip(path: &str) -> &str {
    path.char_indices().nth(60).map_or(path, |(end, _)| &path[..end])
}

struct Path<'f> {
    steps: Vec<String>,
    flaws: &'f mut Vec<Flaw>,
}

impl Path<'_> {
    fn pointer(&self) -> String {
        self.steps.iter().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect()
    }
}

struct Inspector<'p, 'f> {
    path: &'p mut Path<'f>,
}

impl<'de> DeserializeSeed<'de> for Inspector<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.path.steps.len() > MAX_DEPTH {
            let path = self.path.pointer();
            self.path.flaws.push(Flaw::TooDeep { path });
            return Err(D::Error::custom("too deep"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Inspector<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            self.path.steps.push(index.to_string());
            let more = seq.next_element_seed(Inspector { path: self.path })?;
            self.path.steps.pop();
            if more.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<StrictName>()? {
            self.path.steps.push(key.0.clone());
            if !seen.insert(key.0) {
                let path = self.path.pointer();
                self.path.flaws.push(Flaw::DuplicateKey { path });
            }
            map.next_value_seed(Inspector { path: self.path })?;
            self.path.steps.pop();
        }
        Ok(())
    }
}

struct StrictName(String);

impl<'de> Deserialize<'de> for StrictName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_text_has_no_flaw() {
        assert_eq!(inspect(br#"{"a":[1,{"a":null}],"b":"x"}"#), []);
    }

    #[test]
    fn repeated_members_are_named_by_pointer() {
        assert_eq!(
            inspect(br#"{"a":{"x/y":1,"x/y":2},"a":3}"#),
            [Flaw::DuplicateKey { path: "/a/x~1y".into() }, Flaw::DuplicateKey { path: "/a".into() }]
        );
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(50_000);
        assert!(matches!(inspect(deep.as_bytes())[..], [Flaw::TooDeep { .. }]));
    }

    #[test]
    fn the_rest_is_named_too() {
        assert_eq!(inspect(b"{\"a\":\"\xc3\x28\"}"), [Flaw::InvalidUtf8 { at: 6 }]);
        assert_eq!(inspect(b"{} x"), [Flaw::TrailingBytes]);
        assert_eq!(inspect(b"\xef\xbb\xbf{}"), [Flaw::ByteOrderMark]);
        assert!(matches!(inspect(b"{\"a\":}")[..], [Flaw::Syntax { .. }]));
    }
}
