//! Estimates how much memory values take.

use serde_json::Value;

/// Bytes of a value without parts.
const VALUE_BYTES: usize = size_of::<Value>();
/// Bytes of a member of an object besides its name and value: its hash and its place in the index.
const MEMBER_BYTES: usize = 64;

/// How many bytes `value` takes, with everything in it.
pub(crate) fn estimate_value(value: &Value) -> usize {
    VALUE_BYTES
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(estimate_value).sum(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| MEMBER_BYTES + name.len() + estimate_value(value)).sum()
            }
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_parts_count() {
        let text = "x".repeat(1000);
        assert_eq!(estimate_value(&json!(text)), VALUE_BYTES + 1000);
        assert_eq!(estimate_value(&json!([text, [text]])), 4 * VALUE_BYTES + 2000);
        assert_eq!(estimate_value(&json!({ "abc": 1 })), 2 * VALUE_BYTES + MEMBER_BYTES + 3);
    }
}
