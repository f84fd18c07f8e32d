//! Checks × faults: what each fault sets off, written down and compared with every run.
//!
//! `matrix.tsv` has a line for each fault: its name, the checks that it sets off, and, where there are more than those
//! that name it as theirs, why. `YARDSTICK_MATRIX=write` brings the first two columns up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use protocol::Version;
use server::Fault;
use suite::{Options, Outcome, registry, run};
use transport::client::Limits;

use crate::reference::{faulty, piped};

/// The newest revision of each era; that each check works in all of its revisions is proven elsewhere.
const REVISIONS: [Version; 2] = [Version::LATEST_LEGACY, Version::LATEST];

struct Line {
    checks: BTreeSet<String>,
    reason: String,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/matrix.tsv")
}

fn written() -> BTreeMap<String, Line> {
    let text = std::fs::read_to_string(file()).unwrap_or_default();
    text.lines()
        .map(|line| {
            let mut fields = line.split('\t');
            let mut field = || fields.next().unwrap_or_default().to_owned();
            let (fault, checks, reason) = (field(), field(), field());
            let checks = checks.split(' ').filter(|id| !id.is_empty()).map(str::to_owned).collect();
            (fault, Line { checks, reason })
        })
        .collect()
}

/// The checks that `fault` sets off, over the transport of the check that is there for it.
async fn set_off(fault: &'static Fault) -> BTreeSet<String> {
    let brief = Duration::from_millis(700);
    let limits = Limits { request: brief, start: brief, probe: brief, ..Limits::default() };
    let options = Options { limits, protocols: REVISIONS.to_vec(), ..Options::default() };
    let subject = match registry().find(|check| check.fault.name == fault.name) {
        Some(check) => faulty(check).await,
        None => piped([fault]),
    };
    let report = run(&subject.target, "", &options, |_| {}).await;
    let cases = report.map(|report| report.cases).unwrap_or_default();
    let caught = cases.into_iter().filter(|c| matches!(c.outcome, Outcome::Failed | Outcome::Warned));
    caught.map(|case| case.check).collect()
}

fn owners(fault: &Fault) -> BTreeSet<String> {
    registry().filter(|check| check.fault.name == fault.name).map(|check| check.id.to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_sets_off_its_checks_and_nothing_else_without_a_reason() {
    let measured: BTreeMap<_, _> = stream::iter(Fault::all())
        .map(|fault| async move { (fault.name.to_owned(), (fault, set_off(fault).await)) })
        .buffer_unordered(6)
        .collect()
        .await;
    let known = written();
    let mut wrong = Vec::new();
    let mut table = String::new();
    for (name, (fault, checks)) in &measured {
        let line = known.get(name);
        let reason = line.map(|line| line.reason.as_str()).unwrap_or_default();
        let list = checks.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        writeln!(table, "{name}\t{list}\t{reason}").unwrap();
        let owners = owners(fault);
        let escaped: Vec<_> = owners.difference(checks).collect();
        if !escaped.is_empty() {
            wrong.push(format!("{name} escapes {escaped:?}"));
        }
        if checks.is_empty() {
            wrong.push(format!("{name} sets off nothing"));
        }
        if checks.difference(&owners).next().is_some() && reason.is_empty() {
            let others: Vec<_> = checks.difference(&owners).collect();
            wrong.push(format!("{name} sets off {others:?} without a reason"));
        }
        let empty = BTreeSet::new();
        let before = line.map_or(&empty, |line| &line.checks);
        if before != checks {
            let (new, gone): (Vec<_>, Vec<_>) =
                (checks.difference(before).collect(), before.difference(checks).collect());
            wrong.push(format!("{name} is not as written: new {new:?}, gone {gone:?}"));
        }
    }
    wrong.extend(
        known.keys().filter(|name| !measured.contains_key(*name)).map(|name| format!("no fault {name}")),
    );
    if std::env::var("YARDSTICK_MATRIX").is_ok_and(|mode| mode == "write") {
        std::fs::write(file(), table).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{wrong:#?}\nYARDSTICK_MATRIX=write brings tests/it/matrix.tsv up to date");
}
