//! The counts that JUnit has.

use std::fmt;

use super::test_case::Kind;

/// Tests, and those that did not pass.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Tally {
    /// One more.
    pub(super) const fn with(self, kind: Kind) -> Self {
        let mut tally = Self { tests: self.tests + 1, ..self };
        match kind {
            Kind::Passed => {}
            Kind::Failed => tally.failures += 1,
            Kind::Error => tally.errors += 1,
            Kind::Skipped => tally.skipped += 1,
        }
        tally
    }

    /// These and others.
    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tests, failures, errors, skipped } = self;
        write!(f, r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#)
    }
}
