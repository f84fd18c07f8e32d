//! One object of keywords from a schema that is spread over references and combinations.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::Attempt;
use crate::schema::{Budget, Judged, weight};

/// Keywords that hold schemas which apply nowhere by themselves.
const DEFINITION_KEYWORDS: [&str; 2] = ["$defs", "definitions"];

impl Attempt<'_> {
    /// The keywords of `schema` with references followed, `allOf` merged, and one way taken through the others.
    pub(super) fn flatten(&mut self, schema: &Value, depth: usize) -> Judged<Map<String, Value>> {
        let Some(own) = schema.as_object() else { return Ok(Map::new()) };
        let applies = own.iter().filter(|(word, _)| !DEFINITION_KEYWORDS.contains(&word.as_str()));
        let mut all = Map::new();
        for (word, value) in applies {
            self.budget.spend(weight(value))?;
            all.insert(word.clone(), value.clone());
        }
        if depth == 0 {
            return Ok(all);
        }
        for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let name = all.shift_remove(word);
            let target = name.and_then(|name| self.references.resolve(name.as_str()?).first().copied());
            if let Some(target) = target {
                let target = self.flatten(target, depth - 1)?;
                merge(&mut all, target, self.budget)?;
            }
        }
        for part in list(&mut all, "allOf") {
            let part = self.flatten(&part, depth - 1)?;
            merge(&mut all, part, self.budget)?;
        }
        for word in ["anyOf", "oneOf"] {
            let options = list(&mut all, word);
            if let Some(option) = options.get(self.choices.pick(options.len())) {
                let option = self.flatten(option, depth - 1)?;
                merge(&mut all, option, self.budget)?;
            }
        }
        self.condition(&mut all, depth)?;
        Ok(all)
    }

    /// `if` is met together with `then`, or left unmet together with `else`, which takes less.
    fn condition(&mut self, all: &mut Map<String, Value>, depth: usize) -> Judged<()> {
        let Some(condition) = all.shift_remove("if") else { return Ok(()) };
        let (then, otherwise) = (all.shift_remove("then"), all.shift_remove("else"));
        let parts = if self.choices.pick(2) == 0 { [otherwise, None] } else { [Some(condition), then] };
        for part in parts.into_iter().flatten() {
            let part = self.flatten(&part, depth - 1)?;
            merge(all, part, self.budget)?;
        }
        Ok(())
    }
}

fn list(all: &mut Map<String, Value>, word: &str) -> Vec<Value> {
    match all.shift_remove(word) {
        Some(Value::Array(parts)) => parts,
        Some(_) | None => Vec::new(),
    }
}

/// Adds the keywords of `from`, so that what meets the result meets both.
pub(super) fn merge(into: &mut Map<String, Value>, from: Map<String, Value>, budget: &Budget) -> Judged<()> {
    for (word, theirs) in from {
        let merged = match into.get(&word) {
            None => theirs,
            Some(ours) => {
                budget.spend(weight(ours) + weight(&theirs))?;
                both(&word, ours, theirs, budget)?
            }
        };
        into.insert(word, merged);
    }
    Ok(())
}

fn both(word: &str, ours: &Value, theirs: Value, budget: &Budget) -> Judged<Value> {
    Ok(match word {
        "type" => common_types(ours, &theirs),
        "enum" => {
            let (ours, theirs) = (ours.as_array(), theirs.as_array());
            budget.spend(ours.map_or(0, Vec::len).saturating_mul(theirs.map_or(0, Vec::len)))?;
            let known = |value: &&Value| theirs.is_some_and(|theirs| theirs.contains(value));
            ours.into_iter().flatten().filter(known).cloned().collect()
        }
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" | "minContains" => {
            if theirs.as_f64() > ours.as_f64() {
                theirs
            } else {
                ours.clone()
            }
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            if theirs.as_f64() < ours.as_f64() { theirs } else { ours.clone() }
        }
        "required" => {
            let mut all = ours.as_array().cloned().unwrap_or_default();
            let known: HashSet<_> = all.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
            let theirs = theirs.as_array().into_iter().flatten();
            all.extend(
                theirs.filter(|name| name.as_str().is_some_and(|name| !known.contains(name))).cloned(),
            );
            all.into()
        }
        "properties" | "patternProperties" | "dependentRequired" | "dependentSchemas" | "$defs" => {
            by_name(ours, theirs)
        }
        "items" | "additionalProperties" | "propertyNames" | "contains" => json!({ "allOf": [ours, theirs] }),
        "multipleOf" => match (ours.as_u64(), theirs.as_u64()) {
            (Some(a), Some(b)) => json!(a.saturating_mul(b)),
            _ => ours.clone(),
        },
        _ => ours.clone(),
    })
}

fn by_name(ours: &Value, theirs: Value) -> Value {
    let mut all = ours.as_object().cloned().unwrap_or_default();
    let Value::Object(theirs) = theirs else { return all.into() };
    for (name, schema) in theirs {
        let merged = match all.get(&name) {
            Some(known) if *known != schema => json!({ "allOf": [known, schema] }),
            Some(_) | None => schema,
        };
        all.insert(name, merged);
    }
    all.into()
}

/// The names in `type`, whether it is one or a list.
pub(super) fn types(declared: &Value) -> Vec<&str> {
    match declared {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn common_types(ours: &Value, theirs: &Value) -> Value {
    let (ours, theirs) = (types(ours), types(theirs));
    let narrower = |name: &&str| theirs.contains(name) || *name == "integer" && theirs.contains(&"number");
    let mut common: Vec<_> = ours.iter().copied().filter(narrower).collect();
    if ours.contains(&"number") && theirs.contains(&"integer") && !common.contains(&"integer") {
        common.push("integer");
    }
    json!(common)
}
