//! The checks that have failed, so that one wrong is told by one of them.

use std::collections::HashSet;
use std::sync::Mutex;

use crate::lock::lock;
use crate::{CaseReport, Event, Outcome};

/// The checks that have failed in one revision. A warning does not count: what fails is never folded under it.
#[derive(Debug, Default)]
pub(crate) struct FailedChecks(Mutex<HashSet<String>>);

impl FailedChecks {
    /// Notes the check of a case that has failed.
    pub(crate) fn note(&self, event: &Event) {
        if let Event::Finished(CaseReport { check, outcome: Outcome::Failed, .. }) = event {
            lock(&self.0).insert(check.clone());
        }
    }

    /// The first of `checks` that has failed.
    pub(crate) fn find(&self, checks: &[&'static str]) -> Option<&'static str> {
        let failed = lock(&self.0);
        checks.iter().copied().find(|check| failed.contains(*check))
    }
}
