//! What View and host say to each other: every check passes on the sound session, and catches its fault.

use std::time::Duration;

use protocol::method::Side;
use server::bridge::{self, Session};
use suite::{Applies, CaseReport, Check, Level, Options, Outcome, Recorded, Selection, judge, registry};
use wire::recording::{About, Medium, RecordedSession, Recording, write};
use wire::{Direction, Entry, What};

/// The session as it is read back from a file, with the end of the View.
fn recorded(session: &Session) -> Recorded {
    let mut recorded = RecordedSession::new("1", Some(Medium::PostMessage), None);
    for (number, (way, message)) in (1_u64..).zip(session) {
        let (direction, exchange) = way.recorded();
        let (at, what, bytes) = (Duration::from_millis(number), What::Message, message.to_string().into());
        recorded.transcript.entries.push(Entry { at, direction, what, exchange, bytes });
    }
    let (at, what, bytes) = (Duration::from_secs(9), What::End, "torn down".into());
    recorded.transcript.entries.push(Entry { at, direction: Direction::ToClient, what, exchange: 0, bytes });
    let mut file = write::header(&About::default());
    file.extend(write::session(&recorded));
    Recorded { sessions: Recording::parse(file).unwrap().sessions, ..Recorded::default() }
}

fn judged(recorded: &Recorded, sides: &[Side], only: &[&str]) -> Vec<CaseReport> {
    let only = only.iter().map(|id| (*id).to_owned()).collect();
    let options = Options { selection: Selection { only, skip: Vec::new() }, ..Options::default() };
    let judged = judge(recorded, sides, &options);
    assert!(judged.skipped.is_empty(), "{:?}", judged.skipped);
    judged.report.cases
}

fn told(case: &CaseReport) -> String {
    format!("{} {}: {}", case.check, case.outcome, case.actual.as_deref().unwrap_or_default())
}

fn checks() -> impl Iterator<Item = &'static Check> {
    registry().filter(|check| check.applies == Applies::BetweenViewAndHost)
}

#[test]
fn every_check_passes_on_the_sound_session() {
    let cases = judged(&recorded(&bridge::correct_session()), &[Side::Server, Side::Client], &[]);
    let wrong: Vec<_> = cases.iter().filter(|case| case.outcome != Outcome::Passed).map(told).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(cases.len(), checks().count());
    assert!(cases.iter().all(|case| case.transport == "postmessage"));
}

#[test]
fn every_check_catches_its_fault_and_nobody_else_is_blamed() {
    let mut escaped = Vec::new();
    for check in checks() {
        let broken = recorded(&bridge::session_with_fault(check.fault));
        for side in [Side::Server, Side::Client] {
            let name = check.id.rsplit('/').next().unwrap();
            let of_side = match side {
                Side::Server => !name.starts_with("view-"),
                Side::Client => !name.starts_with("host-"),
            };
            let cases = judged(&broken, &[side], &[check.id]);
            let due = if check.level(protocol::Version::V2025_11_25) == Some(Level::Must) {
                Outcome::Failed
            } else {
                Outcome::Warned
            };
            let caught = cases.iter().any(|case| case.outcome == due);
            if caught != of_side {
                escaped.extend(cases.iter().map(told).chain([format!("{} {side:?}", check.id)]));
            }
        }
    }
    assert!(escaped.is_empty(), "{escaped:#?}");
}

/// A fault of one kind is found by few checks: they are not one check under many names.
#[test]
fn no_fault_fails_everything() {
    for fault in server::fault::bridge::FAULTS {
        let cases = judged(&recorded(&bridge::session_with_fault(fault)), &[Side::Server, Side::Client], &[]);
        let found: Vec<_> = cases.iter().filter(|case| case.outcome.is_finding()).map(told).collect();
        assert!((1..=4).contains(&found.len()), "{}: {found:#?}", fault.name);
    }
}

#[test]
fn the_checks_of_servers_leave_the_bridge_alone() {
    let cases = judged(&recorded(&bridge::correct_session()), &[Side::Server], &["wire"]);
    assert!(!cases.is_empty() && cases.iter().all(|case| case.check.starts_with("wire/ui/")));
}

#[test]
fn the_host_is_named() {
    let judged = judge(&recorded(&bridge::correct_session()), &[Side::Server], &Options::default());
    assert_eq!(judged.report.target.name.as_deref(), Some("reference-host"));
    assert_eq!(judged.report.target.transport, "postmessage");
}
