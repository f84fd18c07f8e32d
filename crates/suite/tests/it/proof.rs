//! Every check passes on the reference, and catches its fault.
//!
//! `PROOF=server/tools/listed` proves one check alone.

use protocol::Version;
use server::fault::dialect;
use suite::{Applies, Calls, CaseReport, Check, Options, Outcome, Run, Selection, registry, run};
use transport::Transport;
use transport::client::Limits;

use crate::reference::{Subject, faulty, guarded, piped, served, served_old};
use crate::side_by_side::side_by_side;

/// How many checks are proven at a time: they mostly wait.
const SIDE_BY_SIDE: usize = 8;

/// The checks to prove: those that `PROOF` names by id, beginning, section or alias, separated by commas; else all.
fn chosen() -> Vec<&'static Check> {
    let named = std::env::var("PROOF").unwrap_or_default();
    let only = named.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let selection = Selection { only, skip: Vec::new() };
    assert_eq!(selection.unknown(), None, "PROOF names no check");
    registry().filter(of_a_server).filter(|check| selection.takes(check)).collect()
}

/// What has to run beside `check`: a passive one needs something to read.
fn needed(check: &Check) -> Vec<String> {
    let section = format!("server/{}", check.section());
    let beside: &[&str] = match check.run {
        Run::Server(_)
        | Run::Alone(_)
        | Run::OtherClient(_)
        | Run::Malformed(_)
        | Run::SharedLast(_)
        | Run::Last(_)
        | Run::CounterOffer(_)
        | Run::App(..)
        | Run::AppInTime(..) => &[],
        Run::Wire(..) => &["server/base", "server/tools", &section],
        Run::Host(_) => &[],
    };
    [check.id].iter().chain(beside).map(|id| (*id).to_owned()).collect()
}

/// A sound server has all the time it needs, however busy the machine is.
async fn measure(subject: &Subject, only: Vec<String>) -> Vec<CaseReport> {
    measure_in(subject, only, Vec::new(), Limits::default()).await
}

async fn measure_in(
    subject: &Subject,
    only: Vec<String>,
    protocols: Vec<Version>,
    limits: Limits,
) -> Vec<CaseReport> {
    let selection = Selection { only, skip: Vec::new() };
    // The one tool that asks by an error does not call itself read-only.
    let calls = Calls {
        named: ["link-account", "confirm_delete", "touch"].map(str::to_owned).to_vec(),
        ..Calls::default()
    };
    let options = Options { selection, limits, protocols, calls, ..Options::default() };
    run(&subject.target, "", &options, |_| {}).await.map(|report| report.cases).unwrap_or_default()
}

fn told(case: &CaseReport) -> String {
    let actual = case.actual.as_deref().unwrap_or_default();
    format!("{} {} {} {}: {actual}", case.check, case.protocol, case.transport, case.outcome)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_server_is_conformant() {
    let dialect = piped([&dialect::SPOKEN]);
    for subject in [piped([]), served([]).await, served_old([]).await, guarded([]).await, dialect] {
        let cases = measure(&subject, Vec::new()).await;
        let wrong: Vec<_> = cases
            .iter()
            .filter(|case| !matches!(case.outcome, Outcome::Passed | Outcome::NotApplicable))
            .map(told)
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(!cases.is_empty());
    }
}

/// A check that never applies to the reference proves nothing by not failing there.
#[tokio::test(flavor = "multi_thread")]
async fn every_check_passes_somewhere_on_the_reference() {
    let checks = chosen();
    let only: Vec<_> = checks.iter().flat_map(|check| needed(check)).collect();
    let mut cases = measure(&piped([]), only.clone()).await;
    cases.extend(measure(&served([]).await, only).await);
    cases.extend(measure(&served_old([]).await, vec!["server/sse".to_owned()]).await);
    cases.extend(measure(&guarded([]).await, vec!["server/authorization".to_owned()]).await);
    cases.extend(measure(&piped([&dialect::SPOKEN]), vec!["server/dialect".to_owned()]).await);
    let idle: Vec<_> = checks
        .into_iter()
        .filter(|check| !cases.iter().any(|case| case.check == check.id && case.outcome == Outcome::Passed))
        .map(|check| check.id)
        .collect();
    assert!(idle.is_empty(), "never passed: {idle:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_catches_its_fault_in_every_revision() {
    let escaped = side_by_side(chosen(), SIDE_BY_SIDE, escapes).await.concat();
    assert!(escaped.is_empty(), "{escaped:#?}");
}

/// What View and host say to each other is proven elsewhere, and so are apps.
fn of_a_server(check: &&'static Check) -> bool {
    check.applies.concerns_servers()
}

/// The cases of `check` that its own fault slips through, each time: some checks depend on who is first, and on a busy
/// machine that may be anybody.
async fn escapes(check: &'static Check) -> Vec<String> {
    let mut escaped = Vec::new();
    for _ in 0..3 {
        escaped = escapes_once(check).await;
        if escaped.is_empty() {
            break;
        }
    }
    escaped
}

async fn escapes_once(check: &'static Check) -> Vec<String> {
    let subject = faulty(check).await;
    let over_http = |version: &Version| {
        !matches!(check.applies, Applies::Over(Transport::StreamableHttp) | Applies::OverProtectedHttp)
            || *version > Version::V2024_11_05
    };
    let protocols = check.versions().filter(over_http).collect();
    let brief = std::time::Duration::from_millis(700);
    let limits = Limits { request: brief, start: brief, probe: brief, ..Limits::default() };
    let mut cases = measure_in(&subject, needed(check), protocols, limits).await;
    cases.retain(|case| case.check == check.id);
    let caught = |case: &CaseReport| matches!(case.outcome, Outcome::Failed | Outcome::Warned);
    // Not every revision has what a check is about: the oldest ones cannot mark a tool as read-only.
    let absent = |case: &CaseReport| case.outcome == Outcome::NotApplicable;
    let mut escaped: Vec<_> = cases.iter().filter(|case| !caught(case) && !absent(case)).map(told).collect();
    if !cases.iter().any(caught) {
        escaped.push(format!("{} was not caught anywhere", check.id));
    }
    escaped
}
