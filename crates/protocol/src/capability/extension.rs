//! Extensions: their identifiers, and whether both ends have declared one.

use serde_json::{Map, Value};

use super::Capabilities;
use crate::apps::{self, MediaType};
use crate::meta::{KeyProblem, parse_key};
use crate::{Span, Version};

/// The member of the capabilities that lists extensions.
pub const FIELD: &str = "extensions";
/// MCP Apps (SEP-1865).
pub const UI: &str = "io.modelcontextprotocol/ui";
/// Tasks (SEP-2663).
pub const TASKS: &str = "io.modelcontextprotocol/tasks";

/// What is wrong with the identifier of an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdProblem {
    /// It is not even a key that `_meta` allows.
    #[error("the extension's identifier is malformed: {0}")]
    Key(KeyProblem),
    /// It does not say whose extension it is.
    #[error("the extension's identifier has no prefix; write it as `vendor.example/name`")]
    NoPrefix,
    /// It says whose extension it is, and nothing else.
    #[error("the extension's identifier has no name after the prefix")]
    NoName,
}

/// An extension that both ends have declared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Negotiated<'a> {
    /// The settings of the client.
    pub client: &'a Map<String, Value>,
    /// The settings of the server.
    pub server: &'a Map<String, Value>,
}

/// How far a client supports MCP Apps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UiSupport {
    /// The extension is not declared.
    No,
    /// The extension is declared, but `mimeTypes`, which it requires, is missing or not a list of strings.
    NoMimeTypes,
    /// The list of types does not have the one that Apps are made of.
    OtherTypes(Vec<String>),
    /// The client shows Apps.
    Yes,
}

/// Checks that an identifier is a `_meta` key with a prefix, as versioning#extension-negotiation demands.
pub fn check_id(id: &str) -> Result<(), IdProblem> {
    let key = parse_key(id).map_err(IdProblem::Key)?;
    if key.prefix.is_none() {
        return Err(IdProblem::NoPrefix);
    }
    if key.name.is_empty() { Err(IdProblem::NoName) } else { Ok(()) }
}

/// The revisions in which an extension that we know means something.
///
/// MCP Apps is negotiated in the handshake of any revision. Tasks as an extension do not exist before 2026-07-28, and
/// SEP-2663 has a server ignore the declaration there.
pub fn span(id: &str) -> Span {
    match id {
        TASKS => Span::MODERN,
        _ => Span::ALWAYS,
    }
}

/// The settings of both ends for an extension, if both have declared it and `version` knows it.
pub fn negotiated<'a>(
    version: Version,
    id: &str,
    client: Capabilities<'a>,
    server: Capabilities<'a>,
) -> Option<Negotiated<'a>> {
    let known = span(id).contains(version);
    let (client, server) = client.extension(id).zip(server.extension(id)).filter(|_| known)?;
    Some(Negotiated { client, server })
}

/// How far the client supports MCP Apps; the server need not declare the extension for that.
pub fn ui_support(client: Capabilities<'_>) -> UiSupport {
    let Some(settings) = client.extension(UI) else { return UiSupport::No };
    let Some(listed) = settings.get("mimeTypes").and_then(Value::as_array) else {
        return UiSupport::NoMimeTypes;
    };
    let types: Option<Vec<&str>> = listed.iter().map(Value::as_str).collect();
    match types {
        None => UiSupport::NoMimeTypes,
        Some(types) if types.iter().any(|text| is_app_type(text)) => UiSupport::Yes,
        Some(types) => UiSupport::OtherTypes(types.into_iter().map(str::to_owned).collect()),
    }
}

fn is_app_type(text: &str) -> bool {
    MediaType::parse(text).is_ok_and(|media| media.is(apps::MIME_TYPE))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn identifiers_need_prefix_and_name() {
        assert_eq!(check_id(UI), Ok(()));
        assert_eq!(check_id("com.example/x"), Ok(()));
        assert_eq!(check_id("ui"), Err(IdProblem::NoPrefix));
        assert_eq!(check_id("com.example/"), Err(IdProblem::NoName));
        assert!(matches!(check_id("1com/x"), Err(IdProblem::Key(_))));
    }

    #[test]
    fn an_extension_counts_when_both_ends_declare_it() {
        let with = json!({"extensions": {TASKS: {}}});
        let without = json!({});
        let (with, without) = (Capabilities::from_value(&with), Capabilities::from_value(&without));
        assert!(negotiated(Version::V2026_07_28, TASKS, with, with).is_some());
        assert!(negotiated(Version::V2026_07_28, TASKS, with, without).is_none());
        assert!(negotiated(Version::V2026_07_28, TASKS, without, with).is_none());
        assert!(negotiated(Version::V2025_11_25, TASKS, with, with).is_none(), "unknown to that revision");
    }

    #[test]
    fn apps_need_their_media_type() {
        let support =
            |settings: Value| ui_support(Capabilities::from_value(&json!({"extensions": {UI: settings}})));
        assert_eq!(support(json!({"mimeTypes": ["text/html;profile=mcp-app"]})), UiSupport::Yes);
        assert_eq!(support(json!({"mimeTypes": ["a/b", "Text/HTML; profile=\"mcp-app\""]})), UiSupport::Yes);
        assert_eq!(
            support(json!({"mimeTypes": ["text/html"]})),
            UiSupport::OtherTypes(vec!["text/html".into()])
        );
        assert_eq!(support(json!({"mimeTypes": []})), UiSupport::OtherTypes(vec![]));
        assert_eq!(support(json!({"mimeTypes": "text/html;profile=mcp-app"})), UiSupport::NoMimeTypes);
        assert_eq!(support(json!({})), UiSupport::NoMimeTypes);
        assert_eq!(ui_support(Capabilities::from_value(&json!({"extensions": {}}))), UiSupport::No);
    }
}
