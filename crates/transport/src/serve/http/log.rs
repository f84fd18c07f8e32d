//! The events of one legacy stream: written by the server, read by whichever connection the client has.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};
use wire::sse;

use super::{COMMENT, Options, Slip};
use crate::serve::{Budget, Reservation};

/// How many events a stream remembers for a client that comes back, and how many bytes.
const REMEMBERED: usize = 4096;
const REMEMBERED_BYTES: usize = 512 * 1024;
/// How many bytes the server may be ahead of the connection that shows the stream.
const AHEAD: usize = 128 * 1024;
/// What an event costs besides its bytes.
const OVERHEAD: usize = 64;

/// One stream, which may outlive the connections that show it.
#[derive(Debug)]
pub(super) struct Log {
    /// Its number within the session, first part of every event id.
    pub(super) number: u32,
    /// Whether it carries what belongs to no request.
    pub(super) standalone: bool,
    /// Its number as the event ids show it.
    shown: u32,
    state: Mutex<State>,
    changed: Notify,
    /// A connection has read something, or has gone.
    drained: Notify,
    resumable: bool,
    keep_alive: Duration,
}

#[derive(Debug)]
struct State {
    events: VecDeque<(u64, Bytes)>,
    /// What they cost, which is what is reserved.
    bytes: usize,
    room: Reservation,
    last: u64,
    /// The last event that the connection has read, while there is one.
    read: Option<u64>,
    /// How many bytes it has not read.
    unread: usize,
    /// The connection is to be closed once this event has been read.
    hangup_after: Option<u64>,
    finished: bool,
    /// An event was given up before the connection has read it, so that it has to come back.
    is_torn: bool,
    /// How many connections have shown it. Only the last one does: a client that comes back has left the others.
    readers: u32,
}

impl Log {
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
            shown: if options.slips(Slip::EventIdsRepeat) { 0 } else { number },
            state: Mutex::new(state),
            changed: Notify::new(),
            drained: Notify::new(),
            resumable: options.resumable,
            keep_alive: options.keep_alive,
        })
    }

    /// Adds a message, once the connection that shows the stream has read most of what came before.
    pub(super) async fn message(&self, message: &[u8]) {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            // Registered before the look, so that nothing slips between the two.
            drained.as_mut().enable();
            if !self.is_ahead() {
                break;
            }
            drained.await;
        }
        self.append(|id| sse::encode(id, message));
    }

    /// Whether the connection has too much left to read.
    fn is_ahead(&self) -> bool {
        let state = self.lock();
        state.read.is_some() && state.unread > AHEAD && !state.is_torn
    }

    /// Adds an event without data whose id lets the client come back before the first message.
    pub(super) fn prime(&self) {
        self.append(|id| sse::encode(id, b""));
    }

    /// Has the connection closed, and the client come back after `retry_ms`.
    pub(super) fn hang_up(&self, retry_ms: u64, says_when: bool) {
        self.append(|id| {
            let retry = if says_when { format!("retry: {retry_ms}\n") } else { String::new() };
            let mut event = retry.into_bytes();
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

    /// Whether it is only kept for a client that comes back.
    pub(super) fn is_replay(&self) -> bool {
        let state = self.lock();
        state.finished && state.read.is_none()
    }

    /// What its events cost.
    pub(super) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Adds what another stream carried, which is never right.
    pub(super) fn take_over(&self, other: &Self) {
        let events: Vec<_> = other.lock().events.iter().map(|(_, event)| event.clone()).collect();
        events.into_iter().for_each(|event| self.append(|_| event.into()));
    }

    /// More messages will come after all.
    pub(super) fn reopen(&self) {
        self.lock().finished = false;
    }

    /// What came after event `after`, and what comes. The token is cancelled when the connection goes.
    pub(super) fn read(
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
        let id = self.resumable.then(|| format!("{}-{}", self.shown, state.last));
        state.push(event(id.as_deref()).into());
        drop(state);
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds the last event. The oldest ones make room for it; if there is none even so, it is lost.
    fn push(&mut self, event: Bytes) {
        let cost = event.len() + OVERHEAD;
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
        let is_long = self.bytes + cost > REMEMBERED_BYTES && !self.events.is_empty();
        is_long || self.events.len() >= REMEMBERED
    }

    /// Forgets the oldest event; false when there is none.
    fn pop(&mut self) -> bool {
        let Some((number, event)) = self.events.pop_front() else { return false };
        self.is_torn |= self.read.is_some_and(|read| number > read);
        self.bytes -= event.len() + OVERHEAD;
        // Giving back cannot fail.
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
    log: Arc<Log>,
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
            // Registered before the look, so that nothing slips between the two.
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
        // Another one may have taken its place.
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

    fn log(kept: &Budget) -> Arc<Log> {
        Log::new(1, false, &Options::default(), kept)
    }

    #[tokio::test]
    async fn nobody_reads_and_the_oldest_events_go() {
        let kept = Budget::new(KIB * KIB);
        let log = log(&kept);
        for _ in 0..100 {
            log.message(&[b'x'; 10 * KIB]).await;
        }
        assert!((256 * KIB..=REMEMBERED_BYTES).contains(&kept.used()), "{}", kept.used());
        assert_eq!(log.lock().last, 100);
        drop(log);
        assert_eq!(kept.used(), 0);
    }

    #[tokio::test]
    async fn a_connection_that_does_not_read_makes_the_server_wait() {
        let kept = Budget::new(KIB * KIB);
        let log = log(&kept);
        let gone = CancellationToken::new();
        let mut events = Box::pin(log.read(0, &gone));
        let writer = tokio::spawn({
            let log = log.clone();
            async move {
                for _ in 0..100 {
                    log.message(&[b'x'; 10 * KIB]).await;
                }
            }
        });
        tokio::task::yield_now().await;
        assert!(log.lock().unread <= AHEAD + 11 * KIB, "{}", log.lock().unread);
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
        let mut events = Box::pin(log.read(0, &CancellationToken::new()));
        log.message(&[b'x'; 10 * KIB]).await;
        let others = kept.reserve(80 * KIB).unwrap();
        log.message(&[b'y'; 20 * KIB]).await;
        assert!(events.next().await.is_none(), "an event is lost, so it does not go on");
        drop(others);
        log.message(&[b'z'; KIB]).await;
        let mut events = Box::pin(log.read(1, &CancellationToken::new()));
        assert!(events.next().await.unwrap().ends_with(b"z\n\n"));
    }
}
