//! Finds unknown members whose name is nearly that of a known one.

use serde_json::{Map as JsonMap, Value};

use super::flaw::{At, SchemaFlaw};
use super::words::*;
use super::{Schema, Validator};

impl Validator {
    /// Unknown members that look like a misspelling of a known one that is absent. They are allowed, but nobody reads them.
    pub fn lookalikes(&self, value: &Value) -> Vec<SchemaFlaw> {
        let mut found = Vec::new();
        let (schema, shape) = self.parts();
        schema.compare(shape, value, At::Root, &mut found);
        found
    }
}

impl Schema {
    fn compare(self, shape: &'static ValueShape, value: &Value, at: At<'_>, into: &mut Vec<SchemaFlaw>) {
        match (shape, value) {
            (Array(item) | ArrayUpTo(_, item), Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    self.compare(item, part, At::Index(&at, index), into);
                }
            }
            (Map(member), Value::Object(members)) => {
                for (key, part) in members {
                    self.compare(member, part, At::Key(&at, key), into);
                }
            }
            (Object(groups), Value::Object(members)) => self.compare_members(groups, members, at, into),
            (Ref(name), _) => {
                if let Some(def) = self.find(name) {
                    self.compare(&def.shape, value, at, into);
                }
            }
            (Either(shapes), _) => {
                let mut known = shapes.iter().filter_map(|shape| self.resolve(shape));
                if let Some(shape) = known.find(|shape| self.accepts(shape, value)) {
                    self.compare(shape, value, at, into);
                }
            }
            (By(_) | Narrowed { .. }, _) => {
                if let Some(chosen) = self.resolve(shape) {
                    self.compare(chosen, value, at, into);
                }
            }
            // What is joined knows more members together than each part alone.
            _ => {}
        }
    }

    fn compare_members(
        self,
        groups: &'static [&'static [Field]],
        members: &JsonMap<String, Value>,
        at: At<'_>,
        into: &mut Vec<SchemaFlaw>,
    ) {
        let fields: Vec<_> = self.fields(groups).collect();
        for (key, part) in members {
            if let Some((field, shape)) = fields.iter().find(|(field, _)| field.name == key) {
                self.compare(shape, part, At::Key(&at, field.name), into);
                continue;
            }
            let absent = fields.iter().filter(|(field, _)| !members.contains_key(field.name));
            if let Some((field, _)) = absent.into_iter().find(|(field, _)| is_alike(field.name, key)) {
                let message = format!("is not known; is `{}` meant?", field.name);
                into.push(SchemaFlaw::new(At::Key(&at, key), message));
            }
        }
    }
}

/// Whether two names have the same letters but for case and punctuation, or differ in one letter of many.
pub(crate) fn is_alike(known: &str, given: &str) -> bool {
    let (known, given) = (plain(known), plain(given));
    known == given || known.len() > 5 && one_edit(&known, &given)
}

fn plain(name: &str) -> Vec<u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect()
}

/// Whether the two differ by one added, missing, changed or swapped letter.
fn one_edit(one: &[u8], two: &[u8]) -> bool {
    let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[same..], &long[same..]);
    if short.len() < long.len() {
        return long.get(1..) == Some(short);
    }
    let swapped = matches!((short, long), ([a, b, x @ ..], [c, d, y @ ..]) if a == d && b == c && x == y);
    swapped || short.get(1..) == long.get(1..)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Extension, Schema};
    use super::*;

    #[test]
    fn letters_count() {
        for given in
            ["displaymode", "display_mode", "DisplayMode", "dispayMode", "displayModes", "dislpayMode"]
        {
            assert!(is_alike("displayMode", given), "{given}");
        }
        for given in ["display", "displayModality", "playMode", "themes"] {
            assert!(!is_alike("displayMode", given), "{given}");
        }
        assert!(!is_alike("tool", "tools"), "short names are too near to each other");
    }

    #[test]
    fn misspelt_members_are_found_wherever_they_are() {
        let schema = Schema::for_version(V2025_11_25).with(Extension::Apps);
        let context = schema.validator("McpUiHostContext").unwrap();
        let value = json!({
            "displaymode": "inline", "somethingElse": 1,
            "containerDimensions": {"max_height": 3}, "styles": {"variables": {"--Font-sans": "x"}},
        });
        let found: Vec<_> = context.lookalikes(&value).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "/displaymode: is not known; is `displayMode` meant?",
                "/containerDimensions/max_height: is not known; is `maxHeight` meant?",
            ]
        );
        assert!(context.accepts(&value), "they are allowed all the same");
    }
}
