//! Every format, on a report that has every outcome.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

extern crate yardstick_report as report;

use protocol::Version;
use suite::{CaseReport, Counts, Excerpt, Level, Outcome, Party, Report, TargetReport};

fn case(check: &str, protocol: Version, level: Level, outcome: Outcome) -> CaseReport {
    let violated = matches!(outcome, Outcome::Failed | Outcome::Warned | Outcome::KnownFailure);
    CaseReport {
        check: check.to_owned(),
        section: check.split('/').nth(1).unwrap().to_owned(),
        title: "what holds when it passes".to_owned(),
        protocol,
        transport: "stdio".to_owned(),
        level,
        outcome,
        expected: violated.then(|| "error -32602".to_owned()),
        actual: (outcome != Outcome::Passed).then(|| match outcome {
            Outcome::NotApplicable => "no UI tools".to_owned(),
            Outcome::Blocked => "the server does not answer".to_owned(),
            _ => "a result".to_owned(),
        }),
        frames: if violated { frames() } else { Vec::new() },
        why: "somebody is hurt".to_owned(),
        fix: "do it right".to_owned(),
        spec: vec!["https://modelcontextprotocol.io/specification/2025-11-25/server/tools".to_owned()],
        aliases: Vec::new(),
        took_us: 1200,
    }
}

fn frames() -> Vec<Excerpt> {
    let long = format!(r#"{{"jsonrpc":"2.0","id":41,"result":{{"text":"{}"}}}}"#, "x".repeat(300));
    vec![
        Excerpt::of(Party::Client, br#"{"jsonrpc":"2.0","id":41,"method":"tools/call"}"#),
        Excerpt::of(Party::Server, long.as_bytes()),
    ]
}

fn everything() -> Report {
    use Version::{V2025_06_18, V2025_11_25};
    let cases = vec![
        case("server/lifecycle/a", V2025_11_25, Level::Must, Outcome::Passed),
        case("server/tools/b", V2025_06_18, Level::Must, Outcome::Failed),
        case("server/tools/b", V2025_11_25, Level::Must, Outcome::Failed),
        case("server/tools/c", V2025_11_25, Level::Should, Outcome::Warned),
        case("server/tools/d", V2025_11_25, Level::Must, Outcome::KnownFailure),
        case("server/resources/e", V2025_11_25, Level::Must, Outcome::Blocked),
        case("server/resources/f", V2025_11_25, Level::Must, Outcome::Broke),
        case("server/prompts/g", V2025_11_25, Level::Must, Outcome::UnexpectedPass),
        case("server/apps/h", V2025_11_25, Level::Must, Outcome::NotApplicable),
    ];
    Report {
        target: TargetReport {
            description: "node server.js".to_owned(),
            arguments: "-- node server.js".to_owned(),
            transport: "stdio".to_owned(),
            speaks: vec![V2025_06_18, V2025_11_25],
            name: Some("my-server".to_owned()),
            version: Some("1.4.0".to_owned()),
        },
        counts: Counts::of(cases.iter().map(|case| case.outcome)),
        cases,
        took_ms: 1234,
    }
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn human() {
    insta::assert_snapshot!(plain(&report::human::render(&everything())));
}

#[test]
fn human_with_nothing_to_say() {
    insta::assert_snapshot!(plain(&report::human::render(&Report::default())));
}

#[test]
fn json() {
    insta::assert_snapshot!(report::json::render(&everything()));
}

#[test]
fn json_reads_back() {
    let text = report::json::render(&everything());
    let back: Report = serde_json::from_str(&text).unwrap();
    assert_eq!(report::json::render(&back), text);
}

#[test]
fn a_check_in_full() {
    let check = suite::by_id("server/tools/unknown-tool-refused").unwrap();
    insta::assert_snapshot!(plain(&report::explain(check)));
}
