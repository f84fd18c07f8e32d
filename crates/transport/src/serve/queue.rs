//! Messages that wait for a client: bounded in number and in bytes.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Bytes are counted in units of this size, so that any sum of them is a number of permits.
const UNIT: usize = 256;

/// The sending end. Clones share the queue.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    messages: mpsc::Sender<Queued>,
    room: Arc<Semaphore>,
    units: usize,
}

/// The receiving end.
#[derive(Debug)]
pub(crate) struct Receiver {
    messages: mpsc::Receiver<Queued>,
    room: Arc<Semaphore>,
}

#[derive(Debug)]
struct Queued {
    message: Bytes,
    _room: OwnedSemaphorePermit,
}

/// A queue for at most `count` messages of at most `bytes` together. A longer message waits until the queue is empty.
pub(crate) fn queue(count: usize, bytes: usize) -> (Sender, Receiver) {
    let (sender, receiver) = mpsc::channel(count);
    let units = (bytes / UNIT).max(1);
    let room = Arc::new(Semaphore::new(units));
    (Sender { messages: sender, room: room.clone(), units }, Receiver { messages: receiver, room })
}

impl Sender {
    /// Waits for room; false when nobody will read it.
    pub(crate) async fn send(&self, message: Bytes) -> bool {
        let Ok(room) = self.room.clone().acquire_many_owned(self.units_of(&message)).await else {
            return false;
        };
        self.messages.send(Queued { message, _room: room }).await.is_ok()
    }

    /// Does not wait; false when there is no room or nobody will read it.
    pub(crate) fn try_send(&self, message: Bytes) -> bool {
        let room = self.room.clone().try_acquire_many_owned(self.units_of(&message));
        room.is_ok_and(|room| self.messages.try_send(Queued { message, _room: room }).is_ok())
    }

    fn units_of(&self, message: &Bytes) -> u32 {
        u32::try_from(message.len().div_ceil(UNIT).clamp(1, self.units)).unwrap_or(u32::MAX)
    }
}

impl Receiver {
    /// The next message; none when every sender is gone.
    pub(crate) async fn recv(&mut self) -> Option<Bytes> {
        self.messages.recv().await.map(|queued| queued.message)
    }

    /// The next message if it is there already.
    pub(crate) fn try_recv(&mut self) -> Option<Bytes> {
        self.messages.try_recv().ok().map(|queued| queued.message)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // Wakes the senders that wait for room.
        self.room.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_count_and_not_messages_alone() {
        let (sender, mut receiver) = queue(100, 1024);
        assert!(sender.try_send(Bytes::from(vec![0; 1000])));
        assert!(!sender.try_send(Bytes::from(vec![0; 1000])), "there is no room");
        receiver.recv().await.unwrap();
        assert!(sender.try_send(Bytes::from(vec![0; 50_000])), "alone it may be longer");
        drop(receiver);
        assert!(!sender.send(Bytes::from_static(b"x")).await);
    }
}
