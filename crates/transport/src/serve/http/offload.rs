//! Handles long messages and batches on threads of their own, a few at a time, so that no connection waits behind them.

use std::num::NonZero;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Bounds how many of the threads may work at a time. Clones share the bound.
///
/// The threads belong to one runtime and not to those of the connections, because each thread retains some of the
/// memory that it has used.
#[derive(Clone, Debug)]
pub(super) struct Offload {
    turns: Arc<Semaphore>,
    runtime: Handle,
}

impl Offload {
    /// At most half of the cores; the others are for short messages. Must be called within the runtime that owns the
    /// threads.
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self { turns: Arc::new(Semaphore::new((cores / 2).max(1))), runtime: Handle::current() }
    }

    /// Runs `work` on another thread when it is its turn; `None` when it panicked.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let turn = self.turns.clone().acquire_owned().await.ok()?;
        let done = self.runtime.spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.ok()
    }
}
