//! What the traffic hands to the writer.

use std::pin::Pin;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::oneshot;
use wire::Direction;

/// Something that passed.
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
    /// Bytes of a stream or a body, cut wherever they were.
    Bytes(Bytes),
    /// Bytes of stderr.
    Stderr(Bytes),
    /// The stream, the body or the process is over; the text says how, unless that goes without saying.
    End(Option<String>),
}

/// Writes notes for the writer. Clones write for the same one.
#[derive(Clone, Debug)]
pub struct Pen(pub(super) mpsc::Sender<Option<Noted>>);

/// A note, and what is dropped once it is in the record.
pub(super) type Noted = (Note, oneshot::Sender<()>);

/// Resolves once a note is in the record, as far as it completes anything. What has no record any more does not wait.
pub(super) type Recorded = Pin<Box<dyn Future<Output = ()> + Send + Sync>>;

/// How long the record may take. A disk that hangs delays a session, but does not end it.
const PATIENCE: Duration = Duration::from_secs(2);

impl Pen {
    /// Takes note. Whoever passes on what was noted waits for the record first: this process may be killed at any time, and
    /// what the other side has seen must be in it.
    pub(super) fn note(&self, direction: Direction, exchange: u32, piece: Piece) -> Recorded {
        let (recorded, waiting) = oneshot::channel();
        // A writer that is gone records nothing, and that is all.
        let _ = self.0.send(Some((Note { at: Instant::now(), direction, exchange, piece }, recorded)));
        Box::pin(async move {
            let _ = tokio::time::timeout(PATIENCE, waiting).await;
        })
    }
}
