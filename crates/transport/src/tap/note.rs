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
/// Notes wait in memory, up to a bounded number of bytes. If there were more, the record ends, because after a gap it
/// would show messages that never existed. The traffic goes on.
#[derive(Clone, Debug)]
pub struct Pen {
    notes: mpsc::Sender<Option<Noted>>,
    pub(super) backlog: Arc<Backlog>,
}

/// The most bytes that wait for the writer.
pub(super) const MOST_WAITING: usize = 4 * MAX_MESSAGE;

/// How far the writer is behind.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    bytes: AtomicUsize,
    is_over: AtomicBool,
}

/// A note, and a guard that is dropped once the note is in the record.
pub(super) type Noted = (Note, oneshot::Sender<()>);

/// Resolves once a note is in the record, or the record has ended.
pub(super) type Recorded = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

/// How long a note may take to be recorded. A disk that hangs delays a session, but does not end it.
const PATIENCE: Duration = Duration::from_secs(2);

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
        if waiting > MOST_WAITING {
            self.is_over.store(true, Ordering::Relaxed);
            self.remove(note.cost());
        }
        !self.is_over()
    }

    /// The writer has done with a note that cost so much.
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
        bytes + size_of::<Noted>()
    }
}

impl Pen {
    pub(super) fn new(notes: mpsc::Sender<Option<Noted>>, backlog: Arc<Backlog>) -> Self {
        Self { notes, backlog }
    }

    /// Nothing more is noted.
    pub(super) fn finish(&self) {
        // A writer that is gone has given its answer already.
        let _ = self.notes.send(None);
    }

    /// Takes note. Whoever passes on what was noted waits for the record first: this process may be killed at any time, and
    /// what the other side has seen must be in it.
    pub(super) fn note(&self, direction: Direction, exchange: u32, piece: Piece) -> Recorded {
        let note = Note { at: Instant::now(), direction, exchange, piece };
        let (recorded, waiting) = oneshot::channel();
        if !self.backlog.is_over() && self.backlog.add(&note) {
            // A writer that is gone records nothing, and that is all.
            let _ = self.notes.send(Some((note, recorded)));
        }
        Box::pin(async move {
            let _ = tokio::time::timeout(PATIENCE, waiting).await;
        })
    }
}
