//! Formats for machines: JSON, NDJSON and SARIF.

use jsonschema::Validator;
use serde_json::{Value, json};
use suite::{Outcome, Report};

use crate::sample::{everything, hostile};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/report.schema.json")).unwrap()
}

fn lines() -> Validator {
    let mut schema = schema();
    let event =
        json!({ "$schema": schema["$schema"], "$ref": "#/$defs/event", "$defs": schema["$defs"].take() });
    jsonschema::validator_for(&event).unwrap()
}

#[test]
fn json() {
    insta::assert_snapshot!(report::json::render(&everything()));
}

#[test]
fn json_keeps_to_the_published_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for report in [everything(), hostile(), Report::default()] {
        let document: Value = serde_json::from_str(&report::json::render(&report)).unwrap();
        let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let sound: Value = serde_json::from_str(&report::json::render(&everything())).unwrap();
    for (pointer, value) in [
        ("/schemaVersion", json!(2)),
        ("/verdict", json!("fine")),
        ("/cases/0/outcome", json!("skipped")),
        ("/cases/1/expected", Value::Null),
        ("/cases/0/protocol", json!("2025-01-01")),
        ("/counts/passed", json!(-1)),
    ] {
        let mut broken = sound.clone();
        *broken.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&broken), "{pointer}");
    }
}

#[test]
fn ndjson_is_an_event_a_line_and_keeps_to_the_schema() {
    let text = report::ndjson::render(&everything());
    let validator = lines();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for event in &events {
        let errors: Vec<_> = validator.iter_errors(event).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{event}: {errors:#?}");
    }
    assert_eq!(events.first().unwrap()["event"], "reached");
    assert_eq!(events.last().unwrap()["verdict"], "not-conformant");
    assert_eq!(events.iter().filter(|event| event["event"] == "finished").count(), everything().cases.len());
}

#[test]
fn sarif() {
    insta::assert_snapshot!(report::sarif::render(&everything()));
}

/// The essentials of SARIF 2.1.0, and what code scanning wants besides.
#[test]
fn sarif_has_what_readers_of_it_rely_on() {
    for report in [everything(), hostile(), Report::default()] {
        let log: Value = serde_json::from_str(&report::sarif::render(&report)).unwrap();
        assert_eq!(log["version"], "2.1.0");
        assert!(log["$schema"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["name"], "yardstick");
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        for rule in rules {
            assert!(rule["helpUri"].as_str().unwrap().starts_with("https://"), "{rule}");
            assert!(rule["shortDescription"]["text"].is_string() && rule["help"]["text"].is_string());
            let same = rules.iter().filter(|other| other["id"] == rule["id"]).count();
            assert_eq!(same, 1, "{rule}");
        }
        for result in run["results"].as_array().unwrap() {
            let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
            assert_eq!(result["ruleId"], rule["id"]);
            assert!(["error", "warning", "note", "none"].contains(&result["level"].as_str().unwrap()));
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            let place = &result["locations"][0]["physicalLocation"];
            assert!(!place["artifactLocation"]["uri"].as_str().unwrap().starts_with('/'));
            assert!(result["partialFingerprints"].as_object().is_some_and(|prints| !prints.is_empty()));
        }
        let violated = |outcome| matches!(outcome, Outcome::Failed | Outcome::Warned | Outcome::KnownFailure);
        let found = report.cases.iter().any(|case| violated(case.outcome));
        assert_eq!(found, !run["results"].as_array().unwrap().is_empty());
    }
}

#[test]
fn sarif_suppresses_what_is_known_and_notes_what_could_not_be_tested() {
    let log: Value = serde_json::from_str(&report::sarif::render(&everything())).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let known: Vec<_> = results.iter().filter(|result| result["ruleId"] == "server/tools/d").collect();
    assert_eq!(known[0]["suppressions"][0]["kind"], "external");
    let notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notes.contains("server/resources/e") && notes.contains("server/resources/f"), "{notes}");
}
