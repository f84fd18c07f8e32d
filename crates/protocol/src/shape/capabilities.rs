//! The keys of capabilities, by revision.

use serde_json::{Map, Value};

use super::{Shape, VersionedMember, with};
use crate::{Span, Version};

const TASKS: VersionedMember = ("tasks", Span::only(Version::V2025_11_25));
const SERVER: &[VersionedMember] = &[("completions", Span::since(Version::V2025_03_26)), TASKS];
const CLIENT: &[VersionedMember] = &[("elicitation", Span::since(Version::V2025_06_18)), TASKS];
const ROOTS: &[VersionedMember] = &[("listChanged", Span::LEGACY)];

impl Shape {
    pub(super) fn server_capabilities(self, capabilities: &mut Map<String, Value>) {
        self.strip(capabilities, SERVER);
    }

    pub(super) fn client_capabilities(self, capabilities: &mut Map<String, Value>) {
        self.strip(capabilities, CLIENT);
        with(capabilities, "roots", |roots| self.strip(roots, ROOTS));
        // 2025-06-18 knows forms alone, so a client that shows none must not seem to.
        let url_only = capabilities
            .get("elicitation")
            .is_some_and(|elicitation| elicitation.get("url").is_some() && elicitation.get("form").is_none());
        if url_only && self.version == Version::V2025_06_18 {
            capabilities.shift_remove("elicitation");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server(version: Version) -> Vec<String> {
        let method = if version == Version::V2026_07_28 { "server/discover" } else { "initialize" };
        let mut value =
            json!({"capabilities": {"tools": {}, "completions": {}, "tasks": {}, "extensions": {}}});
        Shape::to(version).result(method, &mut value).unwrap();
        value["capabilities"].as_object().unwrap().keys().cloned().collect()
    }

    fn client(version: Version, capabilities: &Value) -> Value {
        let mut params = json!({"capabilities": capabilities});
        Shape::to(version).request("initialize", &mut params).unwrap();
        params["capabilities"].clone()
    }

    #[test]
    fn server_keys_by_revision() {
        assert_eq!(server(Version::V2024_11_05), ["tools", "extensions"]);
        assert_eq!(server(Version::V2025_03_26), ["tools", "completions", "extensions"]);
        assert_eq!(server(Version::V2025_11_25), ["tools", "completions", "tasks", "extensions"]);
        assert_eq!(server(Version::V2026_07_28), ["tools", "completions", "extensions"]);
    }

    #[test]
    fn client_keys_by_revision() {
        let full = json!({"roots": {"listChanged": true}, "elicitation": {}, "tasks": {}});
        assert_eq!(client(Version::V2025_03_26, &full), json!({"roots": {"listChanged": true}}));
        let june = json!({"roots": {"listChanged": true}, "elicitation": {}});
        assert_eq!(client(Version::V2025_06_18, &full), june);
        assert_eq!(client(Version::V2025_11_25, &full), full);
    }

    #[test]
    fn a_client_without_forms_elicits_nothing_in_june() {
        let url = json!({"elicitation": {"url": {}}});
        assert_eq!(client(Version::V2025_06_18, &url), json!({}));
        assert_eq!(client(Version::V2025_11_25, &url), url);
        let both = json!({"elicitation": {"url": {}, "form": {}}});
        assert_eq!(client(Version::V2025_06_18, &both), both);
    }

    #[test]
    fn modern_roots_are_not_watched() {
        let mut params = json!({"_meta": {
            "io.modelcontextprotocol/clientCapabilities": {"roots": {"listChanged": true}, "tasks": {}},
        }});
        Shape::to(Version::V2026_07_28).request("tools/list", &mut params).unwrap();
        assert_eq!(params["_meta"]["io.modelcontextprotocol/clientCapabilities"], json!({"roots": {}}));
    }
}
