//! Extensions: the ones we know, and whether both ends have declared one.

use serde_json::{Map, Value};

use super::Capabilities;
use crate::apps::{self, MediaType};
use crate::{Span, Version};

/// The member of the capabilities that lists extensions.
pub const FIELD: &str = "extensions";
/// MCP Apps (SEP-1865).
pub const UI: &str = "io.modelcontextprotocol/ui";
/// Tasks (SEP-2663).
pub const TASKS: &str = "io.modelcontextprotocol/tasks";

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
