//! What the traffic hands to the scribe.

use std::sync::mpsc;
use std::time::Instant;

use bytes::Bytes;
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

/// Writes notes for the scribe; never waits. Clones write for the same one.
#[derive(Clone, Debug)]
pub struct Pen(pub(super) mpsc::Sender<Option<Note>>);

impl Pen {
    pub(super) fn note(&self, direction: Direction, exchange: u32, piece: Piece) {
        // A scribe that is gone records nothing, and that is all.
        let _ = self.0.send(Some(Note { at: Instant::now(), direction, exchange, piece }));
    }
}
