//! Records a session, and bounds what a target may send.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use bytes::Bytes;
use wire::{Direction, Recorder, What};

use super::quota::RunQuota;
use super::{Failure, Limits};

/// What an entry costs besides its bytes: the waiting request gets a parsed view of it.
const ENTRY_OVERHEAD: usize = 512;

/// Writes the record of one session and counts what the target sends. Clones share the record and the count.
#[derive(Clone, Debug)]
pub(crate) struct BoundedRecorder {
    recorder: Recorder,
    received: Arc<AtomicUsize>,
    messages: Arc<AtomicUsize>,
    exchanges: Arc<AtomicU32>,
    bound: usize,
    run: RunQuota,
}

impl BoundedRecorder {
    pub(crate) fn new(recorder: Recorder, limits: &Limits) -> Self {
        let bound = limits.run.session_bound(limits.traffic);
        Self {
            run: limits.run.clone(),
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
    pub(crate) fn has_received(&self) -> bool {
        self.messages.load(Ordering::Relaxed) > 0
    }

    /// The number of the next HTTP exchange.
    pub(crate) fn next_exchange(&self) -> u32 {
        self.exchanges.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    pub(crate) fn record_sent(&self, what: What, exchange: u32, bytes: Bytes) {
        self.recorder.record(Direction::ToServer, what, exchange, bytes);
    }

    /// Records what came. Beyond the bound nothing more is recorded, and the session has failed.
    pub(crate) fn record_received(&self, what: What, exchange: u32, bytes: Bytes) -> Result<(), Failure> {
        self.charge(bytes.len())?;
        if what == What::Message {
            self.messages.fetch_add(1, Ordering::Relaxed);
        }
        self.recorder.record(Direction::ToClient, what, exchange, bytes);
        Ok(())
    }

    /// Counts an answer to the server, so that endless requests hit the bound.
    pub(crate) fn count_answer(&self, bytes: &Bytes) -> Result<(), Failure> {
        self.charge(bytes.len())
    }

    /// Counts bytes that came and are discarded.
    pub(crate) fn count_discarded(&self, bytes: usize) -> Result<(), Failure> {
        self.charge(bytes)
    }

    /// Records a line of stderr, which has a bound of its own.
    pub(crate) fn record_stderr(&self, bytes: Bytes) {
        self.recorder.record(Direction::ToClient, What::Stderr, 0, bytes);
    }

    /// Notes that the target floods the session.
    pub(crate) fn note_flood(&self) -> Failure {
        self.run.note_flood();
        Failure::Flooded { limit: self.bound }
    }

    fn charge(&self, bytes: usize) -> Result<(), Failure> {
        let cost = bytes.saturating_add(ENTRY_OVERHEAD);
        let before = self.received.fetch_add(cost, Ordering::Relaxed);
        let has_room = self.run.receive(cost);
        if before.saturating_add(cost) <= self.bound && has_room {
            return Ok(());
        }
        // Only once: more may have been on its way.
        Err(if before <= self.bound { self.note_flood() } else { Failure::Flooded { limit: self.bound } })
    }

    /// Records the end of the session, or of one exchange.
    pub(crate) fn record_end(&self, exchange: u32, how: &str) {
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
        let limits = Limits { traffic: 10_000, ..Limits::default() };
        let record = BoundedRecorder::new(Recorder::new(), &limits);
        assert_eq!(flood(&record, 1000), 10_000 / (ENTRY_OVERHEAD + 2));
        assert_eq!(record.recorder().transcript().entries.len(), 10_000 / (ENTRY_OVERHEAD + 2));
    }

    #[test]
    fn a_run_of_floods_comes_to_an_end() {
        let limits = Limits::default();
        let mut kept = 0;
        while limits.run.admit_session().is_ok() {
            kept += flood(&BoundedRecorder::new(Recorder::new(), &limits), 100_000);
        }
        assert!(kept * ENTRY_OVERHEAD < 2 * limits.traffic, "{kept} messages");
        assert!(limits.for_new_run().run.admit_session().is_ok());
    }

    /// How many of so many messages are recorded.
    fn flood(record: &BoundedRecorder, messages: usize) -> usize {
        let got = || record.record_received(What::Message, 0, Bytes::from_static(b"{}"));
        std::iter::repeat_with(got).take(messages).filter(Result::is_ok).count()
    }
}
