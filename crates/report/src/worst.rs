//! The worst that came of the checks that answer a test of an older catalogue.

use suite::{CaseReport, Outcome, Report};

use crate::seeds::Seed;

/// What came of a test of an older catalogue.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    /// The test.
    pub(crate) seed: &'a Seed,
    /// The case that decides it; none when no such check was part of the run.
    pub(crate) case: Option<&'a CaseReport>,
    /// Every case that answers it.
    pub(crate) cases: Vec<&'a CaseReport>,
}

/// What came of `seed` in `report`.
pub(crate) fn answer<'a>(seed: &'a Seed, report: &'a Report) -> Answer<'a> {
    let cases: Vec<_> = report
        .cases
        .iter()
        .filter(|case| {
            seed.checks.contains(&case.check.as_str()) || case.aliases.iter().any(|alias| alias == seed.id)
        })
        .collect();
    let case = cases.iter().copied().max_by_key(|case| weight(case.outcome));
    Answer { seed, case, cases }
}

impl Answer<'_> {
    /// How long its checks took, in microseconds.
    pub(crate) fn took_us(&self) -> u64 {
        self.cases.iter().map(|case| case.took_us).sum()
    }
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
