//! What becomes of the sessions of a run.

use std::fmt;
use std::sync::Arc;

use protocol::Version;
use transport::Transport;
use wire::Recorder;
use wire::recording::RecordedSession;

/// Is given every session of a run; clones give to the same one.
#[derive(Clone)]
pub struct SessionSink(Arc<dyn Fn(RecordedSession) + Send + Sync>);

impl SessionSink {
    /// Gives every session to `take`, which names it.
    pub fn new(take: impl Fn(RecordedSession) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    pub(crate) fn give_sessions(&self, version: Version, transport: Transport, sessions: &[Recorder]) {
        for session in sessions {
            let recorded = RecordedSession::new("", Some(transport.medium()), Some(version.to_string()));
            (self.0)(RecordedSession { transcript: session.transcript(), ..recorded });
        }
    }
}

impl fmt::Debug for SessionSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionSink")
    }
}
