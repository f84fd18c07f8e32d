//! Findings, with those that are the same in several revisions told once.

use protocol::Version;
use suite::{CaseReport, Outcome, Report};

/// Cases of one check that came out alike, but for the revision and the transport.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// The case that stands for all of them.
    pub(crate) case: &'a CaseReport,
    /// The revisions, oldest first.
    pub(crate) protocols: Vec<Version>,
    /// The transports, in the order in which they occur.
    pub(crate) transports: Vec<&'a str>,
}

impl Group<'_> {
    /// The revisions as text.
    pub(crate) fn protocols(&self) -> Vec<&'static str> {
        self.protocols.iter().map(|version| version.as_str()).collect()
    }
}

/// The cases with this outcome, grouped, in the order in which they were found.
pub(crate) fn groups(report: &Report, outcome: Outcome) -> Vec<Group<'_>> {
    grouped(report.cases.iter().filter(|case| case.outcome == outcome))
}

/// Cases that came out alike, grouped.
pub(crate) fn grouped<'a>(cases: impl Iterator<Item = &'a CaseReport>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for case in cases {
        match groups.iter_mut().find(|group| alike(group.case, case)) {
            Some(group) => {
                group.protocols.push(case.protocol);
                if !group.transports.contains(&case.transport.as_str()) {
                    group.transports.push(&case.transport);
                }
            }
            None => {
                groups.push(Group {
                    case,
                    protocols: vec![case.protocol],
                    transports: vec![&case.transport],
                });
            }
        }
    }
    for group in &mut groups {
        group.protocols.sort_unstable();
        group.protocols.dedup();
    }
    groups
}

fn alike(one: &CaseReport, other: &CaseReport) -> bool {
    one.check == other.check
        && one.outcome == other.outcome
        && one.level == other.level
        && one.expected == other.expected
        && one.actual == other.actual
}
