//! Reports to render.

use protocol::Version;
use suite::{CaseReport, Counts, Excerpt, Level, Outcome, Party, Report, Survey, TargetReport};

pub(crate) fn case(check: &str, protocol: Version, level: Level, outcome: Outcome) -> CaseReport {
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
        because: None,
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

/// A report that has every outcome.
pub(crate) fn everything() -> Report {
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
            at: Some("2026-07-28T12:34:56Z".to_owned()),
        },
        counts: Counts::of(cases.iter().map(|case| case.outcome)),
        cases,
        survey: Some(Survey {
            tools: 12,
            ui_tools: 2,
            resources: 5,
            ui_resources: 1,
            interfaces: 2,
            prompts: 1,
        }),
        took_ms: 1234,
        ..Report::default()
    }
}

/// Without colours.
pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// What a hostile server puts wherever it can.
pub(crate) const HOSTILE: &str = "\u{1b}]0;pwned\u{7}\u{1b}[2J</pre></script><script>alert(1)</script><img src=x \
                                  onerror=alert(1)>\" onmouseover=\"alert(1) ``` </details> |\n## @everyone \
                                  [x](javascript:alert(1)) ]]> \u{0}\u{fffe}\u{202e}\u{9b}1m &lt;";

/// A report in which every text that a server can influence is hostile.
pub(crate) fn hostile() -> Report {
    let mut report = everything();
    report.target.name = Some(HOSTILE.to_owned());
    report.target.version = Some(HOSTILE.to_owned());
    report.target.description = HOSTILE.to_owned();
    report.target.arguments = HOSTILE.to_owned();
    for case in &mut report.cases {
        case.expected = Some(HOSTILE.to_owned());
        case.actual = Some(HOSTILE.to_owned());
        let json = format!("{{\"{HOSTILE}\":[\"{HOSTILE}\"]}}");
        case.frames = [HOSTILE, json.as_str()]
            .map(|text| Excerpt { from: Party::Server, text: text.to_owned(), bytes: None })
            .into();
    }
    report
}
