//! A server within this process, as a target.

use std::sync::Arc;

use tokio::io::DuplexStream;

use crate::client::{Dial, Target};
use crate::serve::{Handler, pipe};

/// How much the pipe holds.
const PIPE: usize = 64 * 1024;

/// A handler of messages within this process, behind a pipe that carries lines like stdio; `name` is for people.
pub fn in_process<H: Handler>(handler: Arc<H>, name: impl Into<String>) -> Target {
    Target::InProcess(Arc::new(Piped { handler, name: name.into() }))
}

struct Piped<H> {
    handler: Arc<H>,
    name: String,
}

impl<H: Handler> Dial for Piped<H> {
    fn dial(&self) -> DuplexStream {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(pipe::serve(self.handler.clone(), read, write));
        ours
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
