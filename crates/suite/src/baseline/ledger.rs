//! Which entries of a baseline still hold, found out while a run goes on.

use std::collections::HashSet;

use super::{Baseline, Entry};
use crate::{CaseReport, Event, Outcome};

/// Turns outcomes into those that the baseline makes of them.
///
/// What passes though it is known to fail is kept back until it is clear whether something else that the same entry
/// covers fails: an entry that names no revision is true as long as one revision falls short.
#[derive(Debug)]
pub(crate) struct Ledger<'b> {
    baseline: &'b Baseline,
    /// Entries, by their place, that a failure has proved right.
    holding: HashSet<usize>,
    held: Vec<CaseReport>,
}

impl<'b> Ledger<'b> {
    /// Nothing seen so far.
    pub(crate) fn new(baseline: &'b Baseline) -> Self {
        Self { baseline, holding: HashSet::new(), held: Vec::new() }
    }

    /// Takes an event in, and gives those that can be told now.
    pub(crate) fn take(&mut self, event: Event) -> Vec<Event> {
        match event {
            Event::Finished(case) => self.case(case).map(Event::Finished).into_iter().collect(),
            Event::Ended { .. } => {
                let mut told: Vec<_> = self.release().into_iter().map(Event::Finished).collect();
                told.push(event);
                told
            }
            Event::Reached(_)
            | Event::Unreached { .. }
            | Event::Spoken { .. }
            | Event::Absent { .. }
            | Event::Unsettled { .. }
            | Event::Began { .. }
            | Event::Surveyed { .. }
            | Event::Interrupted => vec![event],
        }
    }

    fn case(&mut self, mut case: CaseReport) -> Option<CaseReport> {
        let covering = self.covering(&case);
        if covering.is_empty() {
            return Some(case);
        }
        case.outcome = case.outcome.known();
        if case.outcome == Outcome::UnexpectedPass {
            self.held.push(case);
            return None;
        }
        if case.outcome == Outcome::KnownFailure {
            self.holding.extend(covering);
        }
        Some(case)
    }

    /// What was kept back, now that all is known.
    fn release(&mut self) -> Vec<CaseReport> {
        let mut held = std::mem::take(&mut self.held);
        for case in &mut held {
            let stale = self.covering(case).iter().any(|entry| !self.holding.contains(entry));
            case.outcome = if stale { Outcome::UnexpectedPass } else { Outcome::Passed };
        }
        held
    }

    fn covering(&self, case: &CaseReport) -> Vec<usize> {
        let covers = |entry: &Entry| entry.covers(&case.check, case.protocol, &case.transport);
        let entries = self.baseline.entries.iter().enumerate();
        entries.filter(|(_, entry)| covers(entry)).map(|(at, _)| at).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use protocol::Version;
    use transport::serve::Via;

    use super::*;
    use crate::{Case, Finding, Level, Report, Verdict};

    fn told(baseline: &str, verdicts: &[(Version, Verdict)]) -> Vec<Outcome> {
        let check = crate::by_id("server/tools/name-unique").unwrap();
        let baseline = Baseline::parse(baseline).unwrap();
        let mut ledger = Ledger::new(&baseline);
        let mut report = Report::default();
        let finished = verdicts.iter().map(|(version, verdict)| {
            let case = Case { check, version: *version, via: Via::Pipe, level: Level::Must };
            Event::Finished(CaseReport::new(&case, verdict, Duration::ZERO))
        });
        for event in finished.chain([Event::Ended { took: Duration::ZERO }]) {
            for event in ledger.take(event) {
                report.add(&event);
            }
        }
        report.cases.iter().map(|case| case.outcome).collect()
    }

    fn violated() -> Verdict {
        Err(Finding::violated("a", "b"))
    }

    #[test]
    fn an_entry_without_a_revision_holds_while_any_falls_short() {
        let mixed = [(Version::V2025_06_18, Ok(())), (Version::V2025_11_25, violated())];
        assert_eq!(told("server/tools/name-unique", &mixed), [Outcome::Passed, Outcome::KnownFailure]);
        let sound = [(Version::V2025_06_18, Ok(())), (Version::V2025_11_25, Ok(()))];
        assert_eq!(told("server/tools", &sound), [Outcome::UnexpectedPass; 2]);
    }

    #[test]
    fn an_entry_with_a_revision_speaks_of_that_alone() {
        let mixed = [(Version::V2025_06_18, violated()), (Version::V2025_11_25, Ok(()))];
        let line = "server/tools/name-unique 2025-11-25";
        assert_eq!(told(line, &mixed), [Outcome::Failed, Outcome::UnexpectedPass]);
        assert_eq!(
            told("server/tools/name-unique 2025-11-25 http", &mixed),
            [Outcome::Failed, Outcome::Passed]
        );
    }

    #[test]
    fn what_could_not_be_tested_is_not_excused() {
        let blocked = [(Version::V2025_11_25, Err(Finding::blocked("no answer")))];
        assert_eq!(told("server/tools", &blocked), [Outcome::Blocked]);
    }
}
