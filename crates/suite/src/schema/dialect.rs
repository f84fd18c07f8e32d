//! Which JSON Schema a schema is written in, and what judges by it.

use jsonschema::{Draft, Validator};
use protocol::Version;
use serde_json::Value;

use super::cost::Cost;
use super::dangling::dangling;
use super::{Budget, Judged, pattern, shorten};

/// What judges instances of `schema`; `None` if this is not a schema, or refers to something outside it.
pub(super) fn validator(schema: &Value, version: Version) -> Option<Validator> {
    // A schema of another place is never fetched: the reference is simply not met.
    let options = pattern::with_bounds(jsonschema::options());
    match dialect(schema, version) {
        Some(draft) => options.with_draft(draft).build(schema).ok(),
        None => options.build(schema).ok(),
    }
}

/// What is wrong with `schema` by the meta-schema of its dialect, and where; or what it refers to and does not have.
pub(super) fn flaw(schema: &Value, version: Version, budget: &Budget) -> Judged<Option<String>> {
    // What is judged here is as much work as what it would take to judge by it.
    Cost::new(schema, budget).compile()?;
    let dangles = || dangling(schema).map(|target| format!(": \"$ref\": {target:?} leads nowhere"));
    Ok(against_dialect(&without_patterns(schema), version).or_else(dangles))
}

/// The same without regular expressions, which some meta-schemas have compiled: the engine here is not that of ECMA-262, and what is
/// wrong with an expression is judged by a check of its own.
fn without_patterns(schema: &Value) -> Value {
    let member = |(name, value): (&String, &Value)| match (name.as_str(), value) {
        ("pattern", Value::String(_)) => None,
        ("patternProperties", Value::Object(named)) => {
            let numbered = named.values().enumerate();
            Some((
                name.clone(),
                numbered.map(|(at, value)| (at.to_string(), without_patterns(value))).collect(),
            ))
        }
        _ => Some((name.clone(), without_patterns(value))),
    };
    match schema {
        Value::Object(members) => members.iter().filter_map(member).collect(),
        Value::Array(items) => items.iter().map(without_patterns).collect(),
        plain => plain.clone(),
    }
}

fn against_dialect(schema: &Value, version: Version) -> Option<String> {
    let error = match dialect(schema, version) {
        Some(Draft::Draft7) => jsonschema::draft7::meta::validate(schema).err()?,
        Some(_) => jsonschema::draft202012::meta::validate(schema).err()?,
        None if !known(schema) => return None,
        None => jsonschema::meta::validate(schema).err()?,
    };
    Some(format!("{}: {}", error.instance_path(), shorten(&error.to_string())))
}

/// The dialect of a schema that names none. From 2025-11-25 on that is 2020-12; before, nobody said, and what either
/// of the two that are in use accepts will do.
fn dialect(schema: &Value, version: Version) -> Option<Draft> {
    if schema.get("$schema").is_some_and(Value::is_string) {
        return None;
    }
    let modern = jsonschema::draft202012::meta::is_valid(schema);
    let older = version < Version::V2025_11_25 && !modern && jsonschema::draft7::meta::is_valid(schema);
    Some(if older { Draft::Draft7 } else { Draft::Draft202012 })
}

/// Whether the dialect that the schema names is one that we can judge.
fn known(schema: &Value) -> bool {
    let name = schema["$schema"].as_str().unwrap_or_default();
    name.contains("json-schema.org/")
}
