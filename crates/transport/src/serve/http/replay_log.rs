//! The events of one legacy stream: written by the server, read by whichever connection the client has.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};
use wire::sse;

use super::{COMMENT, Options};
use crate::serve::{Budget, Reservation};

/// How many events a stream keeps for a client that reconnects, and how many bytes.
const MAX_EVENTS: usize = 4096;
const MAX_BYTES: usize = 512 * 1024;
/// How many bytes the server may be ahead of the connection that reads the stream.
const MAX_UNREAD_BYTES: usize = 128 * 1024;
/// What an event costs besides its bytes.
const EVENT_OVERHEAD: usize = 64;

/// One stream. It may outlive the connections that read it.
#[derive(Debug)]
pub(super) struct ReplayLog {
    /// Its number within the session, which is the first part of every event id.
    pub(super) number: u32,
    /// Whether it carries the messages that belong to no request.
    pub(super) standalone: bool,
    state: Mutex<State>,
    changed: Notify,
    /// Notified when a connection has read something, or has closed.
    drained: Notify,
    resumable: bool,
    keep_alive: Duration,
}

#[derive(Debug)]
struct State {
    events: VecDeque<(u64, Bytes)>,
    /// What the events cost; as much is reserved.
    bytes: usize,
    room: Reservation,
    last: u64,
    /// The last event that the connection has read, while there is a connection.
    read: Option<u64>,
    /// How many bytes it has not read.
    unread: usize,
    /// The connection is closed once this event has been read.
    hangup_after: Option<u64>,
    finished: bool,
    /// Whether an event was dropped before the connection has read it, so that the client has to reconnect.
    is_torn: bool,
    /// How many connections have read it. Only the newest one still does: a client that reconnects has left the others.
    readers: u32,
}

impl ReplayLog {
    /// A stream whose events are charged to `kept`.
    pub(super) fn new(number: u32, standalone: bool, options: &Options, kept: &Budget) -> Arc<Self> {
        let state = State {
            events: VecDeque::new(),
            bytes: 0,
            room: kept.reserve_nothing(),
            last: 0,
            read: None,
            unread: 0,
            hangup_after: None,
            finished: false,
            is_torn: false,
            readers: 0,
        };
        Arc::new(Self {
            number,
            standalone,
            state: Mutex::new(state),
            changed: Notify::new(),
            drained: Notify::new(),
            resumable: options.resumable,
            keep_alive: options.keep_alive,
        })
    }

    /// Adds a message, once the connection has read most of what came before.
    pub(super) async fn message(&self, message: &[u8]) {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            // Registered before the state is read, so that no change in between is missed.
            drained.as_mut().enable();
            if !self.is_ahead() {
                break;
            }
            drained.await;
        }
        self.append(|id| sse::encode(id, message));
    }

    /// Whether the connection has too many bytes left to read.
    fn is_ahead(&self) -> bool {
        let state = self.lock();
        state.read.is_some() && state.unread > MAX_UNREAD_BYTES && !state.is_torn
    }

    /// Adds an event without data. Its id lets the client resume before the first message.
    pub(super) fn prime(&self) {
        self.append(|id| sse::encode(id, b""));
    }

    /// Closes the connection, and asks the client to reconnect after `retry_ms`.
    pub(super) fn hang_up(&self, retry_ms: u64) {
        self.append(|id| {
            let mut event = format!("retry: {retry_ms}\n").into_bytes();
            event.extend(sse::encode(id, b""));
            event
        });
        let mut state = self.lock();
        state.hangup_after = Some(state.last);
        drop(state);
        self.changed.notify_waiters();
    }

    /// No more messages will come.
    pub(super) fn finish(&self) {
        self.lock().finished = true;
        self.changed.notify_waiters();
    }

    /// Whether it is only kept for a client that reconnects.
    pub(super) fn is_replay(&self) -> bool {
        let state = self.lock();
        state.finished && state.read.is_none()
    }

    /// What its events cost.
    pub(super) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// More messages will come.
    pub(super) fn reopen(&self) {
        self.lock().finished = false;
    }

    /// The events after `after`, and those to come. The token is cancelled when the connection closes.
    pub(super) fn read_after(
        self: &Arc<Self>,
        after: u64,
        gone: &CancellationToken,
    ) -> impl Stream<Item = Bytes> + Send + use<> {
        let mut state = self.lock();
        state.readers += 1;
        state.is_torn = false;
        state.read = Some(after);
        state.unread = state.events.iter().filter(|(number, _)| *number > after).map(|(_, e)| e.len()).sum();
        let number = state.readers;
        drop(state);
        self.changed.notify_waiters();
        let reader = Reader { log: self.clone(), after, number, _gone: gone.clone().drop_guard() };
        futures_util::stream::unfold(reader, |mut reader| async move {
            let bytes = reader.next().await?;
            Some((bytes, reader))
        })
    }

    fn append(&self, event: impl FnOnce(Option<&str>) -> Vec<u8>) {
        let mut state = self.lock();
        state.last += 1;
        let id = self.resumable.then(|| format!("{}-{}", self.number, state.last));
        state.push(event(id.as_deref()).into());
        drop(state);
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds the last event. The oldest ones are dropped to make room; if there still is none, the event is lost.
    fn push(&mut self, event: Bytes) {
        let cost = event.len() + EVENT_OVERHEAD;
        while self.is_full(cost) || self.room.resize(self.bytes + cost).is_err() {
            if !self.pop() {
                self.is_torn = true;
                return;
            }
        }
        self.bytes += cost;
        self.unread += event.len();
        self.events.push_back((self.last, event));
    }

    fn is_full(&self, cost: usize) -> bool {
        let is_long = self.bytes + cost > MAX_BYTES && !self.events.is_empty();
        is_long || self.events.len() >= MAX_EVENTS
    }

    /// Forgets the oldest event; false when there is none.
    fn pop(&mut self) -> bool {
        let Some((number, event)) = self.events.pop_front() else { return false };
        self.is_torn |= self.read.is_some_and(|read| number > read);
        self.bytes -= event.len() + EVENT_OVERHEAD;
        // Shrinking cannot fail.
        let _ = self.room.resize(self.bytes);
        true
    }
}

/// Reads an event id back: the number of the stream, and of the event in it.
pub(super) fn parse_id(id: &str) -> Option<(u32, u64)> {
    let (stream, event) = id.split_once('-')?;
    Some((stream.parse().ok()?, event.parse().ok()?))
}

struct Reader {
    log: Arc<ReplayLog>,
    after: u64,
    number: u32,
    _gone: DropGuard,
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let log = self.log.clone();
            let changed = log.changed.notified();
            tokio::pin!(changed);
            // Registered before the state is read, so that no change in between is missed.
            changed.as_mut().enable();
            match self.look() {
                Look::Event(bytes) => return Some(bytes),
                Look::End => return None,
                Look::Wait => {
                    if tokio::time::timeout(log.keep_alive, changed).await.is_err() {
                        return Some(Bytes::from_static(COMMENT));
                    }
                }
            }
        }
    }

    fn look(&mut self) -> Look {
        let mut state = self.log.lock();
        if state.readers != self.number || state.is_torn {
            return Look::End;
        }
        let at = state.events.partition_point(|(number, _)| *number <= self.after);
        if let Some((number, bytes)) = state.events.get(at).cloned() {
            self.after = number;
            state.read = Some(number);
            state.unread = state.unread.saturating_sub(bytes.len());
            if !self.log.resumable {
                while state.events.front().is_some_and(|(front, _)| *front <= number) && state.pop() {}
            }
            drop(state);
            self.log.drained.notify_waiters();
            return Look::Event(bytes);
        }
        if state.hangup_after.is_some_and(|last| self.after >= last) {
            state.hangup_after = None;
            return Look::End;
        }
        if state.finished { Look::End } else { Look::Wait }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.log.lock();
        // A newer connection may read the stream by now.
        if state.readers == self.number {
            state.read = None;
            drop(state);
            self.log.drained.notify_waiters();
        }
    }
}

enum Look {
    Event(Bytes),
    End,
    Wait,
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;

    const KIB: usize = 1024;

    fn log(kept: &Budget) -> Arc<ReplayLog> {
        ReplayLog::new(1, false, &Options::default(), kept)
    }

    #[tokio::test]
    async fn nobody_reads_and_the_oldest_events_go() {
        let kept = Budget::new(KIB * KIB);
        let log = log(&kept);
        for _ in 0..100 {
            log.message(&[b'x'; 10 * KIB]).await;
        }
        assert!((256 * KIB..=MAX_BYTES).contains(&kept.used()), "{}", kept.used());
        assert_eq!(log.lock().last, 100);
        drop(log);
        assert_eq!(kept.used(), 0);
    }

    #[tokio::test]
    async fn a_connection_that_does_not_read_makes_the_server_wait() {
        let kept = Budget::new(KIB * KIB);
        let log = log(&kept);
        let gone = CancellationToken::new();
        let mut events = Box::pin(log.read_after(0, &gone));
        let writer = tokio::spawn({
            let log = log.clone();
            async move {
                for _ in 0..100 {
                    log.message(&[b'x'; 10 * KIB]).await;
                }
            }
        });
        tokio::task::yield_now().await;
        assert!(log.lock().unread <= MAX_UNREAD_BYTES + 11 * KIB, "{}", log.lock().unread);
        for _ in 0..100 {
            assert!(events.next().await.is_some(), "and nothing is lost");
        }
        writer.await.unwrap();
        drop(events);
        assert!(gone.is_cancelled());
    }

    #[tokio::test]
    async fn without_room_the_stream_ends_and_can_be_taken_up_again() {
        let kept = Budget::new(100 * KIB);
        let log = log(&kept);
        let mut events = Box::pin(log.read_after(0, &CancellationToken::new()));
        log.message(&[b'x'; 10 * KIB]).await;
        let others = kept.reserve(80 * KIB).unwrap();
        log.message(&[b'y'; 20 * KIB]).await;
        assert!(events.next().await.is_none(), "an event is lost, so it does not go on");
        drop(others);
        log.message(&[b'z'; KIB]).await;
        let mut events = Box::pin(log.read_after(1, &CancellationToken::new()));
        assert!(events.next().await.unwrap().ends_with(b"z\n\n"));
    }
}
