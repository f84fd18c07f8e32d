//! How a message presents itself, which is what a dual-era server goes by.

use std::borrow::Cow;

use protocol::meta::PROTOCOL_VERSION;
use protocol::{Era, Version};
use serde::Deserialize;
use serde_json::value::RawValue;
use wire::Frame;

/// How a message opens: `basic/versioning`, the last part of its section on backward compatibility.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// It names a protocol version in its own `_meta`; the text is what it names, or the JSON if that is no string.
    Modern(String),
    /// `initialize`, which selects legacy semantics.
    Initialize,
    /// Neither: part of a session that was opened before, or of none.
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
    /// How `frame` opens. What carries a modern version is modern, be it an `initialize`, which then does not exist;
    /// an `initialize` that names another version in `_meta` is still one.
    pub fn of(frame: &Frame<'_>) -> Self {
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
    // Params in which neither the key nor an escape occurs need not be read to know that they do not have it.
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
        Opening::of(&Frame::parse(json.as_bytes()).unwrap())
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
