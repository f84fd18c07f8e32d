//! Finds the finding that explains why a case could not be tested.

use std::collections::HashMap;

use protocol::Version;

use crate::{CaseReport, Outcome, Report};

/// How many obstacles may stand behind each other; more than that is a circle.
const DEPTH: usize = 8;

/// The cases of a report, by what names them.
#[derive(Debug)]
pub struct Causes<'r> {
    cases: HashMap<(&'r str, Version, &'r str), &'r CaseReport>,
}

impl<'r> Causes<'r> {
    /// Those of `report`.
    pub fn new(report: &'r Report) -> Self {
        let key = |case: &'r CaseReport| (case.check.as_str(), case.protocol, case.transport.as_str());
        Self { cases: report.cases.iter().map(|case| (key(case), case)).collect() }
    }

    /// The finding that `case` is a consequence of: in the same revision, over the same transport. `None` when the case
    /// has a verdict of its own, or when nothing that was found explains it.
    pub fn find(&self, case: &CaseReport) -> Option<&'r CaseReport> {
        let mut because = case.because.as_deref().filter(|_| case.outcome == Outcome::Blocked)?;
        for _ in 0..DEPTH {
            let behind = *self.cases.get(&(because, case.protocol, case.transport.as_str()))?;
            match behind.outcome {
                Outcome::Failed | Outcome::Warned | Outcome::KnownFailure => return Some(behind),
                Outcome::Blocked => because = behind.because.as_deref()?,
                Outcome::Passed | Outcome::NotApplicable | Outcome::Broke | Outcome::UnexpectedPass => {
                    return None;
                }
            }
        }
        None
    }

    /// Whether `case` could not be tested because of a failure that the baseline knows.
    pub fn is_excused(&self, case: &CaseReport) -> bool {
        self.find(case).is_some_and(|cause| cause.outcome == Outcome::KnownFailure)
    }
}
