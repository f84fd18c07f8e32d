//! Elicitation: URLs, titles and defaults of choices came with 2025-11-25.

use serde_json::{Map, Value, json};

use super::{Inexpressible, Shape, VersionedMember, with};
use crate::{Span, Version};

const REQUEST: &[VersionedMember] =
    &[("mode", Span::since(Version::V2025_11_25)), ("elicitationId", Span::only(Version::V2025_11_25))];
const SCHEMA: &[VersionedMember] = &[("$schema", Span::since(Version::V2025_11_25))];

impl Shape {
    /// The params of `elicitation/create`.
    pub(super) fn elicitation(self, params: &mut Map<String, Value>) -> Result<(), Inexpressible> {
        let is_url = params.get("mode").is_some_and(|mode| mode == "url");
        match (is_url, self.version) {
            (true, Version::V2025_11_25) if !params.contains_key("elicitationId") => {
                return Err(Inexpressible::NoElicitationId);
            }
            (true, Version::V2024_11_05 | Version::V2025_03_26 | Version::V2025_06_18) => {
                return Err(Inexpressible::UrlElicitation(self.version));
            }
            _ => (),
        }
        self.strip(params, REQUEST);
        if self.has(Version::V2025_11_25) {
            return Ok(());
        }
        let Some(schema) = params.get_mut("requestedSchema").and_then(Value::as_object_mut) else {
            return Ok(());
        };
        self.strip(schema, SCHEMA);
        let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return Ok(()) };
        for (name, field) in fields.iter_mut() {
            let Some(field) = field.as_object_mut() else { continue };
            if field.get("type").is_some_and(|kind| kind == "array") {
                return Err(Inexpressible::SeveralChoices { field: name.clone(), version: self.version });
            }
            older_choice(field);
            older_default(field);
        }
        Ok(())
    }

    /// The result of `elicitation/create`; several choices are one text in older revisions.
    pub(super) fn elicitation_result(self, result: &mut Map<String, Value>) {
        if self.has(Version::V2025_11_25) {
            return;
        }
        with(result, "content", |content| {
            for value in content.values_mut() {
                if let Some(list) = value.as_array() {
                    let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                    *value = json!(texts.join(", "));
                }
            }
        });
    }
}

/// Choices with titles were two lists of one length.
fn older_choice(field: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = field.shift_remove("oneOf") else { return };
    let list = |key: &str| options.iter().filter_map(|option| option.get(key).cloned()).collect::<Vec<_>>();
    let (values, titles) = (list("const"), list("title"));
    if titles.len() == values.len() {
        field.insert("enumNames".to_owned(), json!(titles));
    }
    field.insert("enum".to_owned(), json!(values));
}

/// Only switches had a default; the others say theirs in the description.
fn older_default(field: &mut Map<String, Value>) {
    if field.get("type").is_some_and(|kind| kind == "boolean") {
        return;
    }
    let Some(default) = field.shift_remove("default") else { return };
    let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
    let before =
        field.get("description").and_then(Value::as_str).map(|text| format!("{text} ")).unwrap_or_default();
    field.insert("description".to_owned(), json!(format!("{before}(default: {default})")));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(version: Version, mut params: Value) -> Result<Value, Inexpressible> {
        Shape::to(version).request("elicitation/create", &mut params).map(|()| params)
    }

    fn field(field: &Value) -> Value {
        let params =
            json!({"message": "m", "requestedSchema": {"type": "object", "properties": {"f": field}}});
        request(Version::V2025_06_18, params).unwrap()["requestedSchema"]["properties"]["f"].clone()
    }

    #[test]
    fn forms_had_no_mode_at_first() {
        let params =
            json!({"mode": "form", "message": "m", "requestedSchema": {"$schema": "s", "type": "object"}});
        let june = json!({"message": "m", "requestedSchema": {"type": "object"}});
        assert_eq!(request(Version::V2025_06_18, params.clone()), Ok(june));
        assert_eq!(request(Version::V2025_11_25, params.clone()), Ok(params));
    }

    #[test]
    fn urls_need_a_revision_that_has_them() {
        let with_id = json!({"mode": "url", "message": "m", "url": "https://a", "elicitationId": "1"});
        let without = json!({"mode": "url", "message": "m", "url": "https://a"});
        assert_eq!(
            request(Version::V2025_06_18, with_id.clone()),
            Err(Inexpressible::UrlElicitation(Version::V2025_06_18))
        );
        assert_eq!(request(Version::V2025_11_25, with_id.clone()), Ok(with_id.clone()));
        assert_eq!(request(Version::V2025_11_25, without.clone()), Err(Inexpressible::NoElicitationId));
        assert_eq!(request(Version::V2026_07_28, with_id), Ok(without), "the id is gone again");
    }

    #[test]
    fn titled_choices_become_two_lists() {
        let titled = json!({"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]});
        assert_eq!(
            field(&titled),
            json!({"type": "string", "enumNames": ["Red", "Green"], "enum": ["r", "g"]})
        );
    }

    #[test]
    fn defaults_are_said() {
        assert_eq!(
            field(&json!({"type": "string", "default": "a", "description": "D"})),
            json!({"type": "string", "description": "D (default: a)"})
        );
        assert_eq!(
            field(&json!({"type": "integer", "default": 3})),
            json!({"type": "integer", "description": "(default: 3)"})
        );
        let switch = json!({"type": "boolean", "default": true});
        assert_eq!(field(&switch), switch);
    }

    #[test]
    fn several_choices_do_not_fit() {
        let params = json!({"requestedSchema": {"properties": {"c": {"type": "array", "items": {}}}}});
        let error = request(Version::V2025_06_18, params.clone()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "protocol 2025-06-18 has no form field for several choices, such as `c`"
        );
        assert!(request(Version::V2025_11_25, params).is_ok());
    }

    #[test]
    fn several_chosen_become_one_text() {
        let mut result = json!({"action": "accept", "content": {"c": ["a", "b"], "d": 1}});
        Shape::to(Version::V2025_06_18).result("elicitation/create", &mut result).unwrap();
        assert_eq!(result, json!({"action": "accept", "content": {"c": "a, b", "d": 1}}));
    }
}
