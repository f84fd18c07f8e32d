//! The append-only record of a conversation.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

/// Who sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

/// What an entry's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// One transport message: a line of stdio, an HTTP body, the data of an event.
    Message,
    /// Bytes where a message belongs that cannot be one: a blank or overlong line, a cut event.
    Noise,
    /// The start line and headers of an HTTP message.
    Head,
    /// A server-sent event without a message: comments, priming, retry.
    Event,
    /// A line that the server process wrote to stderr.
    Stderr,
    /// The connection or the process came to its end; the bytes say how.
    End,
}

/// One thing that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, counted from the start of the record.
    pub at: Duration,
    /// Who sent it.
    pub direction: Direction,
    /// What it is.
    pub what: What,
    /// Which HTTP exchange it belongs to; 0 where there is only one channel.
    pub exchange: u32,
    /// Exactly the bytes.
    pub bytes: Bytes,
}

/// What was seen, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
}

/// A place in a record that is still growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(usize);

/// Writes a transcript; clones write to the same one.
#[derive(Clone, Debug)]
pub struct Recorder {
    start: Instant,
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Transcript {
    /// The messages alone, with the entry of each.
    pub fn messages(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| e.what == What::Message)
    }
}

impl Recorder {
    /// An empty record that starts now.
    pub fn new() -> Self {
        Self { start: Instant::now(), entries: Arc::default() }
    }

    /// Appends an entry, stamped with the time.
    pub fn record(&self, direction: Direction, what: What, exchange: u32, bytes: Bytes) {
        let at = self.start.elapsed();
        self.with(|entries| entries.push(Entry { at, direction, what, exchange, bytes }));
    }

    /// Records what `act` hands over while it acts. Nobody else records meanwhile, so that what comes of the act cannot stand
    /// before it. Meant for a write that does not block.
    pub fn record_during<T>(&self, act: impl FnOnce(&mut dyn FnMut(Direction, What, u32, Bytes)) -> T) -> T {
        let start = self.start;
        self.with(|entries| {
            act(&mut |direction, what, exchange, bytes| {
                entries.push(Entry { at: start.elapsed(), direction, what, exchange, bytes });
            })
        })
    }

    /// Where the record stands now.
    pub fn mark(&self) -> Mark {
        self.with(|entries| Mark(entries.len()))
    }

    /// What was recorded since `mark`.
    pub fn since(&self, mark: Mark) -> Transcript {
        self.with(|entries| Transcript { entries: entries.get(mark.0..).unwrap_or_default().to_vec() })
    }

    /// All of it.
    pub fn transcript(&self) -> Transcript {
        self.since(Mark(0))
    }

    fn with<T>(&self, f: impl FnOnce(&mut Vec<Entry>) -> T) -> T {
        f(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_divides_before_from_after() {
        let recorder = Recorder::new();
        recorder.record(Direction::ToServer, What::Message, 0, Bytes::from_static(b"{}"));
        let mark = recorder.mark();
        recorder.clone().record(Direction::ToClient, What::Stderr, 0, Bytes::from_static(b"hello"));
        assert_eq!(recorder.since(mark).entries.len(), 1);
        assert_eq!(recorder.transcript().messages().count(), 1);
    }
}
