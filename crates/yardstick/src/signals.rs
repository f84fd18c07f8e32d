//! Signals, received on a thread that does nothing else, so that no work keeps the program from ending.
//!
//! The first signal asks the command to stop and to write down what it knows. A second signal, or a second later, ends the
//! process.

use std::sync::{LazyLock, Once, mpsc};
use std::time::Duration;

use tokio::sync::watch;

use crate::exit::{Exit, begin_ending};

/// How long what is under way may take once a signal has come.
const GRACE: Duration = Duration::from_millis(950);

/// Whether a signal has come.
static STOP_REQUESTED: LazyLock<watch::Sender<bool>> = LazyLock::new(|| watch::channel(false).0);
static LISTENING: Once = Once::new();

/// What the first signal does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstSignal {
    /// It asks the command to stop, within a time limit.
    Stops,
    /// It asks the command to stop, without a time limit: the user wants what the command does at its end. A second signal
    /// ends the process.
    StopsWithoutLimit,
    /// It ends the process: there is nothing to write down.
    Ends,
}

/// Starts to listen for Ctrl-C, for a terminal that is closed, and for what a supervisor sends.
pub(crate) fn listen_for_signals(first: FirstSignal) {
    LISTENING.call_once(|| {
        let (ready, listening) = mpsc::channel();
        // Without this thread a signal ends the process, as it does by default.
        let begun = std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || receive_signals(first, &ready));
        if begun.is_ok() {
            // Wait until the thread listens, so that whatever starts next can be ended. A thread that cannot listen drops its sender.
            let _ = listening.recv();
        }
    });
}

/// Waits for the first signal.
pub(crate) async fn stop_requested() {
    listen_for_signals(FirstSignal::Stops);
    // The sender is never dropped.
    let _ = STOP_REQUESTED.subscribe().wait_for(|requested| *requested).await;
}

fn receive_signals(first: FirstSignal, ready: &mpsc::Sender<()>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let Ok(mut signals) = Signals::new() else { return };
        // The thread that called `listen_for_signals` is waiting for this.
        let _ = ready.send(());
        signals.next().await;
        STOP_REQUESTED.send_replace(true);
        match first {
            FirstSignal::Stops => drop(tokio::time::timeout(GRACE, signals.next()).await),
            FirstSignal::StopsWithoutLimit => signals.next().await,
            FirstSignal::Ends => {}
        }
        begin_ending();
        Exit::Interrupted.end_process();
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
