//! A value of whatever type.

use serde_json::{Map, Value, json};

use super::Attempt;
use super::flatten::types;
use crate::schema::{Judged, weight};

impl Attempt<'_> {
    /// An instance of `schema`, or so we hope. Instances of different `salt` differ where they can.
    pub(super) fn value(&mut self, schema: &Value, depth: usize, salt: usize) -> Judged<Value> {
        let flat = self.flatten(schema, depth)?;
        self.of_flat(&flat, depth, salt)
    }

    pub(super) fn of_flat(&mut self, flat: &Map<String, Value>, depth: usize, salt: usize) -> Judged<Value> {
        if let Some(value) = flat.get("const") {
            return self.copy(value);
        }
        if let Some(options) = flat.get("enum").and_then(Value::as_array).filter(|all| !all.is_empty()) {
            let at = (self.choices.pick(options.len()) + salt) % options.len();
            return self.copy(&options[at]);
        }
        let examples = flat.get("examples").and_then(Value::as_array).into_iter().flatten();
        let suggested: Vec<_> = flat.get("default").into_iter().chain(examples).collect();
        if let Some(value) = suggested.get(salt + self.choices.pick(suggested.len() + 1)) {
            return self.copy(value);
        }
        let kinds = kinds(flat);
        Ok(match kinds[self.choices.pick(kinds.len())] {
            "object" => self.members(flat, depth)?.into(),
            "array" => self.items(flat, depth)?,
            "integer" => self.number(flat, true, salt),
            "number" => self.number(flat, false, salt),
            "boolean" => json!(!salt.is_multiple_of(2) || self.choices.pick_optional()),
            "null" => Value::Null,
            _ => self.text(flat, salt)?,
        })
    }

    fn copy(&self, value: &Value) -> Judged<Value> {
        self.budget.spend(weight(value))?;
        Ok(value.clone())
    }
}

/// The types that may be meant; where none is named, the keywords tell.
fn kinds(flat: &Map<String, Value>) -> Vec<&str> {
    let declared = flat.get("type").map(types).unwrap_or_default();
    if !declared.is_empty() {
        return declared;
    }
    let has = |words: &[&str]| words.iter().any(|word| flat.contains_key(*word));
    if has(&["properties", "required", "additionalProperties", "minProperties", "dependentRequired"]) {
        vec!["object"]
    } else if has(&["items", "prefixItems", "minItems", "contains", "uniqueItems"]) {
        vec!["array"]
    } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
        vec!["number"]
    } else {
        vec!["string", "integer", "boolean", "object", "array", "null"]
    }
}
