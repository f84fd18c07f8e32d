//! How large a schema is, before anything looks into it.

use serde_json::Value;

use super::pattern;
use super::{Judged, TooComplex};

/// The most that is looked at, and that is small.
const MAX_WEIGHT: usize = 96 * 1024;
const SMALL_WEIGHT: usize = 4 * 1024;
/// How deep it may nest. The parser's bound is near.
const MAX_DEPTH: usize = 100;
const SMALL_DEPTH: usize = 32;
/// How many bytes weigh as much as a value.
const BYTES_OF_VALUE: usize = 16;

/// What a schema weighs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    weight: usize,
    depth: usize,
}

impl Size {
    /// The size of `schema`, if it is one that can be judged at all.
    pub(super) fn measure(schema: &Value) -> Judged<Self> {
        let mut size = Self::default();
        size.add(schema, 0)?;
        Ok(size)
    }

    /// Whether it can be judged on any thread, at once.
    pub(super) const fn is_small(self) -> bool {
        self.weight <= SMALL_WEIGHT && self.depth <= SMALL_DEPTH
    }

    fn add(&mut self, value: &Value, depth: usize) -> Judged<()> {
        self.depth = self.depth.max(depth);
        self.weight += own_weight(value);
        if depth > MAX_DEPTH {
            return Err(TooComplex::Deep);
        }
        if self.weight > MAX_WEIGHT {
            return Err(TooComplex::Large);
        }
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.add(item, depth + 1)),
            Value::Object(members) => members.iter().try_for_each(|(name, member)| {
                self.weight += name.len() / BYTES_OF_VALUE;
                if name == "pattern" {
                    self.weight += member.as_str().map_or(Ok(0), pattern::size)?;
                }
                if name == "patternProperties" {
                    for source in member.as_object().into_iter().flatten().map(|(source, _)| source) {
                        self.weight += pattern::size(source)?;
                    }
                }
                self.add(member, depth + 1)
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }
}

/// What a value weighs: one for each value in it, and more for long texts.
pub(crate) fn weight(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| name.len() / BYTES_OF_VALUE + weight(member)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    own_weight(value) + inner
}

fn own_weight(value: &Value) -> usize {
    1 + value.as_str().map_or(0, |text| text.len() / BYTES_OF_VALUE)
}
