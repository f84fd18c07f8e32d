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

/// How many events a stream remembers for a client that comes back.
const REMEMBERED: usize = 4096;

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
    resumable: bool,
    keep_alive: Duration,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<(u64, Bytes)>,
    last: u64,
    /// The connection is to be closed once this event has been read.
    hangup_after: Option<u64>,
    finished: bool,
    /// How many connections have shown it. Only the last one does: a client that comes back has left the others.
    readers: u32,
}

impl Log {
    pub(super) fn new(number: u32, standalone: bool, options: &Options) -> Arc<Self> {
        Arc::new(Self {
            number,
            standalone,
            shown: if options.slips(Slip::EventIdsRepeat) { 0 } else { number },
            state: Mutex::default(),
            changed: Notify::new(),
            resumable: options.resumable,
            keep_alive: options.keep_alive,
        })
    }

    /// Adds a message.
    pub(super) fn message(&self, message: &[u8]) {
        self.append(|id| sse::encode(id, message));
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
        let last = state.last;
        let id = self.resumable.then(|| format!("{}-{last}", self.shown));
        state.events.push_back((last, event(id.as_deref()).into()));
        if state.events.len() > REMEMBERED {
            state.events.pop_front();
        }
        drop(state);
        self.changed.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        if state.readers != self.number {
            return Look::End;
        }
        if let Some((number, bytes)) = state.events.iter().find(|(number, _)| *number > self.after) {
            self.after = *number;
            return Look::Event(bytes.clone());
        }
        if state.hangup_after.is_some_and(|last| self.after >= last) {
            state.hangup_after = None;
            return Look::End;
        }
        if state.finished { Look::End } else { Look::Wait }
    }
}

enum Look {
    Event(Bytes),
    End,
    Wait,
}
