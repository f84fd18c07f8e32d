//! Formats for machines: JSON, NDJSON and SARIF.

use jsonschema::Validator;
use report::Collection;
use serde_json::{Value, json};
use suite::{Basis, Outcome, Report};

use crate::sample::{everything, folded, gaps, hostile, other, unreached};

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
    let single = [everything(), hostile(), Report::default(), folded(Outcome::Failed), gaps(), unreached()];
    let several = Collection::new([everything(), other(), unreached()]);
    let texts = single.iter().map(report::json::render).chain([report::json::render_all(&several)]);
    for text in texts {
        let document: Value = serde_json::from_str(&text).unwrap();
        let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

/// Every member that is written is described; a schema that forgets one still accepts it.
#[test]
fn the_schema_describes_every_member() {
    let schema = schema();
    let mut full = gaps();
    let mut case = everything().cases[1].clone();
    case.known = Some("known".to_owned());
    case.because = Some("server/tools/a".to_owned());
    case.aliases = vec!["a".to_owned()];
    case.frames[1] = case.frames[1].clone().with_header("A", "b");
    case.frames[1].at = Some(1);
    case.frames[1].bytes = Some(9);
    full.cases.push(case);
    full.unreached = Some("why".to_owned());
    let document: Value = serde_json::from_str(&report::json::render(&full)).unwrap();
    let defs = &schema["$defs"];
    for (value, definition) in [
        (&document, &defs["report"]),
        (&document["target"], &defs["target"]),
        (&document["cases"][1], &defs["case"]),
        (&document["cases"][1]["frames"][1], &defs["frame"]),
        (&document["revisions"][1], &defs["revisionReport"]),
        (&document["unsettled"][0], &defs["unsettled"]),
        (&document["planned"][0], &defs["planned"]),
        (&document["unusedEntries"][0], &defs["unusedEntry"]),
    ] {
        let described = definition["properties"].as_object().unwrap();
        for member in value.as_object().unwrap().keys() {
            assert!(described.contains_key(member), "{member}");
        }
    }
}

#[test]
fn json_has_a_verdict_for_every_revision() {
    let document: Value = serde_json::from_str(&report::json::render(&everything())).unwrap();
    assert_eq!(document["revisions"][0]["protocol"], "2025-06-18");
    assert_eq!(document["revisions"][0]["verdict"], "not-conformant");
    assert_eq!(document["revisions"][0]["findings"], json!(["server/tools/b"]));
    assert_eq!(document["revisions"][0]["counts"]["failed"], 1);
    let events = report::ndjson::render(&everything());
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!(last["revisions"], document["revisions"]);
    let log: Value = serde_json::from_str(&report::sarif::render(&everything())).unwrap();
    assert_eq!(log["runs"][0]["properties"]["revisions"], document["revisions"]);
}

#[test]
fn several_targets_have_one_verdict_and_a_report_each() {
    let both = Collection::new([other(), everything()]);
    let document: Value = serde_json::from_str(&report::json::render_all(&both)).unwrap();
    assert_eq!(document["verdict"], "not-conformant");
    assert_eq!(document["reports"][0]["verdict"], "conformant");
    let log: Value = serde_json::from_str(&report::sarif::render_all(&both)).unwrap();
    assert_eq!(log["runs"].as_array().unwrap().len(), 2);
    for text in [report::mcpjam::render_all(&both), report::validator::render_all(&both)] {
        assert_eq!(serde_json::from_str::<Vec<Value>>(&text).unwrap().len(), 2);
    }
    assert_eq!(Collection::new([other(), unreached()]).verdict(), suite::Conclusion::Incomplete);
}

#[test]
fn machines_are_told_what_is_only_defined() {
    let mut report = everything();
    report.cases[1].basis = Basis::Defined;
    report.cases[2].basis = Basis::Defined;
    let document: Value = serde_json::from_str(&report::json::render(&report)).unwrap();
    assert_eq!(document["cases"][1]["basis"], "defined");
    assert_eq!(document["cases"][0]["basis"], "stated");
    let log: Value = serde_json::from_str(&report::sarif::render(&report)).unwrap();
    let help = log["runs"][0]["tool"]["driver"]["rules"][0]["help"]["text"].as_str().unwrap();
    assert!(help.contains("Level: DEFINED, defined by the schema"), "{help}");
}

#[test]
fn sarif_says_what_kept_a_run_from_being_whole() {
    for (report, parts) in [
        (gaps(), &["2026-07-28 is not settled", "the run was interrupted"][..]),
        (unreached(), &["nothing was measured: cannot reach 127.0.0.1:9"]),
    ] {
        let log: Value = serde_json::from_str(&report::sarif::render(&report)).unwrap();
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let notes = invocation["toolExecutionNotifications"].to_string();
        assert!(parts.iter().all(|part| notes.contains(part)), "{notes}");
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
    let validator = lines();
    for line in [gaps(), unreached()].iter().map(report::ndjson::render).collect::<String>().lines() {
        let errors: Vec<_> =
            validator.iter_errors(&serde_json::from_str(line).unwrap()).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:#?}");
    }
    let text = report::ndjson::render(&everything());
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
