//! Schemas that were made to never end.

use std::time::{Duration, Instant};

use protocol::Version;
use serde_json::{Map, Value, json};

use super::*;
use crate::arguments;

const NOW: Version = Version::V2025_11_25;
/// No schema may take longer, on a machine that is busy.
const LIMIT: Duration = Duration::from_secs(20);

/// `levels` definitions, each of which refers to the next one twice.
fn doubling(word: &str, levels: usize) -> Value {
    let mut defs = Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/l{}", level + 1) });
        defs.insert(format!("l{level}"), json!({ word: [next, next] }));
    }
    defs.insert(format!("l{levels}"), json!({ "type": "object" }));
    json!({ "type": "object", "$defs": defs, "$ref": "#/$defs/l0" })
}

/// A tree of which every member is judged twice.
fn doubling_by_depth() -> Value {
    let twice = json!({ "allOf": [{ "$ref": "#/$defs/n" }, { "$ref": "#/$defs/n" }] });
    json!({ "$defs": { "n": { "properties": { "a": twice } } }, "$ref": "#/$defs/n", "type": "object" })
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(
        json!({ "type": "object" }),
        |inner, _| json!({ "properties": { "a": inner }, "required": ["a"] }),
    )
}

fn chain(length: usize) -> Value {
    let defs: Map<String, Value> = (0..length)
        .map(|n| (format!("d{n}"), json!({ "$ref": format!("#/$defs/d{}", n + 1) })))
        .chain([(format!("d{length}"), json!({ "type": "object" }))])
        .collect();
    json!({ "$ref": "#/$defs/d0", "$defs": defs })
}

#[tokio::test]
async fn a_pattern_that_is_none_is_told_once() {
    let draft_07 = "http://json-schema.org/draft-07/schema#";
    for dialect in [json!({}), json!({ "$schema": draft_07 })] {
        let schema = |place: &str, value: Value| {
            let mut schema = dialect.clone();
            schema["type"] = json!("object");
            schema["properties"] = json!({ "a": { "items": { place: value } } });
            schema
        };
        for (place, value) in [("pattern", json!("^[a-z")), ("patternProperties", json!({ "^[a-z": {} }))] {
            let broken = schema(place, value);
            assert_eq!(flaw(&broken, NOW).await.unwrap(), None, "{broken}");
            assert!(broken_pattern(&broken).await.unwrap().is_some(), "{broken}");
        }
        let sound = schema("pattern", json!("(?<=a+)[^]"));
        assert_eq!((flaw(&sound, NOW).await.unwrap(), broken_pattern(&sound).await.unwrap()), (None, None));
        assert!(flaw(&schema("pattern", json!(7)), NOW).await.unwrap().is_some());
    }
    let other = json!({ "type": "object", "default": { "pattern": "[" }, "properties": { "pattern": {} } });
    assert_eq!(broken_pattern(&other).await.unwrap(), None);
}

fn text(keywords: &Value) -> Value {
    json!({ "type": "object", "required": ["s"], "properties": { "s": keywords } })
}

/// Schemas that attack, and whether they are beyond judgement.
#[expect(clippy::too_many_lines, reason = "a table of attacks, one a line or two")]
fn attacks() -> Vec<(&'static str, Value, bool)> {
    let names: Vec<String> = (0..100_000).map(|n| format!("n{n}")).collect();
    let some: Vec<String> = (0..5_000).map(|n| format!("n{n}")).collect();
    vec![
        ("allOf", doubling("allOf", 40), true),
        ("anyOf", doubling("anyOf", 40), true),
        ("oneOf", doubling("oneOf", 40), true),
        (
            "wide allOf",
            json!({ "allOf": vec![json!({ "$ref": "#/$defs/a" }); 200], "$defs": {
            "a": { "allOf": vec![json!({ "$ref": "#/$defs/b" }); 200] }, "b": { "allOf": vec![json!({ "type": "object" }); 200] } } }),
            true,
        ),
        ("itself", json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }] }), true),
        (
            "two in a circle",
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/b" }, { "$ref": "#/$defs/b" }] },
            "b": { "anyOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/a" }] } } }),
            true,
        ),
        (
            "$dynamicRef",
            json!({ "$dynamicAnchor": "x", "allOf": [{ "$dynamicRef": "#x" }, { "$dynamicRef": "#x" }] }),
            true,
        ),
        ("deep", nested(60), true),
        ("chain", chain(3_000), true),
        ("required", json!({ "type": "object", "required": names }), true),
        ("enum", text(&json!({ "enum": names })), true),
        ("enums", text(&json!({ "allOf": [{ "enum": some }, { "enum": some }, { "enum": some }] })), true),
        ("pattern of repetitions", text(&json!({ "pattern": "((a{900}){900}){900}" })), true),
        ("pattern that looks around", text(&json!({ "pattern": "(?=((a{900}){900}){900})" })), true),
        ("long pattern", text(&json!({ "pattern": "a|".repeat(100_000) })), true),
        (
            "pattern that goes back",
            text(
                &json!({ "type": "string", "pattern": "^(?=a)(a|aa)+$(?!b)", "examples": [format!("{}b", "a".repeat(200))] }),
            ),
            false,
        ),
        (
            "minItems",
            json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "array", "minItems": 1_000_000_000 } } }),
            false,
        ),
        ("minLength", text(&json!({ "type": "string", "minLength": 1_000_000_000 })), false),
        ("minProperties", json!({ "type": "object", "minProperties": 1_000_000_000 }), false),
        ("multipleOf", text(&json!({ "type": "number", "multipleOf": 1e-300, "minimum": 1e300 })), false),
        ("wide arrays", text(&json!({ "$ref": "#/$defs/a", "minItems": 64 })), false),
        (
            "members of members",
            json!({ "type": "object", "minProperties": 64, "additionalProperties": { "$ref": "#" } }),
            true,
        ),
        (
            "many patterns",
            json!({ "type": "object", "minProperties": 64, "patternProperties":
            (0..400).map(|n| (format!("^x{n}[a-z]{{200}}$"), json!({}))).collect::<Map<_, _>>() }),
            true,
        ),
        (
            "heavy constants",
            json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "array",
            "minItems": 64, "items": { "type": "array", "minItems": 64, "items": { "const": "x".repeat(60_000) } } } } }),
            true,
        ),
    ]
}

#[tokio::test]
async fn what_attacks_is_refused_in_time() {
    for (name, schema, beyond) in attacks() {
        let start = Instant::now();
        let made = arguments::valid(&schema, NOW).await;
        let wrong = arguments::invalid(&schema, NOW).await;
        let flaw = flaw(&schema, NOW).await;
        assert_eq!(made.is_err() || wrong.is_err() || flaw.is_err(), beyond, "{name}: {made:?}");
        assert!(start.elapsed() < LIMIT, "{name} took {:?}", start.elapsed());
    }
}

#[tokio::test]
async fn an_instance_can_be_what_makes_it_endless() {
    let schema = doubling_by_depth();
    let deep = (0..60).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert_eq!(complaint(&schema, NOW, &deep).await, Err(TooComplex::Steps));
    assert_eq!(complaint(&schema, NOW, &json!({ "a": { "a": {} } })).await, Ok(None));
}

#[tokio::test]
async fn ordinary_schemas_are_judged() {
    let tree = json!({ "type": "object", "properties": { "name": { "type": "string" },
        "children": { "type": "array", "items": { "$ref": "#" } } }, "required": ["name"] });
    let branch = (0..20).fold(
        json!({ "name": "leaf" }),
        |inner, _| json!({ "name": "x", "children": [inner, { "name": "y" }] }),
    );
    assert_eq!(complaint(&tree, NOW, &branch).await, Ok(None));
    let wrong = complaint(&tree, NOW, &json!({ "name": "x", "children": [{}] })).await.unwrap().unwrap();
    assert!(wrong.contains("/children/0"), "{wrong}");
    // As large as those of the largest servers.
    let properties: Map<String, Value> = (0..1_000)
        .map(|n| {
            (
                format!("p{n}"),
                json!({ "type": "string", "description": "a few words about it", "maxLength": 200 }),
            )
        })
        .collect();
    let large = json!({ "type": "object", "properties": properties, "required": ["p1", "p999"] });
    assert_eq!(flaw(&large, NOW).await, Ok(None));
    assert!(arguments::valid(&large, NOW).await.unwrap().is_some());
}

#[tokio::test]
async fn what_a_complaint_repeats_is_cut() {
    let schema = json!({ "type": "object" });
    let long = complaint(&schema, NOW, &json!("x".repeat(100_000))).await.unwrap().unwrap();
    assert!(long.chars().count() < 2 * MAX_SHOWN_CHARS + 10, "{}", long.len());
}
