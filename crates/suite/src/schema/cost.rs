//! What an evaluation costs, found out by a walk that goes wherever a validator may go, and judges nothing.
//!
//! It goes further than a validator, which stops at the first contradiction, and never less far.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::references::REFERENCE_KEYWORDS;
use super::{Budget, Judged, References, TooComplex, pattern, weight};

/// How deep a validator may go, through the schema and the instance together.
const MAX_DEPTH: usize = 250;
/// Keywords with one schema that applies to the same value.
const SAME_INSTANCE: &[&str] = &["not", "if", "then", "else"];
/// Keywords with many.
const SAME_INSTANCE_LISTS: &[&str] = &["allOf", "anyOf", "oneOf"];
/// Keywords with schemas by name that apply to the same value if it has a member of that name.
const SAME_INSTANCE_MAPS: &[&str] = &["dependentSchemas", "dependencies"];

/// Counts what it costs to compile a schema, and to evaluate it.
#[derive(Debug)]
pub(super) struct Cost<'s> {
    root: &'s Value,
    references: References<'s>,
    budget: &'s Budget,
    /// The sizes of its regular expressions.
    patterns: RefCell<HashMap<&'s str, usize>>,
}

impl<'s> Cost<'s> {
    pub(super) fn new(root: &'s Value, budget: &'s Budget) -> Self {
        Self { root, references: References::index(root), budget, patterns: RefCell::default() }
    }

    /// Spends what it takes to compile the schema: every part once, in the order of references.
    pub(super) fn compile(&self) -> Judged<()> {
        self.compile_part(self.root, 0, &mut HashSet::new())
    }

    /// Spends what it takes to evaluate it on `instance`.
    pub(super) fn evaluate(&self, instance: &Value) -> Judged<()> {
        self.walk(self.root, instance, 0)
    }

    fn compile_part(&self, part: &'s Value, depth: usize, seen: &mut HashSet<*const Value>) -> Judged<()> {
        if !seen.insert(std::ptr::from_ref(part)) {
            return Ok(());
        }
        self.enter(1, depth)?;
        match part {
            Value::Object(members) => {
                for (word, value) in members {
                    self.compile_part(value, depth + 1, seen)?;
                    for target in self.targets(word, value)? {
                        self.compile_part(target, depth + 1, seen)?;
                    }
                }
                Ok(())
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.compile_part(item, depth + 1, seen)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn walk(&self, schema: &'s Value, instance: &Value, depth: usize) -> Judged<()> {
        self.enter(1, depth)?;
        let Some(words) = schema.as_object() else { return Ok(()) };
        // To know what was evaluated, a validator evaluates it once more.
        let looks_back =
            ["unevaluatedProperties", "unevaluatedItems"].iter().any(|word| words.contains_key(*word));
        for (word, value) in words {
            self.budget.spend(1)?;
            for _ in 0..=usize::from(looks_back) {
                self.same(word, value, instance, depth + 1)?;
            }
            self.plain(word, value, instance)?;
            match instance {
                Value::Object(members) => self.members(words, word, value, members, depth + 1)?,
                Value::Array(items) => self.items(words, word, value, items, depth + 1)?,
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        Ok(())
    }

    /// Schemas that apply to the same value.
    fn same(&self, word: &str, value: &'s Value, instance: &Value, depth: usize) -> Judged<()> {
        for target in self.targets(word, value)? {
            self.walk(target, instance, depth)?;
        }
        if SAME_INSTANCE.contains(&word) {
            self.walk(value, instance, depth)?;
        } else if SAME_INSTANCE_LISTS.contains(&word) {
            for part in value.as_array().into_iter().flatten() {
                self.walk(part, instance, depth)?;
            }
        } else if SAME_INSTANCE_MAPS.contains(&word) {
            for (name, part) in value.as_object().into_iter().flatten() {
                self.budget.spend(1)?;
                if instance.get(name).is_some() {
                    self.walk(part, instance, depth)?;
                }
            }
        }
        Ok(())
    }

    /// Schemas that apply to the members of an object.
    fn members(
        &self,
        words: &'s Map<String, Value>,
        word: &str,
        value: &'s Value,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Judged<()> {
        let declared = words.get("properties").and_then(Value::as_object);
        match word {
            "properties" => {
                for (name, part) in value.as_object().into_iter().flatten() {
                    self.budget.spend(1)?;
                    if let Some(member) = members.get(name) {
                        self.walk(part, member, depth)?;
                    }
                }
            }
            "patternProperties" => {
                for (source, part) in value.as_object().into_iter().flatten() {
                    for (name, member) in members {
                        self.spend_match(source, name)?;
                        self.walk(part, member, depth)?;
                    }
                }
            }
            "additionalProperties" | "unevaluatedProperties" => {
                let is_open = |name: &str| declared.is_none_or(|declared| !declared.contains_key(name));
                for (name, member) in members {
                    if word == "unevaluatedProperties" || is_open(name) {
                        self.walk(value, member, depth)?;
                    }
                }
            }
            "propertyNames" => {
                for name in members.keys() {
                    self.walk(value, &Value::from(name.as_str()), depth)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Schemas that apply to the items of an array.
    fn items(
        &self,
        words: &'s Map<String, Value>,
        word: &str,
        value: &'s Value,
        items: &[Value],
        depth: usize,
    ) -> Judged<()> {
        let first = words.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        match (word, value) {
            ("prefixItems", Value::Array(parts)) | ("items", Value::Array(parts)) => {
                parts.iter().zip(items).try_for_each(|(part, item)| self.walk(part, item, depth))
            }
            ("items", part) => items.iter().skip(first).try_for_each(|item| self.walk(part, item, depth)),
            ("additionalItems" | "unevaluatedItems" | "contains", part) => {
                items.iter().try_for_each(|item| self.walk(part, item, depth))
            }
            ("uniqueItems", _) => self.budget.spend(items.iter().map(weight).sum()),
            _ => Ok(()),
        }
    }

    /// Keywords without schemas in them.
    fn plain(&self, word: &str, value: &'s Value, instance: &Value) -> Judged<()> {
        match (word, value, instance) {
            ("enum" | "const", _, _) => self.budget.spend(weight(value)),
            ("required", Value::Array(names), Value::Object(_)) => self.budget.spend(names.len()),
            ("pattern", Value::String(source), Value::String(text)) => self.spend_match(source, text),
            ("format", _, Value::String(text)) => self.budget.spend(text.len() / 4),
            ("maxLength" | "minLength", _, Value::String(text)) => self.budget.spend(text.len() / 64),
            _ => Ok(()),
        }
    }

    /// A match looks at every character, at worst with every part of the expression.
    fn spend_match(&self, source: &'s str, text: &str) -> Judged<()> {
        let known = self.patterns.borrow().get(source).copied();
        let size = match known {
            Some(size) => size,
            None => pattern::size(source)?,
        };
        self.patterns.borrow_mut().insert(source, size);
        self.budget.spend(4 + (size / 16 + 1).saturating_mul(text.len() / 4))
    }

    fn targets(&self, word: &str, value: &Value) -> Judged<Vec<&'s Value>> {
        let Some(name) = value.as_str().filter(|_| REFERENCE_KEYWORDS.contains(&word)) else {
            return Ok(Vec::new());
        };
        let found = self.references.resolve(name);
        self.budget.spend(1 + found.len())?;
        Ok(found)
    }

    fn enter(&self, steps: usize, depth: usize) -> Judged<()> {
        self.budget.spend(steps)?;
        if depth > MAX_DEPTH { Err(TooComplex::Deep) } else { Ok(()) }
    }
}
