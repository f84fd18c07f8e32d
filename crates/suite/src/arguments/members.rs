//! Objects.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::Attempt;
use super::flatten::merge;
use crate::schema::{Budget, Judged, matches_pattern, weight};

/// No object gets more members than this.
const MAX_MEMBERS: usize = 64;
/// Numbers with these names say how long something takes. They are kept small, so that no check waits for it.
const DURATION_WORDS: &[&str] = &["duration", "seconds", "delay", "sleep", "wait", "millis", "interval"];

impl Attempt<'_> {
    /// The members that are asked for, few others, and those that say how long to take.
    pub(super) fn members(&mut self, flat: &Map<String, Value>, depth: usize) -> Judged<Map<String, Value>> {
        self.budget.spend(flat.values().map(weight).sum())?;
        let mut flat = flat.clone();
        let mut names = self.names(&mut flat, depth)?;
        let least = flat.get("minProperties").and_then(Value::as_u64).unwrap_or(0);
        let least = usize::try_from(least).unwrap_or(MAX_MEMBERS).min(MAX_MEMBERS);
        for (name, _) in properties(&flat) {
            if names.len() >= least {
                break;
            }
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        while names.len() < least && depth > 0 {
            let number = names.len();
            names.push(self.another_name(&flat, number)?);
        }
        let mut members = Map::new();
        for (salt, name) in names.into_iter().enumerate().filter(|_| depth > 0) {
            let schema = schema_of(&flat, &name, self.budget)?;
            let value = self.member(&name, &schema, depth - 1, salt)?;
            members.insert(name, value);
        }
        Ok(members)
    }

    /// Which of them: those that are required, directly or because others are there.
    fn names(&mut self, flat: &mut Map<String, Value>, depth: usize) -> Judged<Vec<String>> {
        let mut names = Names::default();
        names.extend(texts(flat.get("required")));
        for (name, schema) in properties(flat) {
            let wanted = is_brief(name, schema) || self.choices.pick_optional();
            if wanted && *schema != json!(false) {
                names.extend([name.clone()]);
            }
        }
        for _ in 0..4 {
            let before = (names.all.len(), flat.len());
            for name in names.all.clone() {
                self.budget.spend(1)?;
                let follows = |word: &str| flat.get(word).and_then(|all| all.get(&name)).cloned();
                names.extend(texts(follows("dependentRequired").as_ref()));
                names.extend(texts(follows("dependencies").as_ref()));
                let schema = follows("dependentSchemas").or_else(|| follows("dependencies"));
                if let Some(schema) = schema.filter(Value::is_object) {
                    let schema = self.flatten(&schema, depth.saturating_sub(1))?;
                    merge(flat, schema, self.budget)?;
                }
            }
            names.extend(texts(flat.get("required")));
            if before == (names.all.len(), flat.len()) {
                break;
            }
        }
        names.all.truncate(MAX_MEMBERS);
        Ok(names.all)
    }

    fn member(&mut self, name: &str, schema: &Value, depth: usize, salt: usize) -> Judged<Value> {
        let mut flat = self.flatten(schema, depth)?;
        if is_brief(name, schema) {
            flat.shift_remove("default");
            flat.shift_remove("examples");
            let least = flat.get("minimum").and_then(Value::as_f64).unwrap_or(0.0);
            flat.entry("maximum").or_insert_with(|| super::number::exact(least.max(1.0), false));
        }
        // Members differ by name, so equal values do no harm, and a salt would spoil suggested values.
        let salt = if name.is_empty() { salt } else { 0 };
        self.of_flat(&flat, depth, salt)
    }

    /// A name that is not declared, as the schema wants names to be.
    fn another_name(&mut self, flat: &Map<String, Value>, number: usize) -> Judged<String> {
        let patterns = flat.get("patternProperties").and_then(Value::as_object);
        if let Some(source) = patterns.and_then(|all| all.keys().next())
            && let Some(name) = super::pattern::matching(source, number, &mut self.choices, self.budget)?
        {
            return Ok(name);
        }
        let plain = format!("member{number}");
        Ok(match flat.get("propertyNames").filter(|names| names.is_object()) {
            Some(names) => match self.value(names, 2, number)? {
                Value::String(name) => name,
                _ => plain,
            },
            None => plain,
        })
    }
}

/// Names in their order, each once.
#[derive(Debug, Default)]
struct Names {
    all: Vec<String>,
    known: HashSet<String>,
}

impl Names {
    fn extend(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names {
            if self.known.insert(name.clone()) {
                self.all.push(name);
            }
        }
    }
}

fn properties(flat: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    flat.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// What a member of that name has to be.
pub(super) fn schema_of(flat: &Map<String, Value>, name: &str, budget: &Budget) -> Judged<Value> {
    let declared = flat.get("properties").and_then(|all| all.get(name));
    let mut by_pattern = None;
    let patterns = flat.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
    for (source, schema) in patterns.filter(|_| declared.is_none()) {
        if matches_pattern(source, name, budget)? {
            by_pattern = Some(schema);
            break;
        }
    }
    let other = flat.get("additionalProperties").filter(|schema| schema.is_object());
    let found = declared.or(by_pattern).or(other);
    budget.spend(found.map_or(0, weight))?;
    Ok(found.cloned().unwrap_or_else(|| json!({})))
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn is_brief(name: &str, schema: &Value) -> bool {
    let name = name.to_lowercase();
    let numeric = matches!(schema["type"].as_str(), Some("number" | "integer"));
    numeric && DURATION_WORDS.iter().any(|word| name.contains(word))
}
