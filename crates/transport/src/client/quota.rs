//! Bounds what the sessions of one run may receive together, and refuses a target that floods.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Failure;

/// The most bytes that a run may receive. Each message counts with its overhead.
const MAX_RUN_BYTES: usize = 96 * 1024 * 1024;
/// The bound of a session with a target that has flooded another one before.
const MAX_SESSION_BYTES_AFTER_FLOOD: usize = 2 * 1024 * 1024;
/// After so many floods no more sessions are opened, because trying again would take minutes.
const MAX_FLOODS: usize = 8;

/// What the sessions of one run may receive together. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct RunQuota(Arc<State>);

#[derive(Debug, Default)]
struct State {
    received: AtomicUsize,
    floods: AtomicUsize,
    /// Unlimited, for long-lived sessions. Single messages are still bounded.
    is_endless: bool,
}

impl RunQuota {
    /// A quota that is never used up.
    pub fn endless() -> Self {
        Self(Arc::new(State { is_endless: true, ..State::default() }))
    }

    /// The bound of a new session, which is `usual` at most.
    pub(crate) fn session_bound(&self, usual: usize) -> usize {
        if self.0.floods.load(Ordering::Relaxed) == 0 {
            usual
        } else {
            usual.min(MAX_SESSION_BYTES_AFTER_FLOOD)
        }
    }

    /// Refuses another session with a target that has flooded too many.
    pub(crate) fn admit_session(&self) -> Result<(), Failure> {
        let is_over = self.0.floods.load(Ordering::Relaxed) >= MAX_FLOODS || self.is_used_up();
        if is_over { Err(Failure::Flooded { limit: MAX_RUN_BYTES }) } else { Ok(()) }
    }

    /// Counts what came; false when the run has no room for it.
    pub(crate) fn receive(&self, bytes: usize) -> bool {
        self.0.received.fetch_add(bytes, Ordering::Relaxed);
        !self.is_used_up()
    }

    /// Notes that a session has hit its bound.
    pub(crate) fn note_flood(&self) {
        if !self.0.is_endless {
            self.0.floods.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_used_up(&self) -> bool {
        !self.0.is_endless && self.0.received.load(Ordering::Relaxed) > MAX_RUN_BYTES
    }
}

/// Limits with the same bounds are the same, whatever was used of them.
impl PartialEq for RunQuota {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RunQuota {}
