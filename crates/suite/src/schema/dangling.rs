//! References within a schema that lead nowhere.

use serde_json::Value;

/// Keywords whose members are names, each with a schema.
const NAMED: &[&str] = &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose values are no schemas.
const PLAIN: &[&str] = &["const", "default", "enum", "examples"];

/// The first reference into `schema` that has no target there. Where a part has an address of its own, references are
/// relative to that, and none is judged.
pub(super) fn dangling(schema: &Value) -> Option<&str> {
    if has_address(schema) { None } else { within(schema, schema) }
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

fn within<'s>(root: &Value, schema: &'s Value) -> Option<&'s str> {
    match schema {
        Value::Object(members) => members.iter().find_map(|(name, value)| match name.as_str() {
            "$ref" => value.as_str().filter(|target| leads_nowhere(root, target)),
            name if PLAIN.contains(&name) => None,
            name if NAMED.contains(&name) => {
                value.as_object()?.values().find_map(|named| within(root, named))
            }
            _ => within(root, value),
        }),
        Value::Array(items) => items.iter().find_map(|item| within(root, item)),
        _ => None,
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
