//! Arrays.

use serde_json::{Map, Value, json};

use super::Attempt;
use crate::schema::Judged;

/// No array is made longer than this.
const MAX_ITEMS: usize = 64;

impl Attempt<'_> {
    pub(super) fn items(&mut self, flat: &Map<String, Value>, depth: usize) -> Judged<Value> {
        if depth == 0 {
            return Ok(json!([]));
        }
        let count = |word: &str| flat.get(word).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        // Before 2020-12 a list of schemas was called `items`, and what follows it `additionalItems`.
        let older = flat.get("items").and_then(Value::as_array);
        let prefix = flat.get("prefixItems").and_then(Value::as_array).or(older).cloned().unwrap_or_default();
        let rest = if older.is_some() { flat.get("additionalItems") } else { flat.get("items") };
        let rest = rest.cloned().unwrap_or_else(|| json!({ "type": "string" }));
        let contained = flat.get("contains").cloned();
        let needed = contained.as_ref().map_or(0, |_| count("minContains").unwrap_or(1));
        let least = count("minItems").unwrap_or(0).max(needed).min(MAX_ITEMS);
        let room = count("maxItems").unwrap_or(MAX_ITEMS) > least && rest != json!(false);
        let wanted = if room && self.choices.pick_optional() { least + 1 } else { least };
        let from = wanted.saturating_sub(needed);
        let mut items = Vec::new();
        for at in 0..wanted {
            let place = prefix.get(at).unwrap_or(&rest);
            let item = match &contained {
                Some(contained) if at >= from => json!({ "allOf": [place, contained] }),
                Some(_) | None => place.clone(),
            };
            items.push(self.value(&item, depth - 1, at)?);
        }
        Ok(items.into())
    }
}
