//! The shapes of the two seeds.

use protocol::Version;
use serde_json::Value;
use suite::seeds::mcpjam::RULES;
use suite::{CaseReport, Level, Outcome, Report};

use crate::sample::{case, with};

fn of(check: &str, outcome: Outcome) -> CaseReport {
    let aliases = suite::by_id(check).unwrap().aliases.iter().map(|alias| (*alias).to_owned()).collect();
    CaseReport { aliases, ..case(check, Version::V2025_11_25, Level::Must, outcome) }
}

/// Every check that MCPJam's depend on, with this outcome.
fn apps(outcome: Outcome) -> Vec<CaseReport> {
    RULES.iter().flat_map(|rule| rule.checks).map(|id| of(id, outcome)).collect()
}

/// The same, all passed but one.
fn apps_but(check: &str, outcome: Outcome, actual: &str) -> Vec<CaseReport> {
    let mut cases = apps(Outcome::Passed);
    let case = cases.iter_mut().find(|case| case.check == check).unwrap();
    case.outcome = outcome;
    case.actual = Some(actual.to_owned());
    cases
}

fn mcpjam(report: &Report) -> Value {
    serde_json::from_str(&report::mcpjam::render(report)).unwrap()
}

#[test]
fn mcpjam_passes_what_passes() {
    let result = mcpjam(&with(apps(Outcome::Passed)));
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
    let result = mcpjam(&with(apps(Outcome::NotApplicable)));
    assert_eq!(result["outcome"], "failed");
    assert_eq!(result["checks"][0]["id"], "ui-tools-present");
    assert_eq!(result["checks"][0]["status"], "failed");
    assert_eq!(result["checks"][1]["skipReason"], "not-applicable");
    assert_eq!(result["summary"], "0/7 checks passed, 1 failed, 0 could not run, 6 not applicable");
}

#[test]
fn mcpjam_lets_the_worst_decide_and_never_passes_what_did_not_run() {
    let result = mcpjam(&with(apps_but("server/apps/content-html", Outcome::Failed, "no HTML")));
    assert_eq!(result["checks"][5]["status"], "failed");
    assert_eq!(result["checks"][5]["error"]["message"], "no HTML");
    let result = mcpjam(&with(vec![of("server/apps/tool-metadata-valid", Outcome::Passed)]));
    assert_eq!(result["passed"], false);
    assert_eq!(result["outcome"], "incomplete");
    assert!(result["incompleteReason"].as_str().unwrap().contains("ui-resources-readable"));
}

/// What the specification only recommends is a warning of ours, and a failure of theirs.
#[test]
fn mcpjam_is_stricter_where_it_is() {
    let cases = apps_but("server/apps/listed-media-type", Outcome::Warned, "text/html");
    let result = mcpjam(&with(cases));
    assert_eq!(result["checks"][3]["status"], "failed");
    assert_eq!(result["checks"][3]["warnings"][0], "server/apps/listed-media-type: text/html");
}

/// Its client drops a list in which one tool is malformed.
#[test]
fn mcpjam_cannot_look_at_what_its_client_drops() {
    let result =
        mcpjam(&with(apps_but("server/apps/tools-listed", Outcome::Failed, "a tool without a name")));
    assert_eq!(result["checks"][0]["error"]["message"], "a tool without a name");
    assert_eq!(result["checks"][1]["skipReason"], "could-not-run");
    let why = result["checks"][2]["error"]["message"].as_str().unwrap();
    assert!(why.contains("server/apps/tools-listed"), "{why}");
    assert_eq!(result["checks"][4]["status"], "passed");
}

#[test]
fn mcp_validator_names_every_test_that_a_run_answers() {
    let cases = suite::registry().map(|check| of(check.id, Outcome::Passed)).collect();
    let result: Value = serde_json::from_str(&report::validator::render(&with(cases))).unwrap();
    let named: Vec<_> =
        result["results"]["results"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(named, suite::seeds::validator::TESTS);
    assert_eq!(result["compliance_percentage"], 100.0);
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
