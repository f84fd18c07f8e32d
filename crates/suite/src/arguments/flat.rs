//! One object of keywords from a schema that is spread over references and combinations.

use serde_json::{Map, Value, json};

use super::Attempt;

impl Attempt<'_> {
    /// The keywords of `schema` with references followed, `allOf` merged, and one way taken through the others.
    pub(super) fn flat(&mut self, schema: &Value, depth: usize) -> Map<String, Value> {
        let Some(own) = schema.as_object() else { return Map::new() };
        let mut all = own.clone();
        if depth == 0 {
            return all;
        }
        for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let target = all.shift_remove(word).and_then(|name| resolve(self.root, name.as_str()?).cloned());
            if let Some(target) = target {
                merge(&mut all, self.flat(&target, depth - 1));
            }
        }
        for part in list(&mut all, "allOf") {
            merge(&mut all, self.flat(&part, depth - 1));
        }
        for word in ["anyOf", "oneOf"] {
            let options = list(&mut all, word);
            if let Some(option) = options.get(self.choices.pick(options.len())) {
                merge(&mut all, self.flat(option, depth - 1));
            }
        }
        self.condition(&mut all, depth);
        all
    }

    /// `if` is met together with `then`, or left unmet together with `else`, which takes less.
    fn condition(&mut self, all: &mut Map<String, Value>, depth: usize) {
        let Some(condition) = all.shift_remove("if") else { return };
        let (then, otherwise) = (all.shift_remove("then"), all.shift_remove("else"));
        if self.choices.pick(2) == 0 {
            if let Some(otherwise) = otherwise {
                merge(all, self.flat(&otherwise, depth - 1));
            }
            return;
        }
        for part in [Some(condition), then].into_iter().flatten() {
            merge(all, self.flat(&part, depth - 1));
        }
    }
}

fn list(all: &mut Map<String, Value>, word: &str) -> Vec<Value> {
    match all.shift_remove(word) {
        Some(Value::Array(parts)) => parts,
        Some(_) | None => Vec::new(),
    }
}

/// What a reference within the document means; those that lead elsewhere mean nothing to us.
fn resolve<'s>(root: &'s Value, name: &str) -> Option<&'s Value> {
    let (base, fragment) = name.split_once('#').unwrap_or((name, ""));
    let document =
        if base.is_empty() { root } else { search(root, &|object| object.get("$id") == Some(&json!(base)))? };
    if fragment.is_empty() || fragment.starts_with('/') {
        return document.pointer(&fragment.replace("%24", "$").replace("%20", " "));
    }
    search(document, &|object| {
        ["$anchor", "$dynamicAnchor"].iter().any(|word| object.get(*word) == Some(&json!(fragment)))
            || object.get("$id") == Some(&json!(name))
    })
}

fn search<'s>(value: &'s Value, fits: &impl Fn(&Map<String, Value>) -> bool) -> Option<&'s Value> {
    match value {
        Value::Object(members) if fits(members) => Some(value),
        Value::Object(members) => members.values().find_map(|member| search(member, fits)),
        Value::Array(items) => items.iter().find_map(|item| search(item, fits)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Adds the keywords of `from`, so that what meets the result meets both.
pub(super) fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (word, theirs) in from {
        let merged = match into.get(&word) {
            None => theirs,
            Some(ours) => both(&word, ours, theirs),
        };
        into.insert(word, merged);
    }
}

fn both(word: &str, ours: &Value, theirs: Value) -> Value {
    match word {
        "type" => common_types(ours, &theirs),
        "enum" => ours.as_array().into_iter().flatten().filter(|v| contains(&theirs, v)).cloned().collect(),
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
            let more = theirs.as_array().into_iter().flatten().filter(|v| !contains(ours, v));
            all.extend(more.cloned());
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
    }
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

fn contains(list: &Value, value: &Value) -> bool {
    list.as_array().is_some_and(|items| items.contains(value))
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
