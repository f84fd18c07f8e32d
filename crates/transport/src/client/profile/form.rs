//! Fills in an elicitation form so that it matches its schema.

use serde_json::{Map, Value, json};

/// One value for each property of the schema.
pub(super) fn fill(schema: &Value) -> Value {
    let fields = schema.get("properties").and_then(Value::as_object);
    let filled: Map<String, Value> =
        fields.into_iter().flatten().map(|(name, field)| (name.clone(), entry(field))).collect();
    Value::Object(filled)
}

fn entry(field: &Value) -> Value {
    if let Some(default) = field.get("default") {
        return default.clone();
    }
    if let Some(choice) = choices(field).into_iter().next() {
        return choice;
    }
    match field.get("type").and_then(Value::as_str) {
        Some("boolean") => json!(true),
        Some("integer" | "number") => number(field),
        Some("array") => many(field),
        _ => text(field),
    }
}

/// The values of an enumeration, in any notation.
fn choices(field: &Value) -> Vec<Value> {
    if let Some(values) = field.get("enum").and_then(Value::as_array) {
        return values.clone();
    }
    let titled = field.get("oneOf").or_else(|| field.get("anyOf")).and_then(Value::as_array);
    titled.into_iter().flatten().filter_map(|option| option.get("const").cloned()).collect()
}

fn many(field: &Value) -> Value {
    let least = field.get("minItems").and_then(Value::as_u64).unwrap_or(1).max(1);
    let wanted = usize::try_from(least).unwrap_or(usize::MAX);
    field.get("items").map(choices).unwrap_or_default().into_iter().take(wanted).collect()
}

fn number(field: &Value) -> Value {
    let bound = |name: &str| field.get(name).filter(|value| value.is_number());
    bound("minimum").or_else(|| bound("maximum")).cloned().unwrap_or_else(|| json!(1))
}

fn text(field: &Value) -> Value {
    let fixed = match field.get("format").and_then(Value::as_str) {
        Some("email") => Some("tester@example.com"),
        Some("uri") => Some("https://example.com/"),
        Some("date") => Some("2026-07-28"),
        Some("date-time") => Some("2026-07-28T12:00:00Z"),
        _ => None,
    };
    if let Some(fixed) = fixed {
        return json!(fixed);
    }
    let length = |name: &str| field.get(name).and_then(Value::as_u64);
    // A schema may ask for any length. An absurd one is not met.
    let least = length("minLength").unwrap_or(0).min(100_000);
    let most = length("maxLength").unwrap_or(u64::MAX);
    let wanted = usize::try_from(least.max(9).min(most)).unwrap_or(9);
    json!("yardstick".chars().cycle().take(wanted).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_of_field_is_filled() {
        let schema = json!({"type": "object", "properties": {
            "name": {"type": "string", "minLength": 12},
            "short": {"type": "string", "maxLength": 2},
            "mail": {"type": "string", "format": "email"},
            "age": {"type": "integer", "minimum": 18},
            "ok": {"type": "boolean"},
            "kept": {"type": "string", "default": "as is"},
            "one": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
            "old": {"type": "string", "enum": ["x", "y"], "enumNames": ["X", "Y"]},
            "two": {"type": "array", "minItems": 2, "items": {"anyOf": [{"const": 1}, {"const": 2}, {"const": 3}]}},
        }});
        assert_eq!(
            fill(&schema),
            json!({
                "name": "yardstickyar", "short": "ya", "mail": "tester@example.com", "age": 18, "ok": true,
                "kept": "as is", "one": "a", "old": "x", "two": [1, 2],
            })
        );
    }

    #[test]
    fn no_schema_is_an_empty_form() {
        assert_eq!(fill(&Value::Null), json!({}));
    }
}
