//! The end of a server that is reached by a URL. Nobody can start it again, so nothing that comes after can be tested.

use std::sync::{Mutex, OnceLock};

use protocol::Version;

use crate::lock::lock;
use crate::{Case, Finding};

/// Whether the server has ended, and at which check.
#[derive(Debug, Default)]
pub(crate) struct ServerEnd {
    at: OnceLock<(&'static str, Version)>,
    /// The cases that were under way, side by side, when the end was noticed.
    suspects: Mutex<Vec<(Case, Finding)>>,
}

impl ServerEnd {
    /// Notes that the server has ended at `case`. Only the first call counts.
    pub(crate) fn note(&self, case: &Case) {
        let _ = self.at.set((case.check.id, case.version));
    }

    /// Notes that the server has ended, maybe at `case`, which found this.
    pub(crate) fn suspect(&self, case: &Case, finding: Finding) {
        lock(&self.suspects).push((*case, finding));
    }

    /// The cases that the server may have ended at.
    pub(crate) fn take_suspects(&self) -> Vec<(Case, Finding)> {
        std::mem::take(&mut *lock(&self.suspects))
    }

    /// Whether the server has ended.
    pub(crate) fn has_come(&self) -> bool {
        self.at.get().is_some() || !lock(&self.suspects).is_empty()
    }

    /// What stands in the way of everything in `version` that comes after the end.
    pub(crate) fn obstacle(&self, version: Version) -> Option<Finding> {
        let (check, ended_in) = *self.at.get()?;
        let why = self.explain()?;
        Some(if ended_in == version { Finding::blocked_by(check, why) } else { Finding::blocked(why) })
    }

    /// Where the server has ended, as a sentence.
    pub(crate) fn explain(&self) -> Option<String> {
        let (check, version) = self.at.get()?;
        Some(format!("the server ended at {check} in {version}, and cannot be started again from here"))
    }
}
