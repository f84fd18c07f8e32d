//! The counts that JUnit has.

use std::fmt;

use super::test_case::TestResult;

/// Tests, and those that did not pass.
#[derive(Clone, Copy, Default)]
pub(super) struct TestTally {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl TestTally {
    /// One more.
    pub(super) const fn with(self, kind: TestResult) -> Self {
        let mut tally = Self { tests: self.tests + 1, ..self };
        match kind {
            TestResult::Passed => {}
            TestResult::Failed => tally.failures += 1,
            TestResult::Error => tally.errors += 1,
            TestResult::Skipped => tally.skipped += 1,
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

impl fmt::Display for TestTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tests, failures, errors, skipped } = self;
        write!(f, r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#)
    }
}
