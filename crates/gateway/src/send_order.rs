//! Keeps the messages of one pipe in their order: each is handed to the server after the one before it.

use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

/// The order of the messages of one client.
#[derive(Debug, Default)]
pub(crate) struct SendOrder(Mutex<Option<oneshot::Receiver<()>>>);

/// The turn of one message. It passes to the next when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct SendTurn {
    before: Option<oneshot::Receiver<()>>,
    done: Option<oneshot::Sender<()>>,
}

impl SendOrder {
    /// The turn of a message, after those that came before.
    pub(crate) fn next(&self) -> SendTurn {
        let (done, after) = oneshot::channel();
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(after);
        SendTurn { before, done: Some(done) }
    }
}

impl SendTurn {
    /// Waits until the message before was handed over.
    pub(crate) async fn wait(&mut self) {
        if let Some(before) = self.before.take() {
            // An error means that the other turn was dropped.
            let _ = before.await;
        }
    }

    /// The message was handed over: the next one may follow.
    pub(crate) fn pass(&mut self) {
        drop(self.done.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_turn_waits_for_the_one_before() {
        let turns = SendOrder::default();
        let (mut first, mut second) = (turns.next(), turns.next());
        first.wait().await;
        let waiting = tokio::spawn(async move { second.wait().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        first.pass();
        waiting.await.unwrap();
    }
}
