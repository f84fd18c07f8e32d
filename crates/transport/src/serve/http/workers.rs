//! Threads that each serve their own connections.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio_util::sync::CancellationToken;

/// Threads with a runtime each. A connection stays on one thread, because waking another one costs more than answering.
#[derive(Debug, Default)]
pub(super) struct Workers {
    handles: Vec<Handle>,
    next: AtomicUsize,
}

impl Workers {
    /// Starts `count` threads, which end with `stop`. Without threads, connections stay on the caller's runtime.
    pub(super) fn start(count: usize, stop: &CancellationToken) -> io::Result<Self> {
        let handles = (0..count).map(|_| start(stop.clone())).collect::<io::Result<_>>()?;
        Ok(Self { handles, next: AtomicUsize::new(0) })
    }

    /// Serves `stream` on the next thread in turn.
    pub(super) fn spawn<F, W>(&self, stream: TcpStream, work: F)
    where
        F: FnOnce(TcpStream) -> W + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(handle) = self.handles.get(turn % self.handles.len().max(1)) else {
            tokio::spawn(work(stream));
            return;
        };
        // A socket is bound to the runtime that accepted it, and has to be registered with the other one.
        let Ok(stream) = stream.into_std() else { return };
        handle.spawn(async move {
            if let Ok(stream) = TcpStream::from_std(stream) {
                work(stream).await;
            }
        });
    }
}

fn start(stop: CancellationToken) -> io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let thread = std::thread::Builder::new().name("http".to_owned());
    thread.spawn(move || runtime.block_on(stop.cancelled()))?;
    Ok(handle)
}
