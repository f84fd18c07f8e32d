//! Whatever the schema: what is made is accepted, and what is wrong is refused.

use proptest::prelude::*;
use protocol::Version;
use serde_json::{Value, json};

use super::{Kind, Wrong, find_valid, wrong};
use crate::schema::{Budget, Judge};

const NOW: Version = Version::V2025_11_25;

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn valid(schema: &Value, version: Version) -> Option<Value> {
    find_valid(schema, version, &Budget::large()).unwrap()
}

fn invalid(schema: &Value, version: Version) -> Vec<Wrong> {
    wrong::find_invalid(schema, version, &Budget::large()).unwrap()
}

fn accepts(schema: &Value, instance: &Value) -> bool {
    Judge::new(schema, NOW, &Budget::large()).unwrap().unwrap().accepts(instance).unwrap()
}

#[track_caller]
fn made(schema: &Value) -> Value {
    valid(schema, NOW).unwrap_or_else(|| panic!("nothing for {schema}"))
}

#[test]
fn what_a_schema_suggests_is_taken() {
    let schema = object(
        &json!({
            "mode": { "enum": ["fast", "slow"] },
            "count": { "type": "integer", "minimum": 3 },
            "name": { "type": "string", "minLength": 20 },
            "tags": { "type": "array", "items": { "type": "string" }, "minItems": 2, "uniqueItems": true },
            "shown": { "type": "string", "examples": ["like this"] },
            "usual": { "type": "string", "default": "as ever" },
            "left": { "type": "string" },
        }),
        &["mode", "count", "name", "tags", "shown", "usual"],
    );
    let arguments = made(&schema);
    assert_eq!(arguments["mode"], "fast");
    assert_eq!(arguments["count"], 3);
    assert_eq!(arguments["tags"].as_array().unwrap().len(), 2);
    assert_eq!((&arguments["shown"], &arguments["usual"]), (&json!("like this"), &json!("as ever")));
    assert!(arguments.get("left").is_none());
}

#[test]
fn awkward_schemas_are_met() {
    for schema in [
        json!({ "type": "object" }),
        json!({}),
        object(&json!({ "n": { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.1 } }), &["n"]),
        object(&json!({ "n": { "type": "integer", "multipleOf": 7, "minimum": 50, "maximum": 56 } }), &["n"]),
        object(&json!({ "n": { "type": "number", "multipleOf": 0.25, "minimum": 10.1 } }), &["n"]),
        object(&json!({ "s": { "type": "string", "pattern": "^[A-Z]{2}-\\d{4}(a|b)?$" } }), &["s"]),
        object(&json!({ "s": { "type": "string", "pattern": "^\\w+$", "minLength": 12 } }), &["s"]),
        object(&json!({ "s": { "not": { "type": "string" } } }), &["s"]),
        object(
            &json!({ "s": { "type": "string", "not": { "enum": ["yardstick"] }, "examples": ["other"] } }),
            &["s"],
        ),
        object(&json!({ "a": { "type": "array", "contains": { "const": 7 }, "minItems": 3 } }), &["a"]),
        object(
            &json!({ "a": { "prefixItems": [{ "type": "integer" }, { "type": "boolean" }], "minItems": 2, "items": false } }),
            &["a"],
        ),
        object(&json!({ "maybe": { "type": ["null", "string"] } }), &["maybe"]),
        object(&json!({ "bad": { "type": "integer", "default": "no number" } }), &["bad"]),
        object(&json!({ "either": { "oneOf": [{ "type": "integer" }, { "type": "number" }] } }), &["either"]),
        json!({ "type": "object", "minProperties": 3, "propertyNames": { "pattern": "^[a-z]+\\d$" } }),
        json!({ "type": "object", "required": ["a"], "additionalProperties": { "type": "integer" } }),
        json!({ "type": "object", "required": ["a"], "dependentRequired": { "a": ["b"], "b": ["c"] } }),
        json!({ "type": "object", "required": ["a"], "dependentSchemas": { "a": { "required": ["z"] } } }),
        json!({ "allOf": [{ "required": ["a"] }, { "properties": { "a": { "type": "integer" } } }], "type": "object" }),
        json!({ "type": "object", "properties": { "kind": { "enum": ["a", "b"] } }, "required": ["kind"],
            "if": { "properties": { "kind": { "const": "a" } } }, "then": { "required": ["x"] }, "else": { "required": ["y"] } }),
        json!({ "$ref": "#/$defs/node", "$defs": { "node": { "type": "object", "required": ["next"], "properties": {
            "next": { "anyOf": [{ "$ref": "#/$defs/node" }, { "type": "null" }] } } } } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["p"],
            "definitions": { "point": { "type": "array", "items": [{ "type": "number" }, { "type": "number" }], "minItems": 2 } },
            "properties": { "p": { "$ref": "#/definitions/point" } }, "dependencies": { "p": ["q"] } }),
        object(&json!({ "at": { "$ref": "#place" } }), &["at"])
            .as_object()
            .cloned()
            .map(|mut schema| {
                schema.insert("$defs".into(), json!({ "x": { "$anchor": "place", "type": "boolean" } }));
                Value::Object(schema)
            })
            .unwrap(),
    ] {
        let arguments = made(&schema);
        assert!(accepts(&schema, &arguments), "{schema} {arguments}");
    }
}

#[test]
fn formats_are_kept() {
    let formats =
        ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"];
    for format in formats {
        let schema = object(&json!({ "x": { "type": "string", "format": format } }), &["x"]);
        let strict = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        assert!(strict.is_valid(&made(&schema)), "{format}: {}", made(&schema));
    }
}

#[test]
fn nobody_has_to_wait() {
    let schema = object(&json!({ "duration": { "type": "number", "default": 10 } }), &[]);
    assert!(made(&schema)["duration"].as_f64().unwrap() <= 1.0);
}

#[test]
fn a_schema_of_another_place_is_not_fetched() {
    let schema = object(&json!({ "x": { "$ref": "http://127.0.0.1:9/schema.json" } }), &["x"]);
    assert_eq!(valid(&schema, NOW), None);
    assert_eq!(
        valid(&json!({ "type": "object", "required": ["a"], "properties": { "a": false } }), NOW),
        None
    );
}

#[test]
fn mistakes_are_of_every_kind() {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["a", "inner"],
        "properties": {
            "a": { "type": "number", "minimum": 0, "maximum": 5 },
            "mode": { "type": "string", "enum": ["x", "y"] },
            "name": { "type": "string", "minLength": 2, "maxLength": 4 },
            "code": { "type": "string", "pattern": "^a$" },
            "list": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 2 },
            "inner": { "type": "object", "required": ["deep"], "properties": { "deep": { "type": "boolean" } } },
        },
    });
    let wrong = invalid(&schema, NOW);
    for kind in [
        Kind::Missing,
        Kind::Type,
        Kind::Choice,
        Kind::Bound,
        Kind::Length,
        Kind::Pattern,
        Kind::Items,
        Kind::Extra,
    ] {
        assert!(wrong.iter().any(|w| w.kind == kind), "{kind:?}");
    }
    assert!(wrong.iter().any(|w| w.what == "`a` is missing" && w.arguments.get("a").is_none()));
    assert!(wrong.iter().any(|w| w.what == "`inner.deep` is missing"));
    assert_eq!(invalid(&json!({ "type": "object" }), NOW), []);
}

/// Schemas that have an instance, of most keywords.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        (0_u32..5, 0_u32..9)
            .prop_map(|(a, b)| json!({ "type": "string", "minLength": a, "maxLength": a + b })),
        (-50_i32..50, 1_i32..60)
            .prop_map(|(a, b)| json!({ "type": "integer", "minimum": a, "maximum": a + b })),
        (-50_i32..50, 1_i32..60)
            .prop_map(|(a, b)| json!({ "type": "number", "exclusiveMinimum": a, "exclusiveMaximum": a + b })),
        (1_i32..9).prop_map(|n| json!({ "type": "integer", "multipleOf": n })),
        "[a-z]{1,4}".prop_map(|word| json!({ "const": word })),
        proptest::collection::vec("[a-z]{1,3}", 1..4).prop_map(|words| json!({ "enum": words })),
        "\\^\\[a-f\\]\\{[1-9]\\}\\$".prop_map(|source| json!({ "type": "string", "pattern": source })),
        Just(json!({ "type": "boolean" })),
        Just(json!({ "type": ["null", "integer"] })),
        Just(json!({ "$ref": "#/$defs/shared" })),
        Just(json!({ "type": "string", "format": "date-time" })),
    ];
    let tree = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            (inner.clone(), 0_usize..3, any::<bool>()).prop_map(|(items, least, more)| {
                json!({ "type": "array", "items": items, "minItems": least, "maxItems": least + usize::from(more) })
            }),
            proptest::collection::vec(inner.clone(), 1..3).prop_map(|any| json!({ "anyOf": any })),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| objects(vec![(a, true), (b, false)], false)),
            proptest::collection::vec((inner, any::<bool>()), 0..4).prop_map(|all| objects(all, true)),
        ]
    });
    proptest::collection::vec((tree, any::<bool>()), 0..5).prop_map(|all| {
        let mut schema = objects(all, false);
        schema["$defs"] = json!({ "shared": { "type": "integer", "minimum": 2 } });
        schema
    })
}

fn objects(all: Vec<(Value, bool)>, closed: bool) -> Value {
    let name = |at: usize| format!("p{at}");
    let required: Vec<_> =
        all.iter().enumerate().filter(|(_, (_, must))| *must).map(|(at, _)| name(at)).collect();
    let properties: serde_json::Map<_, _> =
        all.into_iter().enumerate().map(|(at, (schema, _))| (name(at), schema)).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": !closed })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_made_is_accepted_and_what_is_wrong_refused(schema in schemas()) {

        let good = valid(&schema, NOW);
        prop_assert!(good.as_ref().is_some_and(|made| accepts(&schema, made)), "{schema}: {good:?}");
        let wrong = invalid(&schema, NOW);
        prop_assert!(wrong.iter().all(|w| !accepts(&schema, &w.arguments)));
        let demanding = schema["required"].as_array().is_some_and(|names| !names.is_empty());
        prop_assert!(!demanding || wrong.iter().any(|w| w.kind == Kind::Missing), "{schema}");
    }
}
