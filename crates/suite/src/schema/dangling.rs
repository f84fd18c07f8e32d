//! References within a schema that lead nowhere.

use serde_json::{Map, Value};

use super::walk::find_in_schemas;

/// The first reference into `schema` that has no target there. Where a part has an address of its own, references are
/// relative to that, and none is judged.
pub(super) fn dangling<'s>(schema: &'s Value) -> Option<&'s str> {
    if has_address(schema) {
        return None;
    }
    let target = |members: &'s Map<String, Value>| members.get("$ref")?.as_str();
    find_in_schemas(schema, &|members| target(members).filter(|target| leads_nowhere(schema, target)))
}

fn has_address(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| (name == "$id" || name == "id") && value.is_string() || has_address(value)),
        Value::Array(items) => items.iter().any(has_address),
        _ => false,
    }
}

/// Only pointers are judged, plain ones: an anchor may be made by other keywords.
fn leads_nowhere(root: &Value, target: &str) -> bool {
    target.strip_prefix('#').is_some_and(|pointer| {
        pointer.starts_with('/') && !pointer.contains('%') && root.pointer(pointer).is_none()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_no_target_dangles() {
        let schema = |target: &str| json!({ "$defs": { "a": { "type": "string" } }, "properties": { "x": { "items": { "$ref": target } } } });
        for (target, dangles) in [
            ("#/$defs/a", false),
            ("#/$defs/b", true),
            ("#", false),
            ("#anchor", false),
            ("other.json", false),
        ] {
            assert_eq!(dangling(&schema(target)).is_some(), dangles, "{target}");
        }
    }

    #[test]
    fn what_only_looks_like_a_reference_is_none() {
        assert!(
            dangling(&json!({ "properties": { "$ref": { "const": { "$ref": "#/nowhere" } } } })).is_none()
        );
        let addressed =
            json!({ "properties": { "a": { "$id": "https://a.example/a", "$ref": "#/nowhere" } } });
        assert!(dangling(&addressed).is_none());
    }
}
