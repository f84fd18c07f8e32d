//! Reports to render.

use protocol::Version;
use suite::{
    Basis, CaseReport, Counts, Excerpt, Level, Outcome, Party, Planned, Report, Survey, TargetReport,
    Unsettled, UnusedEntry,
};

pub(crate) fn case(check: &str, protocol: Version, level: Level, outcome: Outcome) -> CaseReport {
    let violated = matches!(outcome, Outcome::Failed | Outcome::Warned | Outcome::KnownFailure);
    CaseReport {
        check: check.to_owned(),
        subject: None,
        section: check.split('/').nth(1).unwrap().to_owned(),
        title: "what holds when it passes".to_owned(),
        protocol,
        transport: "stdio".to_owned(),
        level,
        basis: Basis::Stated,
        outcome,
        expected: violated.then(|| "error -32602".to_owned()),
        actual: (outcome != Outcome::Passed).then(|| match outcome {
            Outcome::NotApplicable => "no UI tools".to_owned(),
            Outcome::Blocked => "the server does not answer".to_owned(),
            _ => "a result".to_owned(),
        }),
        because: None,
        known: None,
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
        Excerpt::from_bytes(Party::Client, br#"{"jsonrpc":"2.0","id":41,"method":"tools/call"}"#),
        Excerpt::from_bytes(Party::Server, long.as_bytes()),
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
        counts: Counts::count(cases.iter().map(|case| case.outcome)),
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

/// A report of another server, with nothing to complain about.
pub(crate) fn other() -> Report {
    let mut report = with(vec![case("server/tools/b", Version::V2025_11_25, Level::Must, Outcome::Passed)]);
    report.target.name = Some("other-server".to_owned());
    report.target.description = "node other.js".to_owned();
    report.target.arguments = "-- node other.js".to_owned();
    report
}

/// The same target with these cases.
pub(crate) fn with(cases: Vec<CaseReport>) -> Report {
    let counts = Counts::count(cases.iter().map(|case| case.outcome));
    Report { cases, counts, ..everything() }
}

/// A finding in two revisions, and what could not be tested because of it in the newer one.
pub(crate) fn folded(outcome: Outcome) -> Report {
    use Version::{V2025_06_18, V2025_11_25};
    let mut cases = vec![
        case("server/tools/listed", V2025_06_18, Level::Must, outcome),
        case("server/tools/listed", V2025_11_25, Level::Must, outcome),
        case("server/tools/a", V2025_06_18, Level::Must, Outcome::Passed),
        case("server/tools/a", V2025_11_25, Level::Must, Outcome::Blocked),
        case("server/apps/b", V2025_11_25, Level::Must, Outcome::Blocked),
        case("server/apps/c", V2025_11_25, Level::Must, Outcome::Blocked),
    ];
    // One of them stands behind the other.
    cases[3].because = Some("server/tools/listed".to_owned());
    cases[4].because = Some("server/tools/listed".to_owned());
    cases[5].because = Some("server/apps/b".to_owned());
    with(cases)
}

/// A run that was ended from outside, with a revision that was not settled and an entry without effect.
pub(crate) fn gaps() -> Report {
    let mut report = other();
    report.unsettled = vec![Unsettled {
        protocol: Version::V2026_07_28,
        why: "no answer to server/discover within 3000 ms".to_owned(),
    }];
    report.unused_entries = vec![UnusedEntry {
        entry: "server/tools/d 2024-11-05".to_owned(),
        why: "the revision was not measured".to_owned(),
    }];
    report.interrupted = true;
    report.planned = vec![Planned { protocol: Version::V2025_11_25, cases: 2 }];
    report
}

/// A target that is not there.
pub(crate) fn unreached() -> Report {
    let target = TargetReport {
        description: "http://127.0.0.1:9/mcp".to_owned(),
        arguments: "http://127.0.0.1:9/mcp".to_owned(),
        ..TargetReport::default()
    };
    let why = Some("cannot reach 127.0.0.1:9: connection refused".to_owned());
    Report { target, unreached: why, took_ms: 20, ..Report::default() }
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
        case.frames =
            [HOSTILE, json.as_str()].map(|text| Excerpt::from_bytes(Party::Server, text.as_bytes())).into();
    }
    report
}
