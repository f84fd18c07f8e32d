//! The worst that came of the checks that answer a test of an older catalogue together.

use suite::{CaseReport, Outcome};

/// The case that decides.
pub(crate) fn worst<'a>(cases: &[&'a CaseReport]) -> Option<&'a CaseReport> {
    cases.iter().copied().max_by_key(|case| weight(case.outcome))
}

/// A verdict outweighs none, and among verdicts the worst decides.
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
