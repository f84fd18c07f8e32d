//! The shape of mcp-validator's JSON report, for tools that read it.

use serde_json::{Value, json};
use suite::seeds::validator::TESTS;
use suite::{CaseReport, Outcome, Report};

use crate::Collection;
use crate::text;
use crate::worst::worst;

/// The report in the shape of mcp-validator's `compliance_report --json`.
///
/// Tests that no check of the run answers are left out. One that does not apply is marked as skipped, and counts neither
/// as passed nor as failed.
pub fn render(report: &Report) -> String {
    crate::json::pretty(&result_of(report))
}

/// One result as it is; of several targets a list.
pub fn render_all(collection: &Collection) -> String {
    crate::json::one_or_list(collection, result_of)
}

fn result_of(report: &Report) -> Value {
    let results: Vec<_> = TESTS.iter().filter_map(|test| result(report, test)).collect();
    let skipped = results.iter().filter(|result| result["skipped"] == true).count();
    let passed = results.iter().filter(|result| result["passed"] == true).count() - skipped;
    let failed = results.len() - skipped - passed;
    let total = passed + failed;
    let percentage = if total == 0 { 0.0 } else { ratio(passed, total) * 100.0 };
    let status = match failed {
        0 if total > 0 => "✅ Fully Compliant",
        _ if percentage >= 80.0 => "⚠️ Mostly Compliant",
        _ => "❌ Non-Compliant",
    };
    json!({
        "server": text::name(report),
        "protocol_version": protocols(report),
        "timestamp": report.target.at.as_deref().map(stamp),
        "validator": "yardstick",
        "total_tests": total,
        "passed_tests": passed,
        "failed_tests": failed,
        "compliance_percentage": percentage,
        "compliance_status": status,
        "results": {
            "results": results,
            "total": total,
            "passed": passed,
            "failed": failed,
            "skipped": skipped,
            "timeouts": 0,
        },
    })
}

/// The result of a test, which is the worst of the checks that answer it. The report names these checks, so that a report
/// saved by another release keeps its meaning.
fn result(report: &Report, test: &str) -> Option<Value> {
    let answers = |case: &&CaseReport| case.aliases.iter().any(|alias| alias == test);
    let cases: Vec<_> = report.cases.iter().filter(answers).collect();
    let case = worst(&cases)?;
    let took = cases.iter().map(|case| case.took_us).sum();
    let place = format!("{} in {} over {}", case.check, case.protocol, case.transport);
    let said = case.actual.as_deref().unwrap_or(&case.title);
    let (passed, message) = match case.outcome {
        Outcome::Passed | Outcome::UnexpectedPass => (true, case.title.clone()),
        Outcome::Warned => (true, format!("warning: {said} ({place})")),
        Outcome::NotApplicable => (true, format!("not applicable: {said}")),
        Outcome::Failed | Outcome::KnownFailure => (false, format!("{said} ({place})")),
        Outcome::Blocked | Outcome::Broke => (false, format!("could not be tested: {said} ({place})")),
    };
    let mut result = json!({
        "name": test,
        "passed": passed,
        "message": message,
        "duration": std::time::Duration::from_micros(took).as_secs_f64(),
    });
    if case.outcome == Outcome::NotApplicable {
        result["skipped"] = json!(true);
    }
    Some(result)
}

fn protocols(report: &Report) -> String {
    let mut versions: Vec<_> = report.cases.iter().map(|case| case.protocol).collect();
    versions.sort_unstable();
    versions.dedup();
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// `2026-07-28T12:34:56Z` as `20260728_123456`.
fn stamp(at: &str) -> String {
    at.replace(['-', ':', 'Z'], "").replace('T', "_")
}

fn ratio(part: usize, whole: usize) -> f64 {
    let float = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    float(part) / float(whole)
}
