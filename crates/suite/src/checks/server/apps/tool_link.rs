//! How a tool names the UI resource that shows its results, in either spelling.

use protocol::apps::LEGACY_RESOURCE_URI;
use serde_json::Value;

/// A tool that names a UI resource.
#[derive(Clone, Copy, Debug)]
pub(in crate::checks::server) struct ToolLink<'a> {
    /// The tool, as it is listed.
    pub(in crate::checks::server) tool: &'a Value,
    /// `_meta.ui.resourceUri`
    pub(super) nested: Option<&'a str>,
    /// `_meta["ui/resourceUri"]`, deprecated.
    pub(super) flat: Option<&'a str>,
}

impl<'a> ToolLink<'a> {
    /// The link of a tool; none when neither key holds any text.
    pub(super) fn find_in(tool: &'a Value) -> Option<Self> {
        let nested = tool["_meta"]["ui"]["resourceUri"].as_str();
        let flat = tool["_meta"][LEGACY_RESOURCE_URI].as_str();
        let says = |uri: Option<&str>| uri.is_some_and(|uri| !uri.is_empty());
        (says(nested) || says(flat)).then_some(Self { tool, nested, flat })
    }

    /// The URI that counts: the nested one where there is one.
    pub(super) fn uri(&self) -> &'a str {
        self.nested.or(self.flat).unwrap_or_default()
    }

    /// The tool's name, for messages.
    pub(super) fn name(&self) -> &'a str {
        self.tool["name"].as_str().unwrap_or("without a name")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_nested_key_counts_first() {
        let uri =
            |meta: Value| ToolLink::find_in(&json!({ "_meta": meta })).map(|link| link.uri().to_owned());
        assert_eq!(
            uri(json!({ "ui": { "resourceUri": "ui://a" }, "ui/resourceUri": "ui://b" })).unwrap(),
            "ui://a"
        );
        assert_eq!(uri(json!({ "ui/resourceUri": "ui://b" })).unwrap(), "ui://b");
        assert_eq!(uri(json!({ "ui": { "resourceUri": 3 } })), None);
        assert_eq!(uri(json!({ "ui": { "resourceUri": "" } })), None);
    }
}
