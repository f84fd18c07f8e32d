//! The append-only record of a conversation.

use std::collections::VecDeque;
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
    /// Bytes in the place of a message that cannot be one: a blank or overlong line, a cut event.
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
    kept: Arc<Mutex<KeptEntries>>,
}

/// The newest entries, within the limit.
#[derive(Debug)]
struct KeptEntries {
    entries: VecDeque<Entry>,
    /// How many there were before them.
    dropped: usize,
    bytes: usize,
    most: usize,
}

impl KeptEntries {
    fn push(&mut self, entry: Entry) {
        self.bytes += cost(&entry);
        self.entries.push_back(entry);
        self.shrink();
    }

    fn shrink(&mut self) {
        while self.bytes > self.most
            && let Some(oldest) = self.entries.pop_front()
        {
            self.bytes -= cost(&oldest);
            self.dropped += 1;
        }
    }
}

const fn cost(entry: &Entry) -> usize {
    size_of::<Entry>() + entry.bytes.len()
}

impl Transcript {
    /// The messages alone, with the entry of each.
    pub fn messages(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| e.what == What::Message)
    }
}

impl Recorder {
    /// An empty record that starts now and keeps everything.
    pub fn new() -> Self {
        Self::with_limit(usize::MAX)
    }

    /// An empty record that keeps at most `most` bytes: the oldest entries are dropped.
    pub fn with_limit(most: usize) -> Self {
        let kept = KeptEntries { entries: VecDeque::new(), dropped: 0, bytes: 0, most };
        Self { start: Instant::now(), kept: Arc::new(Mutex::new(kept)) }
    }

    /// Appends an entry, stamped with the time.
    pub fn record(&self, direction: Direction, what: What, exchange: u32, bytes: Bytes) {
        let at = self.start.elapsed();
        self.with(|kept| kept.push(Entry { at, direction, what, exchange, bytes }));
    }

    /// Records what `act` hands over, and holds the lock while it runs, so that no consequence of the act can be recorded before
    /// it. `act` must not block.
    pub fn record_during<T>(&self, act: impl FnOnce(&mut dyn FnMut(Direction, What, u32, Bytes)) -> T) -> T {
        let start = self.start;
        self.with(|kept| {
            act(&mut |direction, what, exchange, bytes| {
                kept.push(Entry { at: start.elapsed(), direction, what, exchange, bytes });
            })
        })
    }

    /// Where the record stands now.
    pub fn mark(&self) -> Mark {
        self.with(|kept| Mark(kept.dropped + kept.entries.len()))
    }

    /// What was recorded since `mark`, as far as it is kept.
    pub fn since(&self, mark: Mark) -> Transcript {
        self.with(|kept| {
            let skipped = mark.0.saturating_sub(kept.dropped);
            Transcript { entries: kept.entries.iter().skip(skipped).cloned().collect() }
        })
    }

    /// Limits the record to `bytes` from now on, and returns how many it has.
    pub fn limit_to(&self, bytes: usize) -> usize {
        self.with(|kept| {
            kept.most = bytes;
            kept.shrink();
            kept.bytes
        })
    }

    /// How many of the oldest entries were dropped.
    pub fn dropped(&self) -> usize {
        self.with(|kept| kept.dropped)
    }

    /// All of it.
    pub fn transcript(&self) -> Transcript {
        self.since(Mark(0))
    }

    fn with<T>(&self, f: impl FnOnce(&mut KeptEntries) -> T) -> T {
        f(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
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

    #[test]
    fn a_record_with_a_bound_keeps_the_newest() {
        let recorder = Recorder::with_limit(3 * (size_of::<Entry>() + 1_000));
        let mark = recorder.mark();
        for n in 0..10_u8 {
            recorder.record(Direction::ToClient, What::Message, 0, Bytes::from(vec![n; 1_000]));
        }
        let newest: Vec<u8> = recorder.since(mark).entries.iter().map(|entry| entry.bytes[0]).collect();
        assert_eq!((newest, recorder.dropped()), (vec![7, 8, 9], 7));
        let mark = recorder.mark();
        recorder.record(Direction::ToClient, What::Message, 0, Bytes::from_static(b"new"));
        assert_eq!(recorder.since(mark).entries.len(), 1);
        assert_eq!((recorder.limit_to(0), recorder.dropped()), (0, 11));
    }
}
