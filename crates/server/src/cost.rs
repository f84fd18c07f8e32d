//! What the server remembers, in bytes.

use serde_json::Value;

/// A value that has no parts.
const VALUE: usize = size_of::<Value>();
/// What a member of an object costs besides its name and value: its hash and its place in the index.
const MEMBER: usize = 64;

/// What `value` takes in memory, with all that it holds.
pub(crate) fn of_value(value: &Value) -> usize {
    VALUE
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(of_value).sum(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| MEMBER + name.len() + of_value(value)).sum()
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
        assert_eq!(of_value(&json!(text)), VALUE + 1000);
        assert_eq!(of_value(&json!([text, [text]])), 4 * VALUE + 2000);
        assert_eq!(of_value(&json!({ "abc": 1 })), 2 * VALUE + MEMBER + 3);
    }
}
