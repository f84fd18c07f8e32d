//! The verdict on each revision, and on the whole.

use protocol::Version;
use serde::{Deserialize, Serialize};

use crate::{Causes, Counts, Outcome, Report};

/// The answer to the question "is mine right?".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing is broken.
    Conformant,
    /// Something is.
    NotConformant,
    /// It could not be tested, or not all of it.
    Incomplete,
}

/// The result of one revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionReport {
    /// The revision.
    pub protocol: Version,
    /// Whether the target does what the revision asks.
    pub verdict: Verdict,
    /// How many cases came out how.
    pub counts: Counts,
    /// The checks that make it not conformant, in the order of the report.
    pub findings: Vec<String>,
    /// Why it could not be found out whether the target speaks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Verdict {
    /// The answer for several targets: a failure outweighs what could not be tested.
    #[must_use]
    pub const fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::NotConformant, _) | (_, Self::NotConformant) => Self::NotConformant,
            (Self::Incomplete, _) | (_, Self::Incomplete) => Self::Incomplete,
            (Self::Conformant, Self::Conformant) => Self::Conformant,
        }
    }

    /// A failure outweighs what could not be tested; a run that tested nothing is not a success. What `excused` counts is
    /// blocked by failures that the baseline knows.
    const fn conclude(counts: &Counts, excused: usize, is_open: bool) -> Self {
        if counts.failed > 0 || counts.unexpected_passes > 0 {
            Self::NotConformant
        } else if is_open
            || counts.blocked > excused
            || counts.broke > 0
            || counts.passed + counts.warned + counts.known_failures == 0
        {
            Self::Incomplete
        } else {
            Self::Conformant
        }
    }
}

impl Report {
    /// The answer for the whole.
    pub fn verdict(&self) -> Verdict {
        let is_open = !self.unsettled.is_empty() || self.unreached.is_some() || self.interrupted;
        let causes = Causes::new(self);
        let excused = self.cases.iter().filter(|case| causes.is_excused(case)).count();
        Verdict::conclude(&self.counts, excused, is_open)
    }

    /// The answer for every revision that was measured or should have been, oldest first.
    pub fn revisions(&self) -> Vec<RevisionReport> {
        let mut versions: Vec<_> = self.cases.iter().map(|case| case.protocol).collect();
        versions.extend(self.unsettled.iter().map(|unsettled| unsettled.protocol));
        if self.interrupted {
            versions.extend(&self.target.speaks);
        }
        versions.sort_unstable();
        versions.dedup();
        let causes = Causes::new(self);
        versions.into_iter().map(|version| self.revision(version, &causes)).collect()
    }

    /// Whether the run was ended from outside before a revision, with so many cases so far, was through.
    fn is_cut_short(&self, protocol: Version, cases: usize) -> bool {
        let of_it = self.planned.iter().filter(|planned| planned.protocol == protocol);
        let planned: usize = of_it.map(|planned| planned.cases).sum();
        self.interrupted && (planned == 0 || cases < planned)
    }

    fn revision(&self, protocol: Version, causes: &Causes<'_>) -> RevisionReport {
        let cases: Vec<_> = self.cases.iter().filter(|case| case.protocol == protocol).collect();
        let counts = Counts::count(cases.iter().map(|case| case.outcome));
        let excused = cases.iter().filter(|case| causes.is_excused(case)).count();
        let unsettled = self.unsettled.iter().find(|unsettled| unsettled.protocol == protocol);
        let is_open = unsettled.is_some() || self.is_cut_short(protocol, cases.len());
        let mut findings: Vec<String> = Vec::new();
        for case in cases {
            let breaks = matches!(case.outcome, Outcome::Failed | Outcome::UnexpectedPass);
            if breaks && !findings.contains(&case.check) {
                findings.push(case.check.clone());
            }
        }
        RevisionReport {
            protocol,
            verdict: Verdict::conclude(&counts, excused, is_open),
            counts,
            findings,
            why: unsettled.map(|unsettled| unsettled.why.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use transport::Transport;

    use super::*;
    use crate::{Baseline, Case, CaseReport, Event, Finding, Level, Unsettled};

    const CAUSE: &str = "server/tools/listed";
    const OTHER: &str = "server/tools/name-unique";
    const NEW: Version = Version::V2025_11_25;
    const OLD: Version = Version::V2025_03_26;

    fn case(check: &str, version: Version, verdict: &crate::Verdict) -> CaseReport {
        let case = Case {
            check: crate::by_id(check).unwrap(),
            version,
            transport: Transport::Stdio,
            level: Level::Must,
        };
        CaseReport::new(&case, verdict, Duration::ZERO)
    }

    fn report(cases: Vec<CaseReport>) -> Report {
        let mut report = Report::default();
        for case in cases {
            report.add(&Event::Finished(case));
        }
        report
    }

    #[test]
    fn each_revision_has_its_own_verdict() {
        let mut report = report(vec![
            case(CAUSE, OLD, &Err(Finding::violated("a", "b"))),
            case(OTHER, OLD, &Ok(())),
            case(CAUSE, NEW, &Ok(())),
        ]);
        let told: Vec<_> = report.revisions().into_iter().map(|one| (one.protocol, one.verdict)).collect();
        assert_eq!(told, [(OLD, Verdict::NotConformant), (NEW, Verdict::Conformant)]);
        assert_eq!(report.revisions()[0].findings, [CAUSE]);
        report.unsettled.push(Unsettled { protocol: Version::V2026_07_28, why: "silence".to_owned() });
        let last = report.revisions().pop().unwrap();
        assert_eq!((last.verdict, last.why.as_deref()), (Verdict::Incomplete, Some("silence")));
        assert_eq!(report.verdict(), Verdict::NotConformant);
    }

    #[test]
    fn what_a_known_failure_blocks_does_not_fail_a_run() {
        let blocked = || Err(Finding::blocked_by(CAUSE, "no list"));
        let cases = |known: bool| {
            let mut first = case(CAUSE, NEW, &Err(Finding::violated("a", "b")));
            if known {
                first.outcome = first.outcome.known();
            }
            vec![first, case(OTHER, NEW, &blocked())]
        };
        assert_eq!(report(cases(true)).verdict(), Verdict::Conformant);
        assert_eq!(report(cases(true)).revisions()[0].verdict, Verdict::Conformant);
        assert_eq!(report(cases(false)).verdict(), Verdict::NotConformant);
        // In another revision nothing explains it.
        let mut elsewhere = cases(true);
        elsewhere[1].protocol = OLD;
        assert_eq!(report(elsewhere).verdict(), Verdict::Incomplete);
        let mut alone = cases(true);
        alone[1].because = None;
        assert_eq!(report(alone).verdict(), Verdict::Incomplete);
    }

    #[test]
    fn the_baseline_of_a_run_makes_the_next_run_green() {
        let found = report(vec![
            case(CAUSE, NEW, &Err(Finding::violated("a", "b"))),
            case(OTHER, NEW, &Err(Finding::blocked_by(CAUSE, "no list"))),
        ]);
        let baseline = Baseline::parse(&Baseline::write(&found)).unwrap();
        let mut filter = crate::baseline::BaselineFilter::new(&baseline);
        let mut again = Report::default();
        let finished = found.cases.into_iter().map(Event::Finished);
        for event in finished.chain([Event::Ended { took: Duration::ZERO }]) {
            for event in filter.take(event) {
                again.add(&event);
            }
        }
        assert_eq!(again.verdict(), Verdict::Conformant);
    }

    #[test]
    fn an_interrupted_run_leaves_the_revisions_that_were_through() {
        let mut report = Report::default();
        report.target.speaks = vec![OLD, NEW, Version::V2026_07_28];
        report.add(&Event::Began { version: OLD, cases: 1 });
        report.add(&Event::Finished(case(CAUSE, OLD, &Ok(()))));
        report.add(&Event::Began { version: NEW, cases: 2 });
        report.add(&Event::Finished(case(CAUSE, NEW, &Ok(()))));
        report.add(&Event::Interrupted);
        report.add(&Event::Ended { took: Duration::ZERO });
        let verdicts: Vec<_> = report.revisions().into_iter().map(|one| one.verdict).collect();
        assert_eq!(verdicts, [Verdict::Conformant, Verdict::Incomplete, Verdict::Incomplete]);
        assert_eq!(report.verdict(), Verdict::Incomplete);
    }

    #[test]
    fn a_circle_of_obstacles_explains_nothing() {
        let mut cases =
            vec![case(CAUSE, NEW, &Err(Finding::blocked_by(CAUSE, "itself"))), case(OTHER, NEW, &Ok(()))];
        cases[0].because = Some(CAUSE.to_owned());
        assert_eq!(report(cases).verdict(), Verdict::Incomplete);
    }
}
