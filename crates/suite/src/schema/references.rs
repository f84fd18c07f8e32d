//! What a reference within a schema may mean.

use std::collections::HashMap;

use serde_json::Value;

/// Keywords that refer.
pub(crate) const REFERENCE_KEYWORDS: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The addresses within one schema.
#[derive(Debug)]
pub(crate) struct References<'s> {
    /// The schema, and every part with an address of its own.
    resources: Vec<&'s Value>,
    /// Parts by their address or anchor.
    named: HashMap<&'s str, Vec<&'s Value>>,
}

impl<'s> References<'s> {
    pub(crate) fn index(root: &'s Value) -> Self {
        let mut all = Self { resources: vec![root], named: HashMap::new() };
        all.collect(root, true);
        all
    }

    /// All that `name` may mean, wherever it stands. Which one it is depends on where; who asks for one takes the first.
    /// What lies elsewhere means nothing.
    pub(crate) fn resolve(&self, name: &str) -> Vec<&'s Value> {
        let (base, fragment) = name.split_once('#').unwrap_or((name, ""));
        let named = |name: &str| self.named.get(name).cloned().unwrap_or_default();
        if fragment.is_empty() && base.is_empty() {
            return self.resources.clone();
        }
        if fragment.is_empty() || !fragment.starts_with('/') {
            let mut found = named(fragment);
            found.extend(named(name));
            // An address may be written relative to another.
            found.extend(self.addressed(base).filter(|_| fragment.is_empty()));
            return found;
        }
        let plain = decode_pointer(fragment);
        let within = |document: &&'s Value| document.pointer(&plain);
        if base.is_empty() {
            self.resources.iter().filter_map(within).collect()
        } else {
            self.addressed(base).collect::<Vec<_>>().iter().filter_map(within).collect()
        }
    }

    fn addressed(&self, base: &str) -> impl Iterator<Item = &'s Value> {
        let last = base.rsplit('/').next().unwrap_or(base);
        let fits = move |part: &&&'s Value| {
            !last.is_empty()
                && part["$id"].as_str().or(part["id"].as_str()).is_some_and(|id| id.ends_with(last))
        };
        self.resources.iter().filter(fits).copied().collect::<Vec<_>>().into_iter()
    }

    fn collect(&mut self, value: &'s Value, is_root: bool) {
        match value {
            Value::Object(members) => {
                for word in ["$id", "id", "$anchor", "$dynamicAnchor"] {
                    let Some(name) = members.get(word).and_then(Value::as_str) else { continue };
                    self.named.entry(name).or_default().push(value);
                    if !is_root && (word == "$id" || word == "id") {
                        self.resources.push(value);
                    }
                }
                members.values().for_each(|member| self.collect(member, false));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, false)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// A pointer without the escapes of a URI, as far as they occur in names of members.
fn decode_pointer(fragment: &str) -> String {
    let mut plain = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, more @ ..] = rest {
        let hex =
            || std::str::from_utf8(more.get(..2)?).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex().filter(|_| *first == b'%') {
            Some(byte) => {
                plain.push(byte);
                rest = &more[2..];
            }
            None => {
                plain.push(*first);
                rest = more;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}
