//! A server within this process, as a target.

use std::sync::Arc;

use tokio::io::DuplexStream;

use crate::client::{Dial, Target};
use crate::serve::{Handler, pipe};

/// How many bytes the pipe buffers.
const PIPE_BYTES: usize = 64 * 1024;

/// Makes a target of a handler within this process. It stands behind a pipe that carries lines, as stdio does. `name`
/// is shown to people.
pub fn in_process<H: Handler>(handler: Arc<H>, name: impl Into<String>) -> Target {
    Target::InProcess(Arc::new(Piped { handler, name: name.into() }))
}

struct Piped<H> {
    handler: Arc<H>,
    name: String,
}

impl<H: Handler> Dial for Piped<H> {
    fn dial(&self) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(pipe::serve(self.handler.clone(), read, write));
        ours
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
