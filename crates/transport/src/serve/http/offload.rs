//! Long messages are handled on threads of their own, a few at a time, so that no connection waits behind them.

use std::num::NonZero;
use std::sync::Arc;

use tokio::sync::Semaphore;

/// Handling what is longer takes so long that others would notice.
pub(super) const LONG: usize = 64 * 1024;

/// The threads, by the number of those that may be at work. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Offload(Arc<Semaphore>);

impl Offload {
    /// Half of the cores at most: the others are for what is short.
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self(Arc::new(Semaphore::new((cores / 2).max(1))))
    }

    /// Has `work` done on another thread, when it is its turn; none when it broke.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let turn = self.0.clone().acquire_owned().await.ok()?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.ok()
    }
}
