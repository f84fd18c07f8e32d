//! Reads the members of an object one by one, and notes what is wrong with them.

use serde_json::{Map, Value};

use super::{MetadataProblem, Weight};
use crate::json::kind;

/// An object, where it is, and what was found wrong in it.
pub(super) struct MetadataReader<'a, 'f> {
    fields: &'a Map<String, Value>,
    at: String,
    findings: &'f mut Vec<MetadataProblem>,
}

impl<'a, 'f> MetadataReader<'a, 'f> {
    /// A reader of `value`; `None` and a finding if it is not an object.
    pub(super) fn open(value: &'a Value, at: &str, findings: &'f mut Vec<MetadataProblem>) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self { fields, at: at.to_owned(), findings }),
            other => {
                findings.push(wrong(at, "an object", other));
                None
            }
        }
    }

    /// The member as it is.
    pub(super) fn raw(&self, key: &str) -> Option<&'a Value> {
        self.fields.get(key)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.fields.keys().map(String::as_str)
    }

    pub(super) fn string(&mut self, key: &str) -> Option<String> {
        let value = self.raw(key)?;
        self.typed(key, value, "a string", value.as_str().map(str::to_owned))
    }

    pub(super) fn boolean(&mut self, key: &str) -> Option<bool> {
        let value = self.raw(key)?;
        self.typed(key, value, "a boolean", value.as_bool())
    }

    pub(super) fn number(&mut self, key: &str) -> Option<f64> {
        let value = self.raw(key)?;
        self.typed(key, value, "a number", value.as_f64())
    }

    /// A reader of an object inside.
    pub(super) fn inside(&mut self, key: &str) -> Option<MetadataReader<'a, '_>> {
        let value = self.fields.get(key)?;
        MetadataReader::open(value, &format!("{}.{key}", self.at), self.findings)
    }

    /// The strings of a list; members of another type are left out.
    pub(super) fn strings(&mut self, key: &str) -> Option<Vec<String>> {
        let value = self.raw(key)?;
        let list = self.typed(key, value, "an array", value.as_array())?;
        let mut strings = Vec::new();
        for (index, item) in list.iter().enumerate() {
            match item.as_str() {
                Some(text) => strings.push(text.to_owned()),
                None => self.findings.push(wrong(&format!("{}.{key}[{index}]", self.at), "a string", item)),
            }
        }
        Some(strings)
    }

    /// A word out of a fixed set.
    pub(super) fn word<T>(&mut self, key: &str, known: &[(&str, T)]) -> Option<T>
    where
        T: Copy,
    {
        let text = self.string(key)?;
        let found = known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() {
            self.broken(key, unknown(&text, known));
        }
        found
    }

    /// The words of a list out of a fixed set; others are left out.
    pub(super) fn words<T>(&mut self, key: &str, known: &[(&str, T)]) -> Option<Vec<T>>
    where
        T: Copy + PartialEq,
    {
        let mut words = Vec::new();
        for text in self.strings(key)? {
            match known.iter().find(|(name, _)| *name == text) {
                Some((_, value)) if words.contains(value) => {
                    self.note(key, format!("`{text}` is listed twice"), Weight::Doubtful);
                }
                Some((_, value)) => words.push(*value),
                None => self.broken(key, unknown(&text, known)),
            }
        }
        Some(words)
    }

    /// Notes that a member breaks a rule.
    pub(super) fn broken(&mut self, key: &str, says: String) {
        self.note(key, says, Weight::Broken);
    }

    pub(super) fn note(&mut self, key: &str, says: String, weight: Weight) {
        self.findings.push(MetadataProblem { at: format!("{}.{key}", self.at), says, weight });
    }

    fn typed<T>(&mut self, key: &str, value: &Value, expected: &str, read: Option<T>) -> Option<T> {
        if read.is_none() {
            self.findings.push(wrong(&format!("{}.{key}", self.at), expected, value));
        }
        read
    }
}

fn wrong(at: &str, expected: &str, value: &Value) -> MetadataProblem {
    let says = format!("is {}, expected {expected}", kind(value));
    MetadataProblem { at: at.to_owned(), says, weight: Weight::Broken }
}

fn unknown<T>(text: &str, known: &[(&str, T)]) -> String {
    let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
    format!("`{text}` is none of {}", names.join(", "))
}
