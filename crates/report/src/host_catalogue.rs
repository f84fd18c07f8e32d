//! The shape of the results that the public catalogue of host requirements collects, for those who compare hosts.

use serde_json::{Value, json};
use suite::seeds::host_catalogue::{CatalogueRow, ROWS, UNTESTABLE};
use suite::{CaseReport, Outcome, Report};

use crate::Collection;
use crate::text;
use crate::worst::worst;

/// Every status that the catalogue has.
const STATUSES: [&str; 5] = ["PASS", "FAIL", "TIMEOUT", "SKIP", "NOTRUN"];

/// The report as a results file of the catalogue: one result for each of its rows.
///
/// What does not apply, and what no check can see, is `SKIP`; what could not be tested, and what no check of the run answers,
/// is `NOTRUN`. Neither counts as passed.
pub fn render(report: &Report) -> String {
    crate::json::pretty(&result_of(report))
}

/// One result as it is; of several targets a list.
pub fn render_all(collection: &Collection) -> String {
    crate::json::one_or_list(collection, result_of)
}

fn result_of(report: &Report) -> Value {
    let results: Vec<Value> = ROWS.iter().map(|row| result(report, row)).collect();
    let count = |status: &str| results.iter().filter(|result| result["status"] == status).count();
    let counts: serde_json::Map<String, Value> =
        STATUSES.iter().map(|status| ((*status).to_owned(), count(status).into())).collect();
    let info =
        report.target.name.as_ref().map(|name| json!({ "name": name, "version": report.target.version }));
    json!({
        "host": text::name(report),
        "appName": "yardstick",
        "hostInfo": info,
        "capturedAt": report.target.at,
        "counts": counts,
        "results": results,
    })
}

fn result(report: &Report, row: &CatalogueRow) -> Value {
    let answers = |case: &&CaseReport| case.aliases.iter().any(|alias| alias == row.id);
    let cases: Vec<_> = report.cases.iter().filter(answers).collect();
    let (name, status, message) = match worst(&cases) {
        Some(case) => (case.title.as_str(), status_of(case.outcome), message_of(case)),
        None => match UNTESTABLE.iter().find(|(id, _)| *id == row.id) {
            Some((_, why)) => (row.id, "SKIP", Some((*why).to_owned())),
            None => (row.id, "NOTRUN", Some("no check of this run answers it".to_owned())),
        },
    };
    let took: u64 = cases.iter().map(|case| case.took_us).sum();
    let mut result = json!({
        "id": row.id,
        "name": name,
        "status": status,
        "vantage": row.vantage,
        "manual": row.is_manual,
        "clause": row.clause,
        "durationMs": took / 1000,
    });
    if let Some(message) = message {
        result["message"] = message.into();
    }
    result
}

const fn status_of(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed | Outcome::UnexpectedPass => "PASS",
        Outcome::Failed | Outcome::Warned | Outcome::KnownFailure => "FAIL",
        Outcome::NotApplicable => "SKIP",
        Outcome::Blocked | Outcome::Broke => "NOTRUN",
    }
}

/// What a reader has to know about anything that did not pass.
fn message_of(case: &CaseReport) -> Option<String> {
    let actual = case.actual.as_deref()?;
    Some(match &case.expected {
        Some(expected) => format!("expected {expected}, got {actual} ({})", case.check),
        None => format!("{actual} ({})", case.check),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(check: &str, outcome: Outcome) -> CaseReport {
        let check = suite::by_id(check).unwrap();
        let version = protocol::Version::V2025_11_25;
        let level = check.level(version).unwrap();
        let case = suite::Case { check, version, transport: transport::Transport::Stdio, level };
        let mut report = CaseReport::new(&case, &Ok(()), std::time::Duration::from_millis(3));
        report.outcome = outcome;
        report.actual = (outcome != Outcome::Passed).then(|| "a reason".to_owned());
        report
    }

    #[test]
    fn every_row_has_a_result_and_the_counts_add_up() {
        let cases = vec![
            case("host/handshake/answered", Outcome::Passed),
            case("host/visibility/model-only-refused", Outcome::Failed),
            case("host/data/cancelled-told", Outcome::NotApplicable),
            case("host/data/result-exact", Outcome::Blocked),
        ];
        let told = result_of(&Report { cases, ..Report::default() });
        let status = |id: &str| {
            let results = told["results"].as_array().unwrap();
            results.iter().find(|result| result["id"] == id).unwrap()["status"].clone()
        };
        assert_eq!(status("lifecycle/initialize-capabilities"), "PASS");
        assert_eq!(status("visibility/app-tool-call-guard"), "FAIL");
        assert_eq!(status("lifecycle/tool-cancelled"), "SKIP");
        assert_eq!(status("lifecycle/tool-result"), "NOTRUN");
        assert_eq!(status("messages/consent"), "SKIP");
        assert_eq!(status("tools/proxy-call"), "NOTRUN");
        let counted: u64 = STATUSES.iter().map(|status| told["counts"][status].as_u64().unwrap()).sum();
        assert_eq!(usize::try_from(counted).unwrap(), ROWS.len());
        assert_eq!(told["counts"]["PASS"], 1);
    }
}
