//! The shape of MCPJam's result for MCP Apps, for tools that read it.

use serde_json::{Map, Value, json};
use suite::seeds::mcpjam::{Rule, Verdict, judge};
use suite::{CaseReport, Outcome, Report};

use crate::Collection;
use crate::worst::worst;

/// The report in the shape of MCPJam's `apps conformance --format json`.
///
/// `discovery` is there if the run found out how many tools and resources there are.
pub fn render(report: &Report) -> String {
    crate::json::pretty(&result_of(report))
}

/// One result as it is; of several targets a list.
pub fn render_all(collection: &Collection) -> String {
    crate::json::one_or_list(collection, result_of)
}

fn result_of(report: &Report) -> Value {
    let checks: Vec<_> = judge(report).iter().map(|(rule, verdict)| check(report, rule, *verdict)).collect();
    let failed = count(&checks, "status", "failed");
    let unrun = count(&checks, "skipReason", "could-not-run");
    let outcome = match (failed, unrun) {
        (0, 0) => "passed",
        (0, _) => "incomplete",
        _ => "failed",
    };
    let mut result = json!({
        "passed": outcome == "passed",
        "outcome": outcome,
        "target": report.target.description,
    });
    if outcome == "incomplete" {
        let ids: Vec<_> = checks.iter().filter(|it| it["skipReason"] == "could-not-run").collect();
        let ids: Vec<_> = ids.iter().filter_map(|it| it["id"].as_str()).collect();
        result["incompleteReason"] = json!(format!("could not run: {}", ids.join(", ")));
    }
    if let Some(newest) = report.cases.iter().map(|case| case.protocol).max() {
        result["protocolVersion"] = json!(newest);
    }
    result["summary"] = json!(summary(&checks));
    result["categorySummary"] = categories(&checks);
    result["durationMs"] = json!(report.took_ms);
    if let Some(survey) = &report.survey {
        result["discovery"] = json!({
            "toolCount": survey.tools,
            "uiToolCount": survey.ui_tools,
            "listedResourceCount": survey.resources,
            "listedUiResourceCount": survey.ui_resources,
            "checkedUiResourceCount": survey.interfaces,
        });
    }
    result["checks"] = json!(checks);
    result
}

fn check(report: &Report, rule: &Rule, verdict: Option<Verdict>) -> Value {
    let of_rule = |case: &&CaseReport| rule.checks.contains(&case.check.as_str());
    let cases: Vec<_> = report.cases.iter().filter(of_rule).collect();
    let (status, skip) = match verdict {
        Some(Verdict::Passed) => ("passed", None),
        Some(Verdict::Failed) => ("failed", None),
        Some(Verdict::NotApplicable) => ("skipped", Some("not-applicable")),
        Some(Verdict::CouldNotRun) | None => ("skipped", Some("could-not-run")),
    };
    let took: u64 = cases.iter().map(|case| case.took_us).sum();
    let mut check = json!({
        "id": rule.id,
        "category": rule.category,
        "title": rule.title,
        "description": rule.about,
        "status": status,
        "durationMs": took / 1000,
    });
    if let Some(reason) = skip {
        check["skipReason"] = json!(reason);
    }
    if status != "passed" {
        check["error"] = json!({ "message": reason_of(rule, &cases) });
    }
    let mut ids: Vec<_> = cases.iter().map(|case| case.check.as_str()).collect();
    ids.dedup();
    check["details"] = json!({ "checks": ids });
    let warnings: Vec<_> = cases
        .iter()
        .filter(|case| case.outcome == Outcome::Warned)
        .map(|case| format!("{}: {}", case.check, case.actual.as_deref().unwrap_or_default()))
        .collect();
    if !warnings.is_empty() {
        check["warnings"] = json!(warnings);
    }
    check
}

/// Why it did not pass: the reason of the worst case, or why it did not run.
fn reason_of(rule: &Rule, cases: &[&CaseReport]) -> String {
    match (worst(cases), rule.needs) {
        (None, _) => "no check of this run answers it".to_owned(),
        (Some(CaseReport { actual: Some(actual), .. }), _) => actual.clone(),
        (Some(_), Some(needed)) => format!("nothing can be said as long as {needed} is not right"),
        (Some(_), None) => "something stood in the way".to_owned(),
    }
}

fn count(checks: &[Value], member: &str, value: &str) -> usize {
    checks.iter().filter(|check| check[member] == value).count()
}

fn summary(checks: &[Value]) -> String {
    format!(
        "{}/{} checks passed, {} failed, {} could not run, {} not applicable",
        count(checks, "status", "passed"),
        checks.len(),
        count(checks, "status", "failed"),
        count(checks, "skipReason", "could-not-run"),
        count(checks, "skipReason", "not-applicable"),
    )
}

fn categories(checks: &[Value]) -> Value {
    let mut categories = Map::new();
    for category in ["tools", "resources"] {
        let of: Vec<_> = checks.iter().filter(|check| check["category"] == category).cloned().collect();
        categories.insert(
            category.to_owned(),
            json!({
                "total": of.len(),
                "passed": count(&of, "status", "passed"),
                "failed": count(&of, "status", "failed"),
                "skipped": count(&of, "status", "skipped"),
                "couldNotRun": count(&of, "skipReason", "could-not-run"),
            }),
        );
    }
    Value::Object(categories)
}
