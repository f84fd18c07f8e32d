//! The official JSON Schemas, where the checkout has them.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests, outside of test functions")]

use std::path::Path;

use serde_json::{Map, Value, json};
use yardstick_protocol::Version;

/// The schema of one revision.
pub(crate) struct Official {
    document: Value,
    definitions: &'static str,
}

impl Official {
    /// The schema of `version`; none, and a word about it, where there is none.
    pub(crate) fn of(version: Version) -> Option<Self> {
        let document = load(&format!("mcp-{version}.json"))?;
        let definitions = if document.get("$defs").is_some() { "$defs" } else { "definitions" };
        Some(Self { document, definitions })
    }

    pub(crate) fn definitions(&self) -> &Map<String, Value> {
        self.document[self.definitions].as_object().unwrap()
    }

    /// The names that the union `name` refers to.
    pub(crate) fn members(&self, name: &str) -> Vec<&str> {
        let Some(union) = self.definitions().get(name) else { return Vec::new() };
        let alternatives =
            union.get("anyOf").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![union.clone()]);
        let names: Vec<String> =
            alternatives.iter().filter_map(|one| Some(one.get("$ref")?.as_str()?.to_owned())).collect();
        self.definitions()
            .keys()
            .map(String::as_str)
            .filter(|key| names.iter().any(|n| n.ends_with(&format!("/{key}"))))
            .collect()
    }

    /// Why `value` is not a `name` that has only members that the revision lists.
    pub(crate) fn problems(&self, name: &str, value: &Value) -> Vec<String> {
        let mut document = self.document.clone();
        for (key, definition) in document[self.definitions].as_object_mut().unwrap() {
            if !key.ends_with("MetaObject") {
                close(definition);
            }
        }
        let root = document.as_object_mut().unwrap();
        root.remove("anyOf");
        root.insert("$ref".into(), json!(format!("#/{}/{name}", self.definitions)));
        let validator = jsonschema::validator_for(&document).unwrap();
        validator.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect()
    }
}

/// A file of the schemas.
pub(crate) fn load(file: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec/schema").join(file);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).unwrap()),
        Err(_) => {
            assert!(
                std::env::var_os("CI").is_none(),
                "there is no {file} beside this checkout, and this is CI"
            );
            println!("skipped: no {file} beside this checkout");
            None
        }
    }
}

/// Forbids members that an object does not list; `_meta` and the JSON Schemas of tools are anybody's.
fn close(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if fields.get("properties").is_some_and(Value::is_object) {
        fields.insert("additionalProperties".into(), json!(false));
    }
    for (key, child) in fields.iter_mut() {
        match (key.as_str(), child) {
            ("properties", Value::Object(properties)) => {
                let open = ["_meta", "inputSchema", "outputSchema"];
                properties
                    .iter_mut()
                    .filter(|(name, _)| !open.contains(&name.as_str()))
                    .for_each(|(_, p)| close(p));
            }
            ("anyOf" | "allOf" | "oneOf", Value::Array(list)) => list.iter_mut().for_each(close),
            ("items" | "additionalProperties", child) => close(child),
            _ => (),
        }
    }
}
