//! What is recorded of a case.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Finding, Level, Verdict};

/// What is recorded of a case; made only from the level, the verdict and the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It does what it should.
    Passed,
    /// A MUST is broken.
    Failed,
    /// A SHOULD is not followed, or advice.
    Warned,
    /// It could not be tested.
    Blocked,
    /// The target does not have what the check is about.
    NotApplicable,
    /// The suite itself went wrong.
    Broke,
    /// It fails, as the baseline says it does.
    KnownFailure,
    /// It passes, though the baseline says that it fails.
    UnexpectedPass,
}

/// How many cases came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// [`Outcome::Passed`]
    pub passed: usize,
    /// [`Outcome::Failed`]
    pub failed: usize,
    /// [`Outcome::Warned`]
    pub warned: usize,
    /// [`Outcome::Blocked`]
    pub blocked: usize,
    /// [`Outcome::NotApplicable`]
    pub not_applicable: usize,
    /// [`Outcome::Broke`]
    pub broke: usize,
    /// [`Outcome::KnownFailure`]
    pub known_failures: usize,
    /// [`Outcome::UnexpectedPass`]
    pub unexpected_passes: usize,
}

impl Outcome {
    /// What to record, as long as no baseline speaks.
    pub const fn from_verdict(level: Level, verdict: &Verdict) -> Self {
        match (verdict, level) {
            (Ok(()), _) => Self::Passed,
            (Err(Finding::Violated(_)), Level::Must) => Self::Failed,
            (Err(Finding::Violated(_)), Level::Should | Level::Advice) => Self::Warned,
            (Err(Finding::Blocked(_)), _) => Self::Blocked,
            (Err(Finding::NotApplicable(_)), _) => Self::NotApplicable,
            (Err(Finding::Broke(_)), _) => Self::Broke,
        }
    }

    /// What to record when the baseline says that it fails.
    #[must_use]
    pub const fn known(self) -> Self {
        match self {
            Self::Passed => Self::UnexpectedPass,
            Self::Failed | Self::Warned => Self::KnownFailure,
            Self::Blocked | Self::NotApplicable | Self::Broke | Self::KnownFailure | Self::UnexpectedPass => {
                self
            }
        }
    }

    /// Whether a reader has to look at it.
    pub const fn is_finding(self) -> bool {
        match self {
            Self::Failed | Self::Warned | Self::Blocked | Self::Broke | Self::UnexpectedPass => true,
            Self::Passed | Self::NotApplicable | Self::KnownFailure => false,
        }
    }

    /// The outcome as a word or two.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Warned => "warning",
            Self::Blocked => "blocked",
            Self::NotApplicable => "not applicable",
            Self::Broke => "broke",
            Self::KnownFailure => "known failure",
            Self::UnexpectedPass => "unexpected pass",
        }
    }
}

impl Counts {
    /// One more.
    pub const fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Passed => &mut self.passed,
            Outcome::Failed => &mut self.failed,
            Outcome::Warned => &mut self.warned,
            Outcome::Blocked => &mut self.blocked,
            Outcome::NotApplicable => &mut self.not_applicable,
            Outcome::Broke => &mut self.broke,
            Outcome::KnownFailure => &mut self.known_failures,
            Outcome::UnexpectedPass => &mut self.unexpected_passes,
        };
        *count += 1;
    }

    /// These and others.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            warned: self.warned + other.warned,
            blocked: self.blocked + other.blocked,
            not_applicable: self.not_applicable + other.not_applicable,
            broke: self.broke + other.broke,
            known_failures: self.known_failures + other.known_failures,
            unexpected_passes: self.unexpected_passes + other.unexpected_passes,
        }
    }

    /// Those of many cases.
    pub fn count(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            counts.add(outcome);
        }
        counts
    }

    /// Each outcome that occurred, with its count, worst first.
    pub fn listed(&self) -> impl Iterator<Item = (Outcome, usize)> {
        let all = [
            (Outcome::Broke, self.broke),
            (Outcome::Failed, self.failed),
            (Outcome::UnexpectedPass, self.unexpected_passes),
            (Outcome::Blocked, self.blocked),
            (Outcome::Warned, self.warned),
            (Outcome::KnownFailure, self.known_failures),
            (Outcome::Passed, self.passed),
            (Outcome::NotApplicable, self.not_applicable),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_verdict_and_baseline_decide() {
        let violated: Verdict = Err(Finding::violated("a", "b"));
        assert_eq!(Outcome::from_verdict(Level::Must, &violated), Outcome::Failed);
        assert_eq!(Outcome::from_verdict(Level::Should, &violated), Outcome::Warned);
        assert_eq!(Outcome::from_verdict(Level::Advice, &violated), Outcome::Warned);
        assert_eq!(Outcome::from_verdict(Level::Must, &violated).known(), Outcome::KnownFailure);
        assert_eq!(Outcome::from_verdict(Level::Must, &Ok(())).known(), Outcome::UnexpectedPass);
        assert_eq!(Outcome::from_verdict(Level::Must, &Err(Finding::blocked("x"))), Outcome::Blocked);
        let absent = Outcome::from_verdict(Level::Must, &Err(Finding::not_applicable("x")));
        assert_eq!(absent.known(), Outcome::NotApplicable);
    }

    #[test]
    fn what_could_not_be_tested_is_never_quiet() {
        assert!(Outcome::Blocked.is_finding() && Outcome::Broke.is_finding());
        assert!(!Outcome::NotApplicable.is_finding());
    }
}
