//! The links carry bytes to and from a target, and record them.

mod child;
mod descendants;
pub(crate) mod http;
mod outbox;
pub(crate) mod pipe;
pub(crate) mod raw;
mod sse;
mod stderr;

pub(crate) use child::Child;
pub use child::{ProcessEnd, Step};
pub use descendants::{adopt_orphans, end_descendants};
pub(crate) use pipe::Pipe;
pub(crate) use sse::HttpSse;

use tokio::task::JoinHandle;

/// A task that ends with its owner.
#[derive(Debug)]
pub(crate) struct Task(JoinHandle<()>);

impl Task {
    pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(tokio::spawn(work))
    }

    pub(crate) async fn finished(&mut self) {
        // A task must not be polled again after it has finished.
        if !self.0.is_finished() {
            // A panic was reported where it happened; here the task has just ended.
            let _ = (&mut self.0).await;
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}
