//! Arguments for tools that nobody told us about, made from their schemas.

use serde_json::{Map, Value, json};

/// How deep a schema is followed.
const DEPTH: usize = 8;

/// Arguments that the schema accepts, with as little in them as it lets us; `None` when none were found.
pub(crate) fn valid(schema: &Value) -> Option<Value> {
    let arguments = minimal(schema, DEPTH);
    let accepted = jsonschema::validator_for(schema).ok()?.is_valid(&arguments);
    (arguments.is_object() && accepted).then_some(arguments)
}

/// Arguments that the schema refuses, and what is wrong with them.
pub(crate) fn invalid(schema: &Value) -> Option<(Value, String)> {
    let validator = jsonschema::validator_for(schema).ok()?;
    let properties = schema["properties"].as_object()?;
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut candidates: Vec<(Value, String)> =
        required.map(|name| (without(schema, name), format!("`{name}` is missing"))).collect();
    for (name, property) in properties {
        let wrong =
            if property["type"] == "string" { json!({ "not": "text" }) } else { json!("not that type") };
        candidates.push((with(schema, name, wrong), format!("`{name}` is of the wrong type")));
    }
    candidates.into_iter().find(|(arguments, _)| !validator.is_valid(arguments))
}

fn without(schema: &Value, name: &str) -> Value {
    let mut arguments = minimal(schema, DEPTH);
    arguments.as_object_mut().map(|members| members.shift_remove(name));
    arguments
}

fn with(schema: &Value, name: &str, value: Value) -> Value {
    let mut arguments = minimal(schema, DEPTH);
    if let Some(members) = arguments.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
    arguments
}

/// The smallest instance that comes to mind: what the schema itself suggests, else a value of its type.
fn minimal(schema: &Value, depth: usize) -> Value {
    for suggestion in ["const", "default"] {
        if let Some(value) = schema.get(suggestion) {
            return value.clone();
        }
    }
    if let Some(value) = schema["examples"].get(0).or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    for choice in ["oneOf", "anyOf", "allOf"] {
        if let (Some(first), true) = (schema[choice].get(0), depth > 0) {
            return minimal(first, depth - 1);
        }
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"].get(0).and_then(Value::as_str));
    match kind {
        Some("string") => text(schema),
        Some("integer" | "number") => number(schema),
        Some("boolean") => json!(false),
        Some("array") => array(schema, depth),
        Some("null") => Value::Null,
        _ => object(schema, depth),
    }
}

fn object(schema: &Value, depth: usize) -> Value {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let members: Map<String, Value> = required
        .filter(|_| depth > 0)
        .map(|name| (name.to_owned(), minimal(&schema["properties"][name], depth - 1)))
        .collect();
    Value::Object(members)
}

fn array(schema: &Value, depth: usize) -> Value {
    let least = schema["minItems"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0).min(16);
    let items = (0..least).filter(|_| depth > 0).map(|_| minimal(&schema["items"], depth - 1));
    items.collect()
}

fn text(schema: &Value) -> Value {
    let text = match schema["format"].as_str() {
        Some("date-time") => "2026-01-01T00:00:00Z",
        Some("date") => "2026-01-01",
        Some("time") => "00:00:00Z",
        Some("email") => "someone@example.com",
        Some("uri" | "url") => "https://example.com/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "yardstick",
    };
    let least = schema["minLength"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0).min(4096);
    let most = schema["maxLength"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    let padded = format!("{text:x<least$}");
    padded.chars().take(most.max(least)).collect::<String>().into()
}

fn number(schema: &Value) -> Value {
    let least = schema["minimum"].as_f64().or_else(|| schema["exclusiveMinimum"].as_f64().map(|n| n + 1.0));
    let most = schema["maximum"].as_f64().or_else(|| schema["exclusiveMaximum"].as_f64().map(|n| n - 1.0));
    let value = least.unwrap_or(1.0).ceil().min(most.unwrap_or(f64::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a schema's bound that is no i64 is tried as a float"
    )]
    let whole = value as i64;
    if schema["type"] == "integer" || value.fract() == 0.0 { json!(whole) } else { json!(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_schema_suggests_is_taken() {
        let schema = json!({
            "type": "object",
            "properties": {
                "mode": { "enum": ["fast", "slow"] },
                "count": { "type": "integer", "minimum": 3 },
                "name": { "type": "string", "minLength": 20 },
                "tags": { "type": "array", "items": { "type": "string" }, "minItems": 2 },
                "left": { "type": "string" },
            },
            "required": ["mode", "count", "name", "tags"],
        });
        let arguments = valid(&schema).unwrap();
        assert_eq!(arguments["mode"], "fast");
        assert_eq!(arguments["count"], 3);
        assert_eq!(arguments["tags"].as_array().unwrap().len(), 2);
        assert!(arguments.get("left").is_none());
    }

    #[test]
    fn wrong_arguments_are_wrong() {
        let schema =
            json!({ "type": "object", "properties": { "a": { "type": "number" } }, "required": ["a"] });
        let (bad, why) = invalid(&schema).unwrap();
        assert_eq!((bad, why.as_str()), (json!({}), "`a` is missing"));
        assert_eq!(invalid(&json!({ "type": "object", "properties": {} })), None);
        assert_eq!(invalid(&json!({ "type": "object" })), None);
    }
}
