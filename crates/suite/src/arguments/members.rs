//! Objects.

use serde_json::{Map, Value, json};

use super::Attempt;
use super::flat::merge;

/// No object gets more members than this.
const MOST: usize = 64;
/// Numbers of these names say how long something takes, and nobody wants to wait for it.
const BRIEF: &[&str] = &["duration", "seconds", "delay", "sleep", "wait", "millis", "interval"];

impl Attempt<'_> {
    /// The members that are asked for, few others, and those that say how long to take.
    pub(super) fn members(&mut self, flat: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let mut flat = flat.clone();
        let mut names = self.names(&mut flat, depth);
        let least = flat.get("minProperties").and_then(Value::as_u64).unwrap_or(0);
        let least = usize::try_from(least).unwrap_or(MOST).min(MOST);
        let declared: Vec<String> = properties(&flat).map(|(name, _)| name.clone()).collect();
        for name in declared.into_iter().filter(|_| names.len() < least).collect::<Vec<_>>() {
            if names.len() < least && !names.contains(&name) {
                names.push(name);
            }
        }
        while names.len() < least && depth > 0 {
            let number = names.len();
            names.push(self.another_name(&flat, number));
        }
        let mut members = Map::new();
        for (salt, name) in names.into_iter().enumerate().filter(|_| depth > 0) {
            let schema = schema_of(&flat, &name);
            let value = self.member(&name, &schema, depth - 1, salt);
            members.insert(name, value);
        }
        members
    }

    /// Which of them: those that are required, directly or because others are there.
    fn names(&mut self, flat: &mut Map<String, Value>, depth: usize) -> Vec<String> {
        let mut names: Vec<String> = texts(flat.get("required"));
        for (name, schema) in properties(flat) {
            let wanted = is_brief(name, schema) || self.choices.also();
            if !names.contains(name) && wanted && *schema != json!(false) {
                names.push(name.clone());
            }
        }
        for _ in 0..4 {
            let before = (names.len(), flat.len());
            for name in names.clone() {
                let follows = |word: &str| flat.get(word).and_then(|all| all.get(&name)).cloned();
                let more = texts(follows("dependentRequired").as_ref())
                    .into_iter()
                    .chain(texts(follows("dependencies").as_ref()));
                let new: Vec<_> = more.filter(|other| !names.contains(other)).collect();
                names.extend(new);
                let schema = follows("dependentSchemas").or_else(|| follows("dependencies"));
                if let Some(schema) = schema.filter(Value::is_object) {
                    merge(flat, self.flat(&schema, depth.saturating_sub(1)));
                }
            }
            names.extend(texts(flat.get("required")));
            let mut seen = std::collections::HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            if before == (names.len(), flat.len()) {
                break;
            }
        }
        names.truncate(MOST);
        names
    }

    fn member(&mut self, name: &str, schema: &Value, depth: usize, salt: usize) -> Value {
        let mut flat = self.flat(schema, depth);
        if is_brief(name, schema) {
            flat.shift_remove("default");
            flat.shift_remove("examples");
            let least = flat.get("minimum").and_then(Value::as_f64).unwrap_or(0.0);
            flat.entry("maximum").or_insert_with(|| super::number::exact(least.max(1.0), false));
        }
        // Members differ by their names; equal values in them are no harm, and a salt would spoil what is suggested.
        let salt = if name.is_empty() { salt } else { 0 };
        self.of_flat(&flat, depth, salt)
    }

    /// A name that is not declared, as the schema wants names to be.
    fn another_name(&mut self, flat: &Map<String, Value>, number: usize) -> String {
        let patterns = flat.get("patternProperties").and_then(Value::as_object);
        let source = patterns.and_then(|all| all.keys().next());
        let made = source.and_then(|source| super::pattern::matching(source, number, &mut self.choices));
        if let Some(name) = made {
            return name;
        }
        match flat.get("propertyNames").filter(|names| names.is_object()) {
            Some(names) => match self.value(&names.clone(), 2, number) {
                Value::String(name) => name,
                _ => format!("member{number}"),
            },
            None => format!("member{number}"),
        }
    }
}

fn properties(flat: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    flat.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// What a member of that name has to be.
pub(super) fn schema_of(flat: &Map<String, Value>, name: &str) -> Value {
    let declared = flat.get("properties").and_then(|all| all.get(name));
    let by_pattern = flat.get("patternProperties").and_then(Value::as_object).and_then(|all| {
        all.iter().find(|(source, _)| {
            jsonschema::validator_for(&json!({ "pattern": source })).is_ok_and(|v| v.is_valid(&json!(name)))
        })
    });
    let other = flat.get("additionalProperties").filter(|schema| schema.is_object());
    declared.or(by_pattern.map(|(_, schema)| schema)).or(other).cloned().unwrap_or_else(|| json!({}))
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn is_brief(name: &str, schema: &Value) -> bool {
    let name = name.to_lowercase();
    let numeric = matches!(schema["type"].as_str(), Some("number" | "integer"));
    numeric && BRIEF.iter().any(|word| name.contains(word))
}
