//! The recorder, with a bound on what a target may put into it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use bytes::Bytes;
use wire::{Direction, Recorder, What};

use super::Failure;

/// What an entry costs besides its bytes.
const OVERHEAD: usize = 128;

/// Writes the record of one session and counts what the target sends. Clones share the record and the count.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    recorder: Recorder,
    received: Arc<AtomicUsize>,
    messages: Arc<AtomicUsize>,
    exchanges: Arc<AtomicU32>,
    bound: usize,
}

impl Ledger {
    pub(crate) fn new(recorder: Recorder, bound: usize) -> Self {
        Self {
            recorder,
            received: Arc::default(),
            messages: Arc::default(),
            exchanges: Arc::default(),
            bound,
        }
    }

    pub(crate) const fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Whether the target has sent any message yet.
    pub(crate) fn has_heard(&self) -> bool {
        self.messages.load(Ordering::Relaxed) > 0
    }

    /// The number of the next HTTP exchange.
    pub(crate) fn next_exchange(&self) -> u32 {
        self.exchanges.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    pub(crate) fn sent(&self, what: What, exchange: u32, bytes: Bytes) {
        self.recorder.record(Direction::ToServer, what, exchange, bytes);
    }

    /// Records what came. Past the bound nothing is recorded any more and the target is to be left alone.
    pub(crate) fn got(&self, what: What, exchange: u32, bytes: Bytes) -> Result<(), Failure> {
        let cost = bytes.len().saturating_add(OVERHEAD);
        let before = self.received.fetch_add(cost, Ordering::Relaxed);
        if before.saturating_add(cost) > self.bound {
            return Err(Failure::TooLarge { what: "a session".into(), limit: self.bound });
        }
        if what == What::Message {
            self.messages.fetch_add(1, Ordering::Relaxed);
        }
        self.recorder.record(Direction::ToClient, what, exchange, bytes);
        Ok(())
    }

    /// Records that the conversation, or one exchange of it, came to its end.
    pub(crate) fn end(&self, exchange: u32, how: &str) {
        self.recorder.record(
            Direction::ToClient,
            What::End,
            exchange,
            Bytes::copy_from_slice(how.as_bytes()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_not_kept() {
        let ledger = Ledger::new(Recorder::new(), 1000);
        let flood = || ledger.got(What::Message, 0, Bytes::from_static(b"{}"));
        let kept = std::iter::repeat_with(flood).take(1000).filter(Result::is_ok).count();
        assert_eq!(kept, 1000 / (OVERHEAD + 2));
        assert_eq!(ledger.recorder().transcript().entries.len(), kept);
    }
}
