//! The notes that the traffic hands to the writer.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::oneshot;
use wire::Direction;

use crate::MAX_MESSAGE;

/// A piece that passed, with its direction and exchange.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) at: Instant,
    pub(super) direction: Direction,
    /// Which HTTP exchange; 0 on the streams of a process.
    pub(super) exchange: u32,
    pub(super) piece: Piece,
}

/// A piece of what passed.
#[derive(Debug)]
pub(super) enum Piece {
    /// The start line and headers of an HTTP message.
    Head(Bytes),
    /// Bytes of a stream or a body, cut anywhere.
    Bytes(Bytes),
    /// Bytes of stderr.
    Stderr(Bytes),
    /// The stream, the body or the process has ended. The text says how, unless it ended as usual.
    End(Option<String>),
}

/// Queues notes for the writer. Clones share the queue.
///
/// Notes wait in memory, up to a bounded number of bytes. Beyond that the record ends, because after a gap it would show
/// messages that never existed. The traffic goes on.
#[derive(Clone, Debug)]
pub struct RecordSender {
    notes: mpsc::Sender<Option<QueuedNote>>,
    pub(super) backlog: Arc<Backlog>,
}

/// The most bytes that wait for the writer.
pub(super) const MAX_WAITING_BYTES: usize = 4 * MAX_MESSAGE;

/// How far the writer is behind.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    bytes: AtomicUsize,
    is_over: AtomicBool,
}

/// A note, and a guard that is dropped once the note is in the record.
pub(super) type QueuedNote = (Note, oneshot::Sender<()>);

/// Resolves once a note is in the record, or the record has ended.
pub(super) type UntilRecorded = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

/// How long a note may take to be recorded. A disk that hangs delays a session, but does not end it.
const RECORD_TIMEOUT: Duration = Duration::from_secs(2);

impl Backlog {
    /// Whether the writer was so far behind that the record has ended.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// How many bytes wait.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Adds a note; false when there is no room for it.
    fn add(&self, note: &Note) -> bool {
        let waiting = self.bytes.fetch_add(note.cost(), Ordering::Relaxed) + note.cost();
        if waiting > MAX_WAITING_BYTES {
            self.is_over.store(true, Ordering::Relaxed);
            self.remove(note.cost());
        }
        !self.is_over()
    }

    /// Removes a note of that cost, which the writer has processed.
    pub(super) fn remove(&self, cost: usize) {
        self.bytes.fetch_sub(cost, Ordering::Relaxed);
    }
}

impl Note {
    /// What it takes while it waits.
    pub(super) fn cost(&self) -> usize {
        let bytes = match &self.piece {
            Piece::Head(bytes) | Piece::Bytes(bytes) | Piece::Stderr(bytes) => bytes.len(),
            Piece::End(how) => how.as_ref().map_or(0, String::len),
        };
        bytes + size_of::<QueuedNote>()
    }
}

impl RecordSender {
    pub(super) fn new(notes: mpsc::Sender<Option<QueuedNote>>, backlog: Arc<Backlog>) -> Self {
        Self { notes, backlog }
    }

    /// Tells the writer that no more notes follow.
    pub(super) fn finish(&self) {
        // This fails if the writer has already ended.
        let _ = self.notes.send(None);
    }

    /// Queues a note. The caller awaits the returned future before it passes the piece on: this process may be killed at
    /// any time, and what the other side has seen must be in the record.
    pub(super) fn note(&self, direction: Direction, exchange: u32, piece: Piece) -> UntilRecorded {
        let note = Note { at: Instant::now(), direction, exchange, piece };
        let (recorded, waiting) = oneshot::channel();
        if !self.backlog.is_over() && self.backlog.add(&note) {
            // If the writer has ended, the piece passes unrecorded.
            let _ = self.notes.send(Some((note, recorded)));
        }
        Box::pin(async move {
            let _ = tokio::time::timeout(RECORD_TIMEOUT, waiting).await;
        })
    }
}
