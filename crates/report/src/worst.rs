//! The worst of several cases, for formats in which several checks answer one test.

use suite::{CaseReport, Outcome};

/// The case with the worst outcome.
pub(crate) fn worst<'a>(cases: &[&'a CaseReport]) -> Option<&'a CaseReport> {
    cases.iter().copied().max_by_key(|case| weight(case.outcome))
}

/// How bad an outcome is. Any verdict weighs more than none.
const fn weight(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::NotApplicable => 0,
        Outcome::Passed | Outcome::UnexpectedPass => 1,
        Outcome::Warned => 2,
        Outcome::Blocked => 3,
        Outcome::Broke => 4,
        Outcome::KnownFailure => 5,
        Outcome::Failed => 6,
    }
}
