//! Applies a baseline to the events of a run, and finds the entries that no longer hold.

use std::collections::HashSet;

use super::{Baseline, Entry};
use crate::{CaseReport, Event, Outcome};

/// Turns outcomes into those that the baseline makes of them.
///
/// What passes though it is known to fail is kept back until it is clear whether something else that the same entry
/// covers fails: an entry that names no revision is true as long as one revision falls short.
#[derive(Debug)]
pub(crate) struct BaselineFilter<'b> {
    baseline: &'b Baseline,
    /// Entries, by their place, that a failure has proved right.
    holding: HashSet<usize>,
    held: Vec<CaseReport>,
    /// The outcomes of the checks that entries name.
    seen: Vec<EntryCoverage>,
}

/// What is known of the cases of an entry.
#[derive(Clone, Copy, Debug, Default)]
struct EntryCoverage {
    /// Some of its checks ran, possibly in another revision or over another transport.
    named: bool,
    /// Something that it covers ran.
    covered: bool,
    /// Something that it covers applies to the target.
    applies: bool,
}

impl<'b> BaselineFilter<'b> {
    /// Nothing seen so far.
    pub(crate) fn new(baseline: &'b Baseline) -> Self {
        let seen = vec![EntryCoverage::default(); baseline.entries.len()];
        Self { baseline, holding: HashSet::new(), held: Vec::new(), seen }
    }

    /// Takes an event in, and gives those that can be told now.
    pub(crate) fn take(&mut self, event: Event) -> Vec<Event> {
        match event {
            Event::Finished(case) => self.filter_case(case).map(Event::Finished).into_iter().collect(),
            Event::Ended { .. } => {
                let mut told: Vec<_> = self.release_held().into_iter().map(Event::Finished).collect();
                told.extend(self.unused_entries());
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
            | Event::UnusedEntry { .. }
            | Event::Viewed(_)
            | Event::Interrupted => vec![event],
        }
    }

    fn filter_case(&mut self, mut case: CaseReport) -> Option<CaseReport> {
        self.note_case(&case);
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

    /// The events that were held back until everything is known.
    fn release_held(&mut self) -> Vec<CaseReport> {
        let mut held = std::mem::take(&mut self.held);
        for case in &mut held {
            let stale = self.covering(case).iter().any(|entry| !self.holding.contains(entry));
            case.outcome = if stale { Outcome::UnexpectedPass } else { Outcome::Passed };
        }
        held
    }

    fn note_case(&mut self, case: &CaseReport) {
        for (entry, seen) in self.baseline.entries.iter().zip(&mut self.seen) {
            // A list for several transports is read by runs over one of them.
            let here = entry.transport.as_deref().is_none_or(|wanted| wanted == case.transport);
            seen.named |= here && entry.names(&case.check);
            if entry.covers(&case.check, case.protocol, &case.transport) {
                seen.covered = true;
                seen.applies |= case.outcome != Outcome::NotApplicable;
            }
        }
    }

    /// Entries that have no effect and could be removed. Checks that were not selected do not count.
    fn unused_entries(&self) -> impl Iterator<Item = Event> {
        let judged = self.baseline.entries.iter().zip(&self.seen).filter_map(|(entry, seen)| {
            let why = match seen {
                EntryCoverage { named: true, covered: false, .. } => "the revision was not measured",
                EntryCoverage { covered: true, applies: false, .. } => {
                    "what it covers does not apply to the target"
                }
                EntryCoverage { named: false, .. } | EntryCoverage { applies: true, .. } => return None,
            };
            Some(Event::UnusedEntry { entry: entry.text.clone(), why: why.to_owned() })
        });
        judged.collect::<Vec<_>>().into_iter()
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
    use transport::Transport;

    use super::*;
    use crate::{Case, Finding, Level, Report, Verdict};

    fn told(baseline: &str, verdicts: &[(Version, Verdict)]) -> Vec<Outcome> {
        run(baseline, verdicts).cases.iter().map(|case| case.outcome).collect()
    }

    fn run(baseline: &str, verdicts: &[(Version, Verdict)]) -> Report {
        let check = crate::by_id("server/tools/name-unique").unwrap();
        let baseline = Baseline::parse(baseline).unwrap();
        let mut filter = BaselineFilter::new(&baseline);
        let mut report = Report::default();
        let finished = verdicts.iter().map(|(version, verdict)| {
            let case = Case { check, version: *version, transport: Transport::Stdio, level: Level::Must };
            Event::Finished(CaseReport::new(&case, verdict, Duration::ZERO))
        });
        for event in finished.chain([Event::Ended { took: Duration::ZERO }]) {
            for event in filter.take(event) {
                report.add(&event);
            }
        }
        report
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
    fn an_entry_without_effect_is_said() {
        let unused = |baseline: &str, verdict: Verdict| {
            let report = run(baseline, &[(Version::V2025_11_25, verdict)]);
            report.unused_entries.into_iter().map(|unused| (unused.entry, unused.why)).collect::<Vec<_>>()
        };
        let told = unused("server/tools/name-unique 2024-11-05", Ok(()));
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].1, "the revision was not measured");
        let told = unused("server/tools/name-unique", Err(Finding::not_applicable("no tools")));
        assert_eq!(told[0].1, "what it covers does not apply to the target");
        // It holds, it is out of date, it could not be tested, it was not chosen, or it is for another transport.
        assert!(unused("server/tools/name-unique", violated()).is_empty());
        assert!(unused("server/tools/name-unique", Ok(())).is_empty());
        assert!(unused("server/tools/name-unique", Err(Finding::blocked("no answer"))).is_empty());
        assert!(unused("server/prompts", Ok(())).is_empty());
        assert!(unused("server/tools/name-unique 2025-11-25 http", Ok(())).is_empty());
    }

    #[test]
    fn what_could_not_be_tested_is_not_excused() {
        let blocked = [(Version::V2025_11_25, Err(Finding::blocked("no answer")))];
        assert_eq!(told("server/tools", &blocked), [Outcome::Blocked]);
    }
}
