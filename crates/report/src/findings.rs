//! Findings, with those that are the same in several revisions told once.

use protocol::Version;
use suite::{CaseReport, Outcome, Report};

/// Cases of one check that came out alike, but for the revision.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// The case that stands for all of them.
    pub(crate) case: &'a CaseReport,
    /// The revisions, oldest first.
    pub(crate) protocols: Vec<Version>,
}

/// The cases with this outcome, grouped, in the order in which they were found.
pub(crate) fn groups(report: &Report, outcome: Outcome) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for case in report.cases.iter().filter(|case| case.outcome == outcome) {
        match groups.iter_mut().find(|group| alike(group.case, case)) {
            Some(group) => group.protocols.push(case.protocol),
            None => groups.push(Group { case, protocols: vec![case.protocol] }),
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
        && one.level == other.level
        && one.expected == other.expected
        && one.actual == other.actual
}
