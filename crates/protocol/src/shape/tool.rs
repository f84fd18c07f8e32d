//! Tools and the results of calling them.

use serde_json::{Map, Value, json};

use super::{Shape, VersionedMember, with, with_value};
use crate::{Era, Span, Version};

const TOOL: &[VersionedMember] = &[
    ("annotations", Span::since(Version::V2025_03_26)),
    ("outputSchema", Span::since(Version::V2025_06_18)),
    ("execution", Span::only(Version::V2025_11_25)),
];
const SCHEMA: &[VersionedMember] = &[("$schema", Span::since(Version::V2025_11_25))];

impl Shape {
    pub(super) fn tool(self, tool: &mut Map<String, Value>) {
        if self.version == Version::V2025_03_26 {
            title_into_annotations(tool);
        }
        self.titled(tool);
        self.strip(tool, TOOL);
        self.icons(tool);
        self.item_meta(tool);
        if self.version.era() == Era::Legacy {
            with(tool, "inputSchema", |schema| self.tool_schema(schema));
            with(tool, "outputSchema", |schema| self.tool_schema(schema));
            // Only 2026-07-28 has results that are not objects.
            if tool.get("outputSchema").is_some_and(|schema| schema.get("type") != Some(&json!("object"))) {
                tool.shift_remove("outputSchema");
            }
        }
    }

    pub(super) fn call_result(self, result: &mut Map<String, Value>) {
        if result.get("resultType").is_some_and(|kind| kind != "complete") {
            return;
        }
        if !self.fits_structured(result.get("structuredContent")) {
            structured_in_text(result);
        }
        with_value(result, "content", |content| self.contents(content));
    }

    /// Whether the revision has structured content of that kind: none at first, then objects, then any value.
    pub(super) fn fits_structured(self, content: Option<&Value>) -> bool {
        let Some(content) = content else { return true };
        match self.version {
            Version::V2024_11_05 | Version::V2025_03_26 => false,
            Version::V2025_06_18 | Version::V2025_11_25 => content.is_object(),
            Version::V2026_07_28 => true,
        }
    }

    /// Schemas of properties are objects in the older revisions, where JSON Schema also has `true` and `false`.
    fn tool_schema(self, schema: &mut Map<String, Value>) {
        self.strip(schema, SCHEMA);
        with(schema, "properties", |properties| {
            for property in properties.values_mut() {
                match property {
                    Value::Bool(true) => *property = json!({}),
                    Value::Bool(false) => *property = json!({"not": {}}),
                    _ => (),
                }
            }
        });
    }
}

/// 2025-03-26 has a title, but elsewhere.
fn title_into_annotations(tool: &mut Map<String, Value>) {
    let Some(title) = tool.get("title").filter(|title| title.is_string()).cloned() else { return };
    tool.shift_remove("title");
    let annotations = tool.entry("annotations").or_insert_with(|| json!({}));
    if let Some(annotations) = annotations.as_object_mut() {
        annotations.entry("title").or_insert(title);
    }
}

/// Says structured content in text, unless the text says it already.
pub(super) fn structured_in_text(result: &mut Map<String, Value>) {
    let Some(structured) = result.shift_remove("structuredContent") else { return };
    let content = result.entry("content").or_insert_with(|| json!([]));
    let Some(blocks) = content.as_array_mut() else { return };
    let said = blocks.iter().filter_map(|block| block.get("text")?.as_str());
    let mut parsed = said.filter_map(|text| serde_json::from_str::<Value>(text).ok());
    if !parsed.any(|value| value == structured) {
        blocks.push(json!({"type": "text", "text": structured.to_string()}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(version: Version, tool: &Value) -> Value {
        let mut result = json!({"tools": [tool]});
        Shape::to(version).result("tools/list", &mut result).unwrap();
        result["tools"][0].clone()
    }

    fn call(version: Version, mut result: Value) -> Value {
        Shape::to(version).result("tools/call", &mut result).unwrap();
        result
    }

    fn full() -> Value {
        json!({
            "name": "t", "title": "T", "description": "D", "icons": [], "_meta": {},
            "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": true}, "execution": {"taskSupport": "optional"},
        })
    }

    #[test]
    fn tools_by_revision() {
        let keys = |version| {
            let mut keys: Vec<String> = tool(version, &full()).as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(Version::V2024_11_05), ["description", "inputSchema", "name"]);
        assert_eq!(keys(Version::V2025_03_26), ["annotations", "description", "inputSchema", "name"]);
        let june = ["_meta", "annotations", "description", "inputSchema", "name", "outputSchema", "title"];
        assert_eq!(keys(Version::V2025_06_18), june);
        let november = [
            "_meta",
            "annotations",
            "description",
            "execution",
            "icons",
            "inputSchema",
            "name",
            "outputSchema",
            "title",
        ];
        assert_eq!(keys(Version::V2025_11_25), november);
        let modern =
            ["_meta", "annotations", "description", "icons", "inputSchema", "name", "outputSchema", "title"];
        assert_eq!(keys(Version::V2026_07_28), modern);
    }

    #[test]
    fn a_title_finds_another_place() {
        let march = tool(Version::V2025_03_26, &full());
        assert_eq!(march["annotations"], json!({"readOnlyHint": true, "title": "T"}));
        let bare = json!({"name": "t", "title": "T", "inputSchema": {"type": "object"}});
        assert_eq!(tool(Version::V2025_03_26, &bare)["annotations"], json!({"title": "T"}));
        assert_eq!(tool(Version::V2024_11_05, &bare)["description"], "T");
    }

    #[test]
    fn output_schemas_of_other_types_wait_for_the_modern_revision() {
        for schema in [json!({"type": "array"}), json!({"anyOf": []}), json!({})] {
            let with = json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema});
            assert!(tool(Version::V2025_11_25, &with).get("outputSchema").is_none());
            assert!(tool(Version::V2026_07_28, &with).get("outputSchema").is_some());
        }
    }

    #[test]
    fn boolean_schemas_become_objects() {
        let schema =
            json!({"$schema": "s", "type": "object", "properties": {"a": true, "b": false, "c": {}}});
        let with = json!({"name": "t", "inputSchema": schema, "outputSchema": schema});
        let older = json!({"type": "object", "properties": {"a": {}, "b": {"not": {}}, "c": {}}});
        let june = tool(Version::V2025_06_18, &with);
        assert_eq!((&june["inputSchema"], &june["outputSchema"]), (&older, &older));
        assert_eq!(tool(Version::V2026_07_28, &with)["inputSchema"], schema);
    }

    #[test]
    fn structured_content_is_said_in_text() {
        let result = json!({"content": [{"type": "text", "text": "22 °C"}], "structuredContent": {"t": 22}});
        for version in [Version::V2024_11_05, Version::V2025_03_26] {
            let expected = json!({"content": [
                {"type": "text", "text": "22 °C"}, {"type": "text", "text": "{\"t\":22}"},
            ]});
            assert_eq!(call(version, result.clone()), expected);
        }
        assert_eq!(call(Version::V2025_06_18, result.clone()), result);
    }

    #[test]
    fn text_that_says_it_already_is_enough() {
        let result =
            json!({"content": [{"type": "text", "text": "{ \"t\": 22 }"}], "structuredContent": {"t": 22}});
        let expected = json!({"content": [{"type": "text", "text": "{ \"t\": 22 }"}]});
        assert_eq!(call(Version::V2025_03_26, result), expected);
    }

    #[test]
    fn structured_values_were_objects_before() {
        for value in [json!([1, 2]), json!("x"), json!(3), json!(null), json!(false)] {
            let result = json!({"content": [], "structuredContent": value});
            let text = value.to_string();
            let said = json!({"content": [{"type": "text", "text": text}]});
            assert_eq!(call(Version::V2025_11_25, result.clone()), said);
            assert_eq!(call(Version::V2026_07_28, result)["structuredContent"], value);
        }
    }

    #[test]
    fn content_comes_even_where_only_structure_was() {
        let said = call(Version::V2024_11_05, json!({"structuredContent": {"a": 1}, "isError": true}));
        assert_eq!(said, json!({"isError": true, "content": [{"type": "text", "text": "{\"a\":1}"}]}));
    }
}
