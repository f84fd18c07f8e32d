//! The shapes of the two seeds.

use protocol::Version;
use serde_json::Value;
use suite::{CaseReport, Counts, Level, Outcome, Report};

use crate::sample::{case, everything};

fn with(cases: Vec<CaseReport>) -> Report {
    let counts = Counts::of(cases.iter().map(|case| case.outcome));
    Report { cases, counts, ..everything() }
}

fn of(check: &str, outcome: Outcome) -> CaseReport {
    case(check, Version::V2025_11_25, Level::Must, outcome)
}

const APPS: [&str; 9] = [
    "server/apps/uri-scheme",
    "server/apps/tool-metadata-valid",
    "server/apps/resource-exists",
    "server/apps/content-media-type",
    "server/apps/content-html",
    "server/apps/one-content",
    "server/apps/resource-metadata-valid",
    "server/apps/negotiated-only",
    "server/tools/schema-valid",
];

fn mcpjam(report: &Report) -> Value {
    serde_json::from_str(&report::mcpjam::render(report)).unwrap()
}

#[test]
fn mcpjam_passes_what_passes() {
    let result = mcpjam(&with(APPS.map(|id| of(id, Outcome::Passed)).into()));
    assert_eq!(result["passed"], true);
    assert_eq!(result["outcome"], "passed");
    assert_eq!(result["summary"], "7/7 checks passed, 0 failed, 0 could not run, 0 not applicable");
    assert_eq!(result["categorySummary"]["tools"]["total"], 3);
    assert_eq!(result["categorySummary"]["resources"]["passed"], 4);
    assert_eq!(result["checks"].as_array().unwrap().len(), 7);
    assert_eq!(result["discovery"]["uiToolCount"], 2);
    assert_eq!(result["discovery"]["checkedUiResourceCount"], 2);
}

#[test]
fn mcpjam_fails_a_server_without_user_interfaces() {
    let result = mcpjam(&with(APPS.map(|id| of(id, Outcome::NotApplicable)).into()));
    assert_eq!(result["outcome"], "failed");
    assert_eq!(result["checks"][0]["id"], "ui-tools-present");
    assert_eq!(result["checks"][0]["status"], "failed");
    assert_eq!(result["checks"][1]["skipReason"], "not-applicable");
    assert_eq!(result["summary"], "0/7 checks passed, 1 failed, 0 could not run, 6 not applicable");
}

#[test]
fn mcpjam_lets_the_worst_decide_and_never_passes_what_did_not_run() {
    let mut cases: Vec<_> = APPS.map(|id| of(id, Outcome::Passed)).into();
    cases[4].outcome = Outcome::Failed;
    cases[4].actual = Some("no HTML".to_owned());
    let result = mcpjam(&with(cases));
    assert_eq!(result["checks"][5]["status"], "failed");
    assert_eq!(result["checks"][5]["error"]["message"], "no HTML");
    let result = mcpjam(&with(vec![of("server/apps/tool-metadata-valid", Outcome::Passed)]));
    assert_eq!(result["passed"], false);
    assert_eq!(result["outcome"], "incomplete");
    assert!(result["incompleteReason"].as_str().unwrap().contains("ui-resources-readable"));
}

#[test]
fn mcp_validator_counts_what_ran() {
    let report = with(vec![
        of("server/tools/schema-valid", Outcome::Passed),
        of("server/tools/arguments-checked", Outcome::Failed),
        of("server/prompts/messages-present", Outcome::NotApplicable),
        of("server/lifecycle/ping-answered", Outcome::Blocked),
    ]);
    let result: Value = serde_json::from_str(&report::validator::render(&report)).unwrap();
    let named = |name: &str| {
        let all = result["results"]["results"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).cloned().unwrap_or_default()
    };
    assert_eq!(result["timestamp"], "20260728_123456");
    assert_eq!(named("test_tool_schema_validation")["passed"], true);
    assert_eq!(named("test_invalid_tool_arguments")["passed"], false);
    assert_eq!(named("test_prompts_capability")["skipped"], true);
    assert_eq!(named("test_enhanced_ping_validation")["passed"], false);
    assert_eq!(named("test_stdio_transport_requirements"), Value::Null);
    let number = |name: &str| result[name].as_u64().unwrap();
    assert_eq!(number("total_tests"), number("passed_tests") + number("failed_tests"));
    assert_eq!(result["results"]["skipped"], 1);
    assert_eq!(result["compliance_status"], "❌ Non-Compliant");
}
