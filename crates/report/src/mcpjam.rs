//! The shape of MCPJam's result for MCP Apps, for tools that read it.

use serde_json::{Map, Value, json};
use suite::{Outcome, Report};

use crate::seeds::MCPJAM;
use crate::worst::{Answer, answer};

/// The report in the shape of MCPJam's `apps conformance --format json`.
///
/// `discovery` is there if the run found out how many tools and resources there are.
pub fn render(report: &Report) -> String {
    let checks: Vec<_> = MCPJAM.iter().map(|seed| check(&answer(seed, report))).collect();
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
    crate::json::pretty(&result)
}

fn check(answer: &Answer<'_>) -> Value {
    let seed = answer.seed;
    let said = answer.case.and_then(|case| case.actual.clone());
    let (status, skip, error) = match answer.case.map(|case| case.outcome) {
        None => ("skipped", Some("could-not-run"), Some("no check of this run answers it".to_owned())),
        Some(Outcome::Passed | Outcome::UnexpectedPass | Outcome::Warned) => ("passed", None, None),
        Some(Outcome::Failed | Outcome::KnownFailure) => ("failed", None, said),
        Some(Outcome::NotApplicable) if seed.demanded => ("failed", None, said),
        Some(Outcome::NotApplicable) => ("skipped", Some("not-applicable"), said),
        Some(Outcome::Blocked | Outcome::Broke) => ("skipped", Some("could-not-run"), said),
    };
    let mut check = json!({
        "id": seed.id,
        "category": seed.category,
        "title": seed.title,
        "description": seed.about,
        "status": status,
        "durationMs": answer.took_us() / 1000,
    });
    if let Some(reason) = skip {
        check["skipReason"] = json!(reason);
    }
    if let Some(message) = error {
        check["error"] = json!({ "message": message });
    }
    let mut ids: Vec<_> = answer.cases.iter().map(|case| case.check.as_str()).collect();
    ids.dedup();
    check["details"] = json!({ "checks": ids });
    let warnings: Vec<_> = answer
        .cases
        .iter()
        .filter(|case| case.outcome == Outcome::Warned)
        .map(|case| format!("{}: {}", case.check, case.actual.as_deref().unwrap_or_default()))
        .collect();
    if !warnings.is_empty() {
        check["warnings"] = json!(warnings);
    }
    check
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
