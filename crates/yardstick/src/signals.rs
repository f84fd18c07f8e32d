//! Signals, received on a thread that does nothing else, so that no work keeps the program from ending.
//!
//! The first signal asks the command to stop and to write down what it knows. A second signal, or a second of waiting, ends the
//! process.

use std::sync::{LazyLock, Once, mpsc};
use std::time::Duration;

use tokio::sync::watch;

use crate::exit::{Exit, begin_ending};

/// How long what is under way may take once a signal has come.
const GRACE: Duration = Duration::from_millis(950);

/// Whether a signal has come.
static HEARD: LazyLock<watch::Sender<bool>> = LazyLock::new(|| watch::channel(false).0);
static LISTENING: Once = Once::new();

/// What the first signal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// It asks the command to stop, within a time limit.
    Asks,
    /// It asks the command to stop, without a time limit: the user wants what the command does at its end. A second signal does
    /// not wait.
    Finishes,
    /// It ends the process: there is nothing to write down.
    Ends,
}

/// Begins to listen: Ctrl-C, a terminal that is closed, and what a supervisor sends.
pub(crate) fn listen(first: First) {
    LISTENING.call_once(|| {
        let (ready, listening) = mpsc::channel();
        // Without this thread a signal ends the process, as it does by default.
        let begun = std::thread::Builder::new().name("signals".to_owned()).spawn(move || hear(first, &ready));
        if begun.is_ok() {
            // Wait until the thread listens, so that whatever starts next can be ended. A thread that cannot listen drops its sender.
            let _ = listening.recv();
        }
    });
}

/// Waits until the program is told to stop.
pub(crate) async fn told_to_stop() {
    listen(First::Asks);
    // The sender is never dropped.
    let _ = HEARD.subscribe().wait_for(|heard| *heard).await;
}

fn hear(first: First, ready: &mpsc::Sender<()>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let Ok(mut signals) = Signals::new() else { return };
        // The thread that called `listen` is waiting for this.
        let _ = ready.send(());
        signals.next().await;
        HEARD.send_replace(true);
        match first {
            First::Asks => drop(tokio::time::timeout(GRACE, signals.next()).await),
            First::Finishes => signals.next().await,
            First::Ends => {}
        }
        begin_ending();
        Exit::Interrupted.leave();
    });
}

#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hang_up] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        // This system has no signals to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
