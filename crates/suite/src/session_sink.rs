//! What becomes of the sessions of a run.

use std::fmt;
use std::sync::Arc;

use protocol::Version;
use transport::serve::Via;
use wire::Recorder;
use wire::recording::{Medium, Tape};

/// Is given every session of a run; clones give to the same one.
#[derive(Clone)]
pub struct SessionSink(Arc<dyn Fn(Tape) + Send + Sync>);

impl SessionSink {
    /// Gives every session to `take`, which names it.
    pub fn new(take: impl Fn(Tape) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    pub(crate) fn sessions(&self, version: Version, via: Via, sessions: &[Recorder]) {
        let medium = match via {
            Via::Pipe => Medium::Stdio,
            Via::StreamableHttp => Medium::Http,
            Via::HttpSse => Medium::HttpSse,
        };
        for session in sessions {
            let tape = Tape::new("", Some(medium), Some(version.to_string()));
            (self.0)(Tape { transcript: session.transcript(), ..tape });
        }
    }
}

impl fmt::Debug for SessionSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionSink")
    }
}
