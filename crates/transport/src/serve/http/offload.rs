//! Long messages and batches are handled on threads of their own, a few at a time, so that no connection waits behind them.

use std::num::NonZero;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// The threads, by the number of those that may be at work. Clones share them.
///
/// They belong to one runtime and not to those of the connections: each thread keeps for itself some of the memory that
/// it has ever used.
#[derive(Clone, Debug)]
pub(super) struct Offload {
    turns: Arc<Semaphore>,
    runtime: Handle,
}

impl Offload {
    /// Half of the cores at most: the others are for what is short. Called from within the runtime that has the threads.
    pub(super) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self { turns: Arc::new(Semaphore::new((cores / 2).max(1))), runtime: Handle::current() }
    }

    /// Has `work` done on another thread, when it is its turn; none when it broke.
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
