//! Ends a session in order.

use std::time::Duration;

use protocol::Era;
use tokio::time::Instant;

use super::{Channel, Session};
use crate::client::Failure;
use crate::client::link::ProcessEnd;
use crate::client::link::pipe::PipeEnd;

/// How a session ended.
#[derive(Clone, Debug)]
pub enum Closing {
    /// A process was shut down.
    Process(ProcessEnd),
    /// A pipe within this process was closed.
    Pipe {
        /// Whether the other end closed its side in time.
        ended: bool,
        /// How long it took.
        took: Duration,
    },
    /// An HTTP session was ended with DELETE.
    Deleted {
        /// The status of the answer, or why there was none.
        status: Result<u16, Failure>,
        /// How long it took.
        took: Duration,
    },
    /// Connections were closed; there was nothing else to close.
    HungUp,
}

impl Session {
    /// Ends the session in order: stdin closed, then signals; DELETE of an HTTP session; streams closed.
    pub async fn close(&self) -> Closing {
        self.close_within(self.inner.limits.shutdown).await
    }

    /// The same, with `step` for each step of the shutdown of a process.
    pub async fn close_within(&self, step: Duration) -> Closing {
        let limits = &self.inner.limits;
        match &*self.inner.channel {
            Channel::Pipe(pipe) => match pipe.close(step).await {
                PipeEnd::Process(end) => Closing::Process(end),
                PipeEnd::InProcess { ended, took } => Closing::Pipe { ended, took },
            },
            Channel::Streamable(http) => {
                let start = Instant::now();
                http.stop_listening().await;
                let deleted = match self.inner.version.era() {
                    Era::Legacy => http.delete(start + limits.request).await,
                    Era::Modern => None,
                };
                http.http.hang_up();
                match deleted {
                    Some(status) => Closing::Deleted { status, took: start.elapsed() },
                    None => Closing::HungUp,
                }
            }
            Channel::HttpSse { http, sse, .. } => {
                sse.close();
                http.hang_up();
                Closing::HungUp
            }
        }
    }
}
