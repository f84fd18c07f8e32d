//! How a message opens a conversation, by which a server of both eras chooses the era.

use std::borrow::Cow;

use protocol::meta::PROTOCOL_VERSION;
use protocol::{Era, Version};
use serde::Deserialize;
use serde_json::value::RawValue;
use wire::Frame;

/// How a message opens: `basic/versioning`, the last part of its section on backward compatibility.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// It names a protocol version in its own `_meta`. The text is the name, or the JSON if that is not a string.
    Modern(String),
    /// `initialize`, which selects legacy semantics.
    Initialize,
    /// Neither: it belongs to an open session, or to none.
    Legacy,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
}

impl Opening {
    /// A message that carries a modern version is modern, also an `initialize`, which is an unknown method then. An
    /// `initialize` that names another version in `_meta` is a handshake.
    pub fn classify(frame: &Frame<'_>) -> Self {
        let named = frame.params.and_then(named_version);
        let is_initialize = || frame.method().as_deref() == Some("initialize");
        match named {
            Some(version) if !is_initialize() || is_modern(&version) => Self::Modern(version),
            Some(_) => Self::Initialize,
            None if is_initialize() => Self::Initialize,
            None => Self::Legacy,
        }
    }
}

fn is_modern(version: &str) -> bool {
    version.parse::<Version>().is_ok_and(|version| version.era() == Era::Modern)
}

fn named_version(params: &RawValue) -> Option<String> {
    // If neither the key nor an escape occurs in the text, the parameters do not have the key and are not parsed.
    if !params.get().contains(PROTOCOL_VERSION) && !params.get().contains('\\') {
        return None;
    }
    let params: Params<'_> = serde_json::from_str(params.get()).ok()?;
    let version = params.meta?.version?;
    Some(wire::text(version).map_or_else(|| version.get().to_owned(), Cow::into_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(json: &str) -> Opening {
        Opening::classify(&Frame::parse(json.as_bytes()).unwrap())
    }

    #[test]
    fn meta_makes_a_message_modern() {
        let with = r#"{"id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}"#;
        assert_eq!(opening(with), Opening::Modern("1900-01-01".into()));
        assert_eq!(opening(&with.replace("\"1900-01-01\"", "7")), Opening::Modern("7".into()));
        assert_eq!(opening(r#"{"id":1,"method":"tools/list","params":{"_meta":{}}}"#), Opening::Legacy);
        assert_eq!(opening(r#"{"id":1,"method":"tools/list","params":[1]}"#), Opening::Legacy);
    }

    #[test]
    fn initialize_is_legacy_unless_it_names_a_modern_version() {
        assert_eq!(opening(r#"{"id":1,"method":"initialize"}"#), Opening::Initialize);
        let with = r#"{"id":1,"method":"initialize","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}"#;
        assert_eq!(opening(with), Opening::Initialize);
        assert_eq!(opening(&with.replace("2025-11-25", "2026-07-28")), Opening::Modern("2026-07-28".into()));
    }
}
