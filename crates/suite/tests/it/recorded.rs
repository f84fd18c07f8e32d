//! What is judged while it happens is judged alike from a file.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use protocol::Version;
use protocol::method::Side;
use suite::{CaseReport, Check, Keep, On, Options, Outcome, Recorded, Run, Selection, judge, registry, run};
use transport::client::Limits;
use wire::recording::{About, Recording, Tape, write};

use crate::reference::{Subject, piped, served, served_old};

fn only(ids: &[&str]) -> Selection {
    Selection { only: ids.iter().map(|id| (*id).to_owned()).collect(), skip: Vec::new() }
}

/// Measures with `selection`: what came out, and the sessions as they are read back from a file.
async fn recorded(
    subject: &Subject,
    selection: Selection,
    protocols: Vec<Version>,
) -> (Vec<CaseReport>, Recorded) {
    let tapes: Arc<Mutex<Vec<Tape>>> = Arc::default();
    let kept = Arc::clone(&tapes);
    let brief = Duration::from_millis(700);
    let limits = Limits { request: brief, start: brief, probe: brief, ..Limits::default() };
    let keep = Some(Keep::new(move |tape| kept.lock().unwrap().push(tape)));
    let options = Options { protocols, selection, limits, keep, ..Options::default() };
    let report = run(&subject.target, "", &options, |_| {}).await.unwrap();
    let mut file = write::header(&About::default());
    for (number, tape) in tapes.lock().unwrap().iter().enumerate() {
        file.extend(write::tape(&Tape { name: number.to_string(), ..tape.clone() }));
    }
    let tapes = Recording::read(file).unwrap().tapes;
    (report.cases, Recorded { tapes, ..Recorded::default() })
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
    let mut escaped = Vec::new();
    let passive = |check: &&Check| matches!(check.run, Run::Wire(_)) && check.on != On::Bridge;
    for check in registry().filter(passive) {
        escaped.extend(differences(check).await);
    }
    assert!(escaped.is_empty(), "{escaped:#?}");
}

/// Where a file says something else than the live session did.
async fn differences(check: &'static Check) -> Vec<(String, Version, Outcome)> {
    let subject = match check.on {
        On::Http => served([check.fault]).await,
        On::HttpSse => served_old([check.fault]).await,
        On::Any | On::Pipe | On::Bridge => piped([check.fault]),
    };
    let newest = [Version::LATEST_LEGACY, Version::LATEST];
    let protocols: Vec<_> = check.versions().filter(|version| newest.contains(version)).collect();
    let selection = only(&[check.id, "server/base", "server/tools"]);
    let (live, recorded) = recorded(&subject, selection, protocols).await;
    let options = Options { selection: only(&[check.id]), ..Options::default() };
    let judged: Vec<_> = judge(&recorded, &[Side::Server], &options).report.cases.iter().map(told).collect();
    let caught = |case: &&CaseReport| matches!(case.outcome, Outcome::Failed | Outcome::Warned);
    let live = live.iter().filter(|case| case.check == check.id).filter(caught).map(told);
    live.filter(|case| !judged.contains(case)).collect()
}

fn tape(lines: &str) -> Recorded {
    Recorded { tapes: Recording::read(lines.to_owned()).unwrap().tapes, ..Recorded::default() }
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
        let judged = judge(&tape(&lines.join("\n")), &[Side::Server], &Options::default());
        assert_eq!(judged.report.target.speaks, [version], "{lines:?}");
        assert!(judged.skipped.is_empty());
    }
    let judged = judge(&tape(&[asked, shaken].join("\n")), &[Side::Server], &Options::default());
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
    let judged = judge(&tape(lines), &[Side::Server], &Options::default());
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
        let tapes = Recording::read(text.into_bytes()).unwrap().tapes;
        let recorded = Recorded { tapes, ..Recorded::default() };
        let options = Options { selection: only(&[fresh]), ..Options::default() };
        let judged = judge(&recorded, &[Side::Server], &options).report;
        assert_eq!(judged.cases.iter().map(|case| case.outcome).collect::<Vec<_>>(), [outcome], "{header}");
    }
}
