//! Hosts: every check passes on ours, and catches the fault that it names.
//!
//! `PROOF=host/sandbox` proves some of them alone.

use suite::host::drivers::OwnHost;
use suite::host::faults::HostFault;
use suite::host::{HostOptions, ProbeStage, run_host};
use suite::{Applies, CaseReport, Check, Outcome, Selection, registry};

use crate::side_by_side::side_by_side;

/// How many hosts are measured at a time: they mostly wait.
const SIDE_BY_SIDE: usize = 2;

fn chosen() -> Vec<&'static Check> {
    let named = std::env::var("PROOF").unwrap_or_default();
    let only = named.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let selection = Selection { only, skip: Vec::new() };
    assert_eq!(selection.unknown(), None, "PROOF names no check");
    registry().filter(|check| check.applies == Applies::ToHosts && selection.takes(check)).collect()
}

/// What is found in our host, with a fault or without; only what `checks` need is shown.
async fn measure(fault: Option<&'static HostFault>, checks: &[&'static Check]) -> Vec<CaseReport> {
    let stage = ProbeStage::start().await.unwrap();
    let driver = OwnHost::start(&stage, fault).await.unwrap();
    let only = checks.iter().map(|check| check.id.to_owned()).collect();
    let options = HostOptions { selection: Selection { only, skip: Vec::new() }, ..HostOptions::default() };
    run_host(&stage, &driver, &options).await.0.cases
}

fn told(case: &CaseReport) -> String {
    format!("{} {}: {}", case.check, case.outcome, case.actual.as_deref().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn our_host_passes_every_check() {
    let checks = chosen();
    let cases = measure(None, &checks).await;
    let wrong: Vec<_> = cases.iter().filter(|case| case.outcome != Outcome::Passed).map(told).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(cases.len(), checks.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_of_hosts_catches_its_fault() {
    let escaped = side_by_side(chosen(), SIDE_BY_SIDE, escapes).await.concat();
    assert!(escaped.is_empty(), "{escaped:#?}");
}

/// What slips through, each time: on a busy machine a host may be too slow to show its fault.
async fn escapes(check: &'static Check) -> Vec<String> {
    let Some(fault) = HostFault::with_fault(check.fault) else {
        return vec![format!("{} names no fault of hosts", check.id)];
    };
    let mut escaped = Vec::new();
    for _ in 0..2 {
        let cases = measure(Some(fault), &[check]).await;
        let caught = |case: &CaseReport| matches!(case.outcome, Outcome::Failed | Outcome::Warned);
        if cases.iter().any(caught) {
            return Vec::new();
        }
        escaped =
            cases.iter().map(|case| format!("{} slips through: {}", fault.fault.name, told(case))).collect();
    }
    escaped
}

#[test]
fn names_of_faults_are_their_own() {
    let mut names: Vec<_> = HostFault::all().map(|fault| fault.fault.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
