//! A server that is a process: its streams, its end, and what it wrote to stderr.

use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout};
use wire::Recorder;

pub use crate::client::ProcessEnd;
use crate::client::bounded_recorder::BoundedRecorder;
use crate::client::link::Child;
use crate::client::{Failure, Limits, Program};

/// A server that is a process, in a process group of its own. Dropping it kills the whole group.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
}

impl ServerProcess {
    /// Starts a program, with its stdin and stdout.
    pub fn start(program: &Program) -> Result<(Self, ChildStdin, ChildStdout), Failure> {
        let unread = BoundedRecorder::new(Recorder::new(), &Limits::default());
        let (child, stdin, stdout) = Child::spawn(program, &unread)?;
        Ok((Self { child }, stdin, stdout))
    }

    /// The process id.
    pub const fn pid(&self) -> Option<u32> {
        self.child.pid()
    }

    /// How the process ended and its last lines on stderr, once its stdout has ended.
    pub async fn explain_end(&self) -> String {
        let (how, stderr) = self.child.ending().await;
        let mut lines = stderr.0;
        match lines.pop() {
            Some(last) => format!("{how}; it wrote to stderr: {last}"),
            None => how,
        }
    }

    /// Ends the process once its stdin was closed: waits, SIGTERM, waits, SIGKILL.
    pub async fn end(&self, step: Duration) -> ProcessEnd {
        self.child.shut_down(self.child.status(), step).await
    }
}
