//! What is judged while it happens is judged alike from a file.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use protocol::method::Side;
use protocol::{Era, Version};
use suite::{
    Applies, CaseReport, Check, Options, Outcome, Recorded, Run, Selection, SessionSink, judge, registry, run,
};
use transport::Transport;
use transport::client::Limits;
use wire::recording::{About, RecordedSession, Recording, write};

use crate::reference::{Subject, piped, served, served_old};
use crate::side_by_side::side_by_side;

/// How many servers are measured at a time: most of a run is waiting.
const SIDE_BY_SIDE: usize = 8;

fn only(ids: &[&str]) -> Selection {
    Selection { only: ids.iter().map(|id| (*id).to_owned()).collect(), skip: Vec::new() }
}

/// Measures with `selection`: what came out, and the sessions as they are read back from a file.
async fn recorded(
    subject: &Subject,
    selection: Selection,
    protocols: Vec<Version>,
) -> (Vec<CaseReport>, Recorded) {
    let sessions: Arc<Mutex<Vec<RecordedSession>>> = Arc::default();
    let kept = Arc::clone(&sessions);
    let brief = Duration::from_millis(700);
    let limits = Limits { request: brief, start: brief, probe: brief, ..Limits::default() };
    let keep = Some(SessionSink::new(move |session| kept.lock().unwrap().push(session)));
    let options = Options { protocols, selection, limits, keep, ..Options::default() };
    // Some faults leave nothing that could be judged, live or from a file.
    let Ok(report) = run(&subject.target, "", &options, |_| {}).await else {
        return (Vec::new(), Recorded::default());
    };
    let mut file = write::header(&About::default());
    for (number, session) in sessions.lock().unwrap().iter().enumerate() {
        file.extend(write::session(&RecordedSession { name: number.to_string(), ..session.clone() }));
    }
    let sessions = Recording::parse(file).unwrap().sessions;
    (report.cases, Recorded { sessions, ..Recorded::default() })
}

fn told(case: &CaseReport) -> (String, Version, Outcome) {
    (case.check.clone(), case.protocol, case.outcome)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_is_conformant_from_a_file_too() {
    for subject in [piped([]), served([]).await] {
        let (_, recorded) = recorded(&subject, Selection::default(), Vec::new()).await;
        let judged = judge(&recorded, &[Side::Server], &Options::default());
        let wrong: Vec<_> = judged.report.cases.iter().filter(|case| case.outcome.is_finding()).collect();
        assert!(wrong.is_empty() && judged.skipped.is_empty(), "{wrong:#?} {:?}", judged.skipped);
        assert!(judged.report.counts.passed > 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_passive_check_catches_its_fault_in_a_file() {
    let passive =
        |check: &&Check| matches!(check.run, Run::Wire(..)) && check.applies != Applies::BetweenViewAndHost;
    let escaped = side_by_side(registry().filter(passive), SIDE_BY_SIDE, differences).await.concat();
    assert!(escaped.is_empty(), "{escaped:#?}");
}

/// Where a file says something else than the live session did.
async fn differences(check: &'static Check) -> Vec<(String, Version, Outcome)> {
    let subject = match check.applies {
        Applies::Over(Transport::StreamableHttp) | Applies::OverProtectedHttp => served([check.fault]).await,
        Applies::Over(Transport::HttpSse) => served_old([check.fault]).await,
        Applies::Everywhere
        | Applies::Over(Transport::Stdio)
        | Applies::BetweenViewAndHost
        | Applies::ToViews
        | Applies::ToHosts => piped([check.fault]),
    };
    let newest = Era::ALL.map(Era::newest);
    let protocols: Vec<_> = check.versions().filter(|version| newest.contains(version)).collect();
    let selection = only(&[check.id, "server/base", "server/tools"]);
    let (live, recorded) = recorded(&subject, selection, protocols).await;
    let options = Options { selection: only(&[check.id]), ..Options::default() };
    let judged: Vec<_> = judge(&recorded, &[Side::Server], &options).report.cases.iter().map(told).collect();
    let caught = |case: &&CaseReport| matches!(case.outcome, Outcome::Failed | Outcome::Warned);
    let live = live.iter().filter(|case| case.check == check.id).filter(caught).map(told);
    live.filter(|case| !judged.contains(case)).collect()
}

fn read_lines(lines: &str) -> Recorded {
    Recorded { sessions: Recording::parse(lines.to_owned()).unwrap().sessions, ..Recorded::default() }
}

#[test]
fn the_revision_is_taken_from_where_it_stands() {
    let asked = r#"{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"initialize"}}"#;
    let shaken = r#"{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"n","version":"7"}}}}"#;
    let meta = r#"{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}"#;
    let head = r#"{"from":"client","what":"head","start":"POST / HTTP/1.1","headers":{"MCP-Protocol-Version":"2025-11-25"}}"#;
    let bare = r#"{"from":"client","what":"head","start":"POST / HTTP/1.1"}"#;
    let answer =
        r#"{"from":"server","message":{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}}"#;
    let named = r#"{"session":1,"protocol":"2025-03-26"}"#;
    for (lines, version) in [
        ([asked, shaken, meta], Version::V2025_06_18),
        ([meta, answer, ""], Version::V2026_07_28),
        ([head, asked, answer], Version::V2025_11_25),
        ([bare, asked, answer], Version::V2025_03_26),
        ([named, asked, answer], Version::V2025_03_26),
    ] {
        let judged = judge(&read_lines(&lines.join("\n")), &[Side::Server], &Options::default());
        assert_eq!(judged.report.target.speaks, [version], "{lines:?}");
        assert!(judged.skipped.is_empty());
    }
    let judged = judge(&read_lines(&[asked, shaken].join("\n")), &[Side::Server], &Options::default());
    assert_eq!(
        (judged.report.target.name.as_deref(), judged.report.target.version.as_deref()),
        (Some("n"), Some("7"))
    );
}

/// Without the requests nobody can say that an answer was not asked for.
#[test]
fn half_of_a_conversation_is_not_blamed_for_the_other() {
    let lines = r#"{"session":"1","protocol":"2025-11-25"}
{"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{}}}"#;
    let judged = judge(&read_lines(lines), &[Side::Server], &Options::default());
    let outcome = |id: &str| judged.report.cases.iter().find(|case| case.check == id).unwrap().outcome;
    assert_eq!(outcome("wire/jsonrpc/id-known"), Outcome::Blocked);
    assert_eq!(outcome("wire/jsonrpc/version-marked"), Outcome::Passed);
    assert_eq!(judged.report.counts.failed, 0);
}

/// A server that names no session serves every request anew, and what it asks on the way begins anew as well.
#[test]
fn ids_are_used_once_in_a_session_where_there_is_one() {
    let fresh = "wire/jsonrpc/request-id-fresh";
    let ask = r#"{"jsonrpc":"2.0","id":0,"method":"roots/list"}"#;
    for (header, outcome) in
        [(r#"["mcp-session-id","a"]"#, Outcome::Failed), (r#"["vary","a"]"#, Outcome::Passed)]
    {
        let mut text =
            String::from("{\"session\":\"s\",\"transport\":\"http\",\"protocol\":\"2025-11-25\"}\n");
        for exchange in [1, 2] {
            let line = format!(r#""session":"s","from":"server","exchange":{exchange}"#);
            let head = format!(r#""what":"head","start":"HTTP/1.1 200 OK","headers":[{header}]"#);
            text.push_str(&format!("{{{line},{head}}}\n{{{line},\"message\":{ask}}}\n"));
        }
        let sessions = Recording::parse(text.into_bytes()).unwrap().sessions;
        let recorded = Recorded { sessions, ..Recorded::default() };
        let options = Options { selection: only(&[fresh]), ..Options::default() };
        let judged = judge(&recorded, &[Side::Server], &options).report;
        assert_eq!(judged.cases.iter().map(|case| case.outcome).collect::<Vec<_>>(), [outcome], "{header}");
    }
}

/// One HTTP exchange as lines of a recording: what was posted, the head of the answer, its body.
fn exchange(number: u32, posted: &str, status: &str, media: Option<&str>, body: &str) -> String {
    let place = |from: &str| format!(r#""session":"s","from":"{from}","exchange":{number}"#);
    let headers = media.map(|media| format!(r#"["content-type","{media}"]"#)).unwrap_or_default();
    let (client, server) = (place("client"), place("server"));
    let mut lines = format!(
        "{{{client},\"what\":\"head\",\"start\":\"POST /mcp HTTP/1.1\"}}\n{{{client},\"message\":{posted}}}\n\
         {{{server},\"what\":\"head\",\"start\":\"HTTP/1.1 {status}\",\"headers\":[{headers}]}}\n"
    );
    if !body.is_empty() {
        lines.push_str(&format!("{{{server},\"message\":{body}}}\n"));
    }
    lines
}

/// Every exchange counts, and not the first alone.
#[test]
fn rules_of_http_are_judged_on_every_exchange() {
    let asked = r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#;
    let told = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let lost = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no"}}"#;
    let json = Some("application/json");
    let sound = exchange(1, asked, "200 OK", json, result) + &exchange(2, told, "202 Accepted", None, "");
    for (check, third, outcome) in [
        ("server/http/media-type", exchange(3, asked, "200 OK", json, result), Outcome::Passed),
        ("server/http/media-type", exchange(3, asked, "200 OK", None, result), Outcome::Failed),
        ("server/http/media-type", exchange(3, asked, "200 OK", Some("text/plain"), result), Outcome::Failed),
        ("server/http/media-type", exchange(3, asked, "404 Not Found", None, lost), Outcome::Passed),
        ("server/http/media-type", exchange(3, asked, "401 Unauthorized", None, ""), Outcome::Passed),
        ("server/http/notification-accepted", exchange(3, told, "202 Accepted", None, ""), Outcome::Passed),
        (
            "server/http/notification-accepted",
            exchange(3, told, "400 Bad Request", json, lost),
            Outcome::Passed,
        ),
        ("server/http/notification-accepted", exchange(3, told, "200 OK", json, ""), Outcome::Failed),
        (
            "server/http/notification-accepted",
            exchange(3, told, "202 Accepted", json, result),
            Outcome::Failed,
        ),
        ("wire/jsonrpc/error-id-present", exchange(3, asked, "200 OK", json, lost), Outcome::Failed),
        ("wire/jsonrpc/error-id-present", exchange(3, asked, "400 Bad Request", json, lost), Outcome::Passed),
    ] {
        let head = "{\"session\":\"s\",\"transport\":\"http\",\"protocol\":\"2025-11-25\"}\n";
        let text = format!("{head}{sound}{third}");
        let sessions = Recording::parse(text.clone().into_bytes()).unwrap().sessions;
        let options = Options { selection: only(&[check]), ..Options::default() };
        let judged = judge(&Recorded { sessions, ..Recorded::default() }, &[Side::Server], &options).report;
        assert_eq!(
            judged.cases.iter().map(|case| case.outcome).collect::<Vec<_>>(),
            [outcome],
            "{check}: {third}"
        );
    }
}

/// An id, a token or a code is the same however it is spelled.
#[test]
fn spelling_does_not_make_another_value() {
    let head = "{\"session\":\"s\",\"transport\":\"stdio\",\"protocol\":\"2025-11-25\"}\n";
    let line = |from: &str, message: &str| {
        format!("{{\"session\":\"s\",\"from\":\"{from}\",\"message\":{message}}}\n")
    };
    for (asked, came, outcome) in [
        ("10", "10e0", Outcome::Passed),
        (r#""yard""#, r#""\u0079ard""#, Outcome::Passed),
        ("9007199254740995", "9007199254740995", Outcome::Passed),
        ("10", r#""10""#, Outcome::Failed),
        ("10", "11", Outcome::Failed),
    ] {
        let request = format!(r#"{{"jsonrpc":"2.0","id":{asked},"method":"x"}}"#);
        let error = format!(r#"{{"jsonrpc":"2.0","id":{came},"error":{{"code":-32601.0,"message":"no"}}}}"#);
        let text = format!("{head}{}{}", line("client", &request), line("server", &error));
        let sessions = Recording::parse(text.into_bytes()).unwrap().sessions;
        let options = Options { selection: only(&["wire/jsonrpc"]), ..Options::default() };
        let judged = judge(&Recorded { sessions, ..Recorded::default() }, &[Side::Server], &options).report;
        let found = |id: &str| judged.cases.iter().find(|case| case.check == id).map(|case| case.outcome);
        assert_eq!(found("wire/jsonrpc/id-known"), Some(outcome), "{asked} {came}");
        assert_eq!(found("wire/jsonrpc/error-code-integer"), Some(Outcome::Passed));
    }
}
