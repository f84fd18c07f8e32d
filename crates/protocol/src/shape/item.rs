//! Resources, prompts and implementations, and the members that revisions added to them.

use serde_json::{Map, Value};

use super::{Shape, VersionedMember, each, with};
use crate::{Span, Version};

const TITLE: VersionedMember = ("title", Span::since(Version::V2025_06_18));
const ICONS: VersionedMember = ("icons", Span::since(Version::V2025_11_25));

const IMPLEMENTATION: &[VersionedMember] = &[
    TITLE,
    ICONS,
    ("description", Span::since(Version::V2025_11_25)),
    ("websiteUrl", Span::since(Version::V2025_11_25)),
];
const ANNOTATIONS: &[VersionedMember] = &[("lastModified", Span::since(Version::V2025_06_18))];

impl Shape {
    pub(super) fn implementation(self, info: &mut Map<String, Value>) {
        self.strip(info, IMPLEMENTATION);
    }

    /// A resource or resource template.
    pub(super) fn resource(self, resource: &mut Map<String, Value>) {
        self.titled(resource);
        self.strip(resource, &[ICONS]);
        self.annotations(resource);
        self.item_meta(resource);
    }

    pub(super) fn resource_contents(self, contents: &mut Map<String, Value>) {
        self.item_meta(contents);
    }

    pub(super) fn prompt(self, prompt: &mut Map<String, Value>) {
        self.titled(prompt);
        self.strip(prompt, &[ICONS]);
        each(prompt, "arguments", |argument| self.titled(argument));
        self.item_meta(prompt);
    }

    /// A title that a revision does not have becomes the description, if there is none.
    pub(super) fn titled(self, item: &mut Map<String, Value>) {
        if self.has(TITLE.1.since) {
            return;
        }
        if let Some(title) = item.shift_remove(TITLE.0).filter(Value::is_string) {
            item.entry("description").or_insert(title);
        }
    }

    pub(super) fn icons(self, item: &mut Map<String, Value>) {
        self.strip(item, &[ICONS]);
    }

    /// The annotations of a resource or content, which every revision has.
    pub(super) fn annotations(self, item: &mut Map<String, Value>) {
        with(item, "annotations", |annotations| self.strip(annotations, ANNOTATIONS));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shaped(method: &str, version: Version, mut value: Value) -> Value {
        Shape::to(version).result(method, &mut value).unwrap();
        value
    }

    fn resource(version: Version) -> Value {
        let full = json!({
            "uri": "a:b", "name": "n", "title": "T", "mimeType": "a/b", "size": 3,
            "icons": [{"src": "https://a"}],
            "annotations": {"audience": ["user"], "priority": 1, "lastModified": "2025-01-01T00:00:00Z"},
            "_meta": {"com.example/x": 1},
        });
        shaped("resources/list", version, json!({"resources": [full]}))["resources"][0].clone()
    }

    #[test]
    fn resources_by_revision() {
        let first = json!({
            "uri": "a:b", "name": "n", "mimeType": "a/b", "size": 3,
            "annotations": {"audience": ["user"], "priority": 1},
            "description": "T",
        });
        assert_eq!(resource(Version::V2024_11_05), first);
        assert_eq!(resource(Version::V2025_03_26), first);
        let june = resource(Version::V2025_06_18);
        assert_eq!(june["title"], "T");
        assert_eq!(june["annotations"]["lastModified"], "2025-01-01T00:00:00Z");
        assert!(june.get("icons").is_none() && june.get("_meta").is_some());
        assert!(resource(Version::V2025_11_25).get("icons").is_some());
    }

    #[test]
    fn a_description_is_not_replaced_by_a_title() {
        let value = json!({"resourceTemplates": [
            {"uriTemplate": "a:{b}", "name": "n", "title": "T", "description": "D"},
        ]});
        let shaped = shaped("resources/templates/list", Version::V2025_03_26, value);
        assert_eq!(
            shaped["resourceTemplates"][0],
            json!({"uriTemplate": "a:{b}", "name": "n", "description": "D"})
        );
    }

    #[test]
    fn prompts_and_their_arguments() {
        let value = json!({"prompts": [{
            "name": "p", "title": "P", "icons": [], "_meta": {},
            "arguments": [{"name": "a", "title": "A", "required": true}],
        }]});
        assert_eq!(
            shaped("prompts/list", Version::V2024_11_05, value.clone())["prompts"][0],
            json!({
                "name": "p", "description": "P",
                "arguments": [{"name": "a", "required": true, "description": "A"}],
            })
        );
        let june = shaped("prompts/list", Version::V2025_06_18, value);
        assert_eq!(june["prompts"][0]["arguments"][0]["title"], "A");
        assert!(june["prompts"][0].get("icons").is_none());
    }

    #[test]
    fn contents_keep_their_meta_only_where_there_is_one() {
        let value = json!({"contents": [{"uri": "ui://a", "text": "x", "_meta": {"ui": {}}}]});
        let without = shaped("resources/read", Version::V2025_03_26, value.clone());
        assert_eq!(without, json!({"contents": [{"uri": "ui://a", "text": "x"}]}));
        let mut kept = value.clone();
        Shape::to(Version::V2025_03_26).keeping_item_meta().result("resources/read", &mut kept).unwrap();
        assert_eq!(kept, value, "for a peer that negotiated MCP Apps");
        assert_eq!(shaped("resources/read", Version::V2025_06_18, value.clone()), value);
    }

    #[test]
    fn implementations_by_revision() {
        let value = json!({"serverInfo": {
            "name": "s", "title": "S", "version": "1", "icons": [], "description": "d", "websiteUrl": "https://a",
        }});
        let info = |version| shaped("initialize", version, value.clone())["serverInfo"].clone();
        assert_eq!(info(Version::V2025_03_26), json!({"name": "s", "version": "1"}));
        assert_eq!(info(Version::V2025_06_18), json!({"name": "s", "title": "S", "version": "1"}));
        assert_eq!(info(Version::V2025_11_25), value["serverInfo"]);
    }

    #[test]
    fn roots_had_no_meta_at_first() {
        let value = json!({"roots": [{"uri": "file:///a", "_meta": {}}]});
        assert_eq!(
            shaped("roots/list", Version::V2025_03_26, value),
            json!({"roots": [{"uri": "file:///a"}]})
        );
    }
}
