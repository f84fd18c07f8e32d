//! Checks × faults: what each fault sets off, beyond the checks that are there for it, is written down with a reason.
//!
//! `matrix.tsv` has a line for each fault, and words for reasons that many lines share. The ignored test here brings
//! the table up to date, fault by fault; the reasons are for people to write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use protocol::{Era, Version};
use server::Fault;
use suite::{Applies, Calls, Check, Options, Outcome, registry, run};
use transport::Transport;
use transport::client::Limits;

use crate::reference::{Subject, faulty, piped};
use crate::side_by_side::side_by_side;
use crate::table::{Line, Table};

/// How many faults are tried at a time: most of it is waiting.
const SIDE_BY_SIDE: usize = 16;
/// How often a fault that looks wrong is tried again, alone.
const AGAIN: usize = 2;
/// How often a fault is tried before its line is written.
const TRIES: usize = 3;
/// How long a run may take, whatever the fault.
const LONGEST: Duration = Duration::from_secs(60);
/// How many tests share the faults.
const PARTS: usize = 6;

/// What one fault set off, in one attempt or several.
#[derive(Debug, Default)]
struct SetOff {
    /// What was set off each time.
    always: BTreeSet<String>,
    /// What was set off at least once, with what was said about it.
    ever: BTreeMap<String, String>,
}

impl SetOff {
    fn and(mut self, other: Self) -> Self {
        self.always.retain(|id| other.always.contains(id));
        self.ever.extend(other.ever);
        self
    }
}

/// The checks that are there for `fault`: those that name it, else those that the table names.
fn own(fault: &Fault, line: Option<&Line>) -> Vec<&'static Check> {
    let named: Vec<_> = registry().filter(|check| check.fault.name == fault.name).collect();
    let told = |check: &&Check| line.is_some_and(|line| line.own.contains(check.id));
    if named.is_empty() { registry().filter(told).collect() } else { named }
}

fn own_ids(fault: &Fault, line: Option<&Line>) -> BTreeSet<String> {
    own(fault, line).into_iter().map(|check| check.id.to_owned()).collect()
}

/// One check for each kind of server that it takes to see the fault.
fn kinds(own: &[&'static Check]) -> Vec<&'static Check> {
    let mut kinds: Vec<&Check> = Vec::new();
    for check in own.iter().filter(|check| check.applies != Applies::Everywhere) {
        if kinds.iter().all(|known| known.applies != check.applies) {
            kinds.push(check);
        }
    }
    if kinds.is_empty() { own.iter().copied().take(1).collect() } else { kinds }
}

/// The newest revision of each era in which the fault matters, for each of its checks.
fn revisions(own: &[&'static Check]) -> Vec<Version> {
    let mut found = BTreeSet::new();
    for check in own {
        let over_http = |version: &Version| {
            !matches!(check.applies, Applies::Over(Transport::StreamableHttp) | Applies::OverProtectedHttp)
                || *version > Version::V2024_11_05
        };
        for era in [Era::Legacy, Era::Modern] {
            found.extend(check.versions().filter(over_http).filter(|version| version.era() == era).max());
        }
    }
    match found.is_empty() {
        true => Era::ALL.map(Era::newest).to_vec(),
        false => found.into_iter().collect(),
    }
}

/// A server of each kind that it takes to see the fault.
async fn subjects(fault: &'static Fault, own: &[&'static Check]) -> Vec<Subject> {
    let mut subjects = Vec::new();
    // A check brings its own fault along.
    for check in kinds(own).into_iter().filter(|check| check.fault.name == fault.name) {
        subjects.push(faulty(check).await);
    }
    if subjects.is_empty() { vec![piped([fault])] } else { subjects }
}

/// Everything that `fault` sets off.
async fn set_off(fault: &'static Fault, table: &Table) -> SetOff {
    let brief = Duration::from_millis(1500);
    let limits = Limits { request: brief, start: brief, probe: brief, ..Limits::default() };
    // The tools that ask by an error, or before they do something, do not call themselves read-only.
    let calls = Calls {
        named: ["link-account", "confirm_delete", "touch"].map(str::to_owned).to_vec(),
        ..Calls::default()
    };
    let own = own(fault, table.lines.get(fault.name));
    let mut ever = BTreeMap::new();
    for subject in subjects(fault, &own).await {
        let options = Options {
            limits: limits.clone(),
            protocols: revisions(&own),
            calls: calls.clone(),
            ..Options::default()
        };
        let report = tokio::time::timeout(LONGEST, run(&subject.target, "", &options, |_| {})).await;
        let Ok(report) = report else {
            ever.insert("a run without an end".to_owned(), String::new());
            continue;
        };
        for case in report.map(|report| report.cases).unwrap_or_default() {
            if matches!(case.outcome, Outcome::Failed | Outcome::Warned | Outcome::Broke) {
                let said = format!("{} {}", case.protocol, case.actual.unwrap_or_default());
                ever.entry(case.check).or_insert(said);
            }
        }
    }
    SetOff { always: ever.keys().cloned().collect(), ever }
}

/// What is wrong with `line`, seen what its fault sets off.
fn objections(fault: &Fault, line: &Line, seen: &SetOff) -> Vec<String> {
    let own = own_ids(fault, Some(line));
    let name = fault.name;
    let mut wrong = Vec::new();
    if own != line.own {
        wrong.push(format!("{name}: the table names {:?} as its own, the checks say {own:?}", line.own));
    }
    for id in own.iter().filter(|id| !seen.ever.contains_key(*id)) {
        wrong.push(format!("{name}: escapes {id}"));
    }
    for id in line.also.iter().filter(|id| !seen.ever.contains_key(*id)) {
        wrong.push(format!("{name}: no longer sets off {id}"));
    }
    let known = |id: &String| own.contains(id) || line.also.contains(id) || line.maybe.contains(id);
    for id in seen.always.iter().filter(|id| !known(id)) {
        wrong.push(format!("{name}: sets off {id}: {}", seen.ever[id]));
    }
    wrong
}

/// Tries the faults of one part, and those that look wrong once more when nothing else goes on.
async fn part(number: usize) {
    let table = Table::load();
    let faults =
        Fault::all().enumerate().filter(|(index, _)| index % PARTS == number).map(|(_, fault)| fault);
    let table = Arc::new(table);
    let tried = side_by_side(faults, SIDE_BY_SIDE, |fault| {
        let table = Arc::clone(&table);
        async move { (fault, set_off(fault, &table).await) }
    })
    .await;
    let mut wrong = Vec::new();
    for (fault, mut seen) in tried {
        let Some(line) = table.lines.get(fault.name) else {
            wrong.push(format!("{}: is not in the table", fault.name));
            continue;
        };
        for _ in 0..AGAIN {
            if !objections(fault, line, &seen).is_empty() {
                seen = seen.and(set_off(fault, &table).await);
            }
        }
        wrong.extend(objections(fault, line, &seen));
    }
    assert!(wrong.is_empty(), "{wrong:#?}\nCONTRIBUTING.md says how a row is written");
}

macro_rules! parts {
    ($($name:ident = $number:literal),*) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() { part($number).await; })*
    };
}

parts!(part_1 = 0, part_2 = 1, part_3 = 2, part_4 = 3, part_5 = 4, part_6 = 5);

#[test]
fn every_line_has_its_reason() {
    let table = Table::load();
    let words = table.words();
    let faults: BTreeSet<_> = Fault::all().map(|fault| fault.name).collect();
    let ids: BTreeSet<_> = registry().map(|check| check.id).collect();
    let mut wrong = Vec::new();
    for (fault, line) in &table.lines {
        let others: Vec<_> = line.also.iter().chain(&line.maybe).collect();
        if !faults.contains(fault.as_str()) {
            wrong.push(format!("{fault}: there is no such fault"));
        }
        // A fault that no check is there for, and one that sets off others, have to be explained.
        let odd = line.own.is_empty() || !others.is_empty();
        if odd == line.reason.is_empty() {
            wrong
                .push(format!("{fault}: a reason belongs to what is odd, and nowhere else; also {others:?}"));
        }
        for word in line.reason.split("; ").filter(|word| !word.is_empty() && !word.contains(' ')) {
            if !words.contains_key(word) {
                wrong.push(format!("{fault}: `{word}` is not among the words at the top"));
            }
        }
        wrong.extend(
            others.iter().filter(|id| !ids.contains(id.as_str())).map(|id| format!("{fault}: no check {id}")),
        );
    }
    let used: BTreeSet<_> = table.lines.values().flat_map(|line| line.reason.split("; ")).collect();
    wrong.extend(
        words.keys().filter(|word| !used.contains(*word)).map(|word| format!("nobody uses `{word}`")),
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The faults whose lines are written: those that `MATRIX` names, separated by commas, or all of them for `MATRIX=all`; else those
/// that have no line, or whose line names other checks than the registry does.
fn faults_to_write(table: &Table) -> Vec<&'static Fault> {
    let named = std::env::var("MATRIX").unwrap_or_default();
    let named: Vec<_> = named.split(',').filter(|name| !name.is_empty()).collect();
    let is_outdated = |fault: &Fault| {
        let line = table.lines.get(fault.name);
        line.is_none_or(|line| own_ids(fault, Some(line)) != line.own)
    };
    let is_chosen = |fault: &&Fault| match named.as_slice() {
        [] => is_outdated(fault),
        ["all"] => true,
        names => names.contains(&fault.name),
    };
    let chosen: Vec<_> = Fault::all().filter(is_chosen).collect();
    assert!(chosen.len() >= named.len(), "MATRIX names a fault that does not exist: {named:?}");
    chosen
}

/// Leaves the reasons as they are, and those checks that are set off only now and then. A fault whose tries do not agree keeps
/// its line, and fails the test.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the table"]
async fn write() {
    let mut table = Table::load();
    let mut unsteady = Vec::new();
    table.lines.retain(|name, _| Fault::all().any(|fault| fault.name == name));
    for fault in faults_to_write(&table) {
        let mut seen = set_off(fault, &table).await;
        for _ in 1..TRIES {
            seen = seen.and(set_off(fault, &table).await);
        }
        let mut line = table.lines.remove(fault.name).unwrap_or_default();
        let now_and_then: Vec<_> = seen
            .ever
            .keys()
            .filter(|id| !seen.always.contains(*id) && !line.maybe.contains(*id))
            .cloned()
            .collect();
        if now_and_then.is_empty() {
            line.own = own_ids(fault, Some(&line));
            let others = seen.always.into_iter();
            line.also = others.filter(|id| !line.own.contains(id) && !line.maybe.contains(id)).collect();
            table.lines.insert(fault.name.to_owned(), line);
        } else {
            unsteady.push(format!("{} sets off {now_and_then:?} only now and then", fault.name));
            if !line.own.is_empty() {
                table.lines.insert(fault.name.to_owned(), line);
            }
        }
    }
    table.write();
    assert!(unsteady.is_empty(), "{unsteady:#?}");
}
