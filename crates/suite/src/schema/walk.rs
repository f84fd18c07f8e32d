//! Every schema within a schema.

use serde_json::{Map, Value};

/// Keywords whose members are names, each with a schema.
const SCHEMA_MAPS: &[&str] = &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose values are not schemas.
const PLAIN_VALUES: &[&str] = &["const", "default", "enum", "examples"];

/// The first thing that `look` finds in the members of `schema` or of a schema within it.
pub(super) fn find_in_schemas<'s, T>(
    schema: &'s Value,
    look: &impl Fn(&'s Map<String, Value>) -> Option<T>,
) -> Option<T> {
    match schema {
        Value::Object(members) => look(members).or_else(|| {
            members.iter().find_map(|(name, value)| match name.as_str() {
                name if PLAIN_VALUES.contains(&name) => None,
                name if SCHEMA_MAPS.contains(&name) => {
                    value.as_object()?.values().find_map(|named| find_in_schemas(named, look))
                }
                _ => find_in_schemas(value, look),
            })
        }),
        Value::Array(items) => items.iter().find_map(|item| find_in_schemas(item, look)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
