//! Finds the request that a message belongs to, where all requests share one channel.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use wire::{Frame, Id, Kind, Malformed};

use super::broken_answer::BrokenAnswer;
use super::expected_response::{ExpectedResponse, RelatedRequest};
use super::message::same_id;
use super::{Failure, Message};

/// How many messages that belong to no request are kept. The oldest are dropped first.
const MAX_UNCLAIMED: usize = 4096;
/// How many bytes of them are kept, and how many bytes may wait for one request. A session with a limit on what it
/// receives never comes near it.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;

/// How many characters of the first line are kept.
const FIRST_LINE_CHARS: usize = 200;

/// Delivers each message to the requests that it concerns.
#[derive(Debug, Default)]
pub(crate) struct Router {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiters: Vec<Waiter>,
    unclaimed: VecDeque<Message>,
    unclaimed_bytes: usize,
    /// How many notifications were dropped because nobody read them in time.
    dropped: u64,
    ended: Option<Failure>,
    noise: Option<Malformed>,
    broken: BrokenAnswer,
    sound: bool,
    first_line: Option<String>,
    answered: bool,
    keys: u64,
}

#[derive(Debug)]
struct Waiter {
    key: u64,
    expected: ExpectedResponse,
    ids: Vec<Id>,
    token: Option<Id>,
    arrivals: mpsc::UnboundedSender<Arrival>,
    /// The bytes of what waits in `arrivals`.
    waiting: Arc<AtomicUsize>,
}

/// What is delivered to a request.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// A message, and whether it settles the request.
    Message(Message, bool),
    /// A line that was too long to be kept, while no other request was open.
    Overlong,
    /// What answers it but cannot be read, from a target that has sent nothing readable yet.
    Unreadable(Malformed),
}

/// The receiving end of one request; leaves the router when dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    key: u64,
    arrivals: mpsc::UnboundedReceiver<Arrival>,
    waiting: Arc<AtomicUsize>,
    router: Arc<Router>,
}

impl Router {
    /// Registers a request. Its ticket gets what answers `expected`, what carries `token`, and what may belong to any
    /// request.
    pub(crate) fn register(self: &Arc<Self>, expected: ExpectedResponse, token: Option<Id>) -> Ticket {
        let (arrivals, receiver) = mpsc::unbounded_channel();
        let waiting = Arc::<AtomicUsize>::default();
        let of_sender = Arc::clone(&waiting);
        let key = self.with(|state| {
            state.keys += 1;
            let ids = expected.ids().to_vec();
            if state.ended.is_none() {
                state.waiters.push(Waiter {
                    key: state.keys,
                    expected,
                    ids,
                    token,
                    arrivals,
                    waiting: of_sender,
                });
            }
            state.keys
        });
        Ticket { key, arrivals: receiver, waiting, router: Arc::clone(self) }
    }

    /// Delivers one message.
    pub(crate) fn route(&self, message: &Message) {
        let frames = message.frames();
        self.with(|state| state.route(message, &frames));
        self.changed.notify_waiters();
    }

    /// Keeps the first line that came, whatever it is.
    pub(crate) fn note_line(&self, line: &[u8]) {
        let line = line.trim_ascii();
        self.with(|state| {
            if state.first_line.is_none() && !line.is_empty() {
                state.first_line =
                    Some(String::from_utf8_lossy(line).chars().take(FIRST_LINE_CHARS).collect());
            }
        });
    }

    /// The first line that came, if no response ever did.
    pub(crate) fn unanswered_output(&self) -> Option<String> {
        self.with(|state| if state.answered { None } else { state.first_line.clone() })
    }

    /// Notes a line that is not a message.
    pub(crate) fn note_noise(&self, line: &[u8], why: Malformed) {
        self.with(|state| {
            state.noise = Some(why.clone());
            let answered = if state.sound { None } else { state.broken.add_line(line) };
            let Some(id) = answered else { return };
            let mut waiters = state.waiters.iter();
            if let Some(waiter) = waiters.find(|waiter| waiter.ids.iter().any(|own| same_id(own, &id))) {
                // The receiver may have gone.
                let _ = waiter.arrivals.send(Arrival::Unreadable(why));
            }
        });
    }

    /// Notes a line that was too long to be kept.
    pub(crate) fn note_overlong(&self) {
        self.with(|state| {
            let mut open = state.waiters.iter().filter(|w| w.expected.is_open());
            if let (Some(only), None) = (open.next(), open.next()) {
                // The receiver may have gone.
                let _ = only.arrivals.send(Arrival::Overlong);
            }
        });
    }

    /// Notes that the channel has ended, and wakes everybody.
    pub(crate) fn end(&self, why: Failure) {
        self.with(|state| {
            state.ended.get_or_insert(why);
            state.waiters.clear();
        });
        self.changed.notify_waiters();
    }

    /// How many notifications were dropped since this was last asked.
    pub(crate) fn take_dropped(&self) -> u64 {
        self.with(|state| std::mem::take(&mut state.dropped))
    }

    /// Why the channel has ended, if it has.
    pub(crate) fn ended(&self) -> Option<Failure> {
        self.with(|state| state.ended.clone())
    }

    /// The last line that is not a message, if no message ever came.
    pub(crate) fn only_noise(&self) -> Option<Malformed> {
        self.with(|state| if state.sound { None } else { state.noise.clone() })
    }

    /// The next message that belongs to no request; `None` when `patience` runs out.
    pub(crate) async fn unclaimed(&self, patience: Duration) -> Result<Option<Message>, Failure> {
        let deadline = Instant::now() + patience;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Enabled before the state is read, so that no message in between is missed.
            changed.as_mut().enable();
            let (next, ended) = self.with(|state| (state.pop_unclaimed(), state.ended.clone()));
            match (next, ended) {
                (Some(message), _) => return Ok(Some(message)),
                (None, Some(why)) => return Err(why),
                (None, None) => {}
            }
            if tokio::time::timeout_at(deadline, changed).await.is_err() {
                return Ok(None);
            }
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn route(&mut self, message: &Message, frames: &[Frame<'_>]) {
        self.sound |= !frames.is_empty();
        self.answered |= frames.iter().any(Frame::is_response);
        let alone = self.waiters.iter().filter(|w| w.expected.is_open()).count() == 1;
        let about: Vec<RelatedRequest> = frames.iter().map(RelatedRequest::from_frame).collect();
        let mut claimed = false;
        let mut dropped = false;
        for waiter in &mut self.waiters {
            let answers = waiter.expected.apply_frames(frames, alone);
            if answers || about.iter().any(|about| waiter.is_concerned(about)) {
                claimed = true;
                let settles = answers && waiter.expected.is_settled();
                dropped |= !waiter.send(message, answers, settles);
            }
        }
        if claimed {
            self.dropped += u64::from(dropped);
            return;
        }
        // A stray response belongs to no request. Anything else may belong to any open one.
        if !frames.iter().any(Frame::is_response) {
            for waiter in &self.waiters {
                // If there is no room, it is still among the unclaimed ones.
                waiter.send(message, false, false);
            }
        }
        self.unclaimed_bytes += message.bytes.len();
        self.unclaimed.push_back(message.clone());
        while self.unclaimed.len() > MAX_UNCLAIMED || self.unclaimed_bytes > MAX_WAITING_BYTES {
            let Some(oldest) = self.pop_unclaimed() else { break };
            // Requests are answered as they arrive, so only what is read here is lost.
            self.dropped += u64::from(oldest.frames().iter().any(|frame| frame.kind() == Kind::Notification));
        }
    }

    fn pop_unclaimed(&mut self) -> Option<Message> {
        let oldest = self.unclaimed.pop_front()?;
        self.unclaimed_bytes -= oldest.bytes.len();
        Some(oldest)
    }
}

impl Waiter {
    fn is_concerned(&self, about: &RelatedRequest) -> bool {
        let token = about.token.as_ref().zip(self.token.as_ref()).is_some_and(|(a, b)| same_id(a, b));
        token || about.request.as_ref().is_some_and(|id| self.ids.iter().any(|own| same_id(own, id)))
    }

    /// Delivers a message, unless too much waits already. Returns whether there was room; for a response there always is.
    fn send(&self, message: &Message, is_response: bool, settles: bool) -> bool {
        let waiting = self.waiting.fetch_add(message.bytes.len(), Ordering::Relaxed);
        let has_room = is_response || waiting < MAX_WAITING_BYTES;
        if !has_room {
            self.waiting.fetch_sub(message.bytes.len(), Ordering::Relaxed);
            return false;
        }
        // The receiver may have gone.
        let _ = self.arrivals.send(Arrival::Message(message.clone(), settles));
        true
    }
}

impl Ticket {
    /// The next delivery, or why there is none.
    pub(crate) async fn next(&mut self) -> Result<Arrival, Failure> {
        match self.arrivals.recv().await {
            Some(arrival) => {
                if let Arrival::Message(message, _) = &arrival {
                    self.waiting.fetch_sub(message.bytes.len(), Ordering::Relaxed);
                }
                Ok(arrival)
            }
            None => Err(self
                .router
                .ended()
                .unwrap_or_else(|| Failure::closed("waiting", "the session was closed"))),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let key = self.key;
        self.router.with(|state| state.waiters.retain(|waiter| waiter.key != key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn message(json: &'static str) -> Message {
        Message::plain(Bytes::from_static(json.as_bytes()), 0)
    }

    #[tokio::test]
    async fn what_nobody_reads_is_bounded_and_counted() {
        let router = Arc::new(Router::default());
        let mut one = router.register(ExpectedResponse::Ids(vec![Id::from(1)]), Some(Id::from("t")));
        let padding = "x".repeat(MAX_WAITING_BYTES / 4);
        let params = format!(r#""params":{{"progressToken":"t","message":"{padding}"}}"#);
        for method in ["notifications/progress", "notifications/message"] {
            let params =
                if method.ends_with("progress") { params.clone() } else { params.replace("Token", "") };
            let large = Message::plain(format!(r#"{{"method":"{method}",{params}}}"#).into(), 0);
            for _ in 0..10 {
                router.route(&large);
            }
        }
        router.route(&message(r#"{"id":1,"result":{}}"#));
        let read = got(&mut one);
        assert!(read.len() < 8, "{}", read.len());
        assert_eq!(read.last().unwrap(), r#"{"id":1,"result":{}}!"#, "the response always arrives");
        let mut unclaimed = 0;
        while router.unclaimed(Duration::ZERO).await.unwrap().is_some() {
            unclaimed += 1;
        }
        assert_eq!(router.take_dropped() + unclaimed + read.len() as u64 - 1, 20);
        assert_eq!(router.take_dropped(), 0);
    }

    fn got(ticket: &mut Ticket) -> Vec<String> {
        std::iter::from_fn(|| ticket.arrivals.try_recv().ok())
            .map(|arrival| match arrival {
                Arrival::Message(m, settles) => {
                    format!("{}{}", String::from_utf8_lossy(&m.bytes), if settles { "!" } else { "" })
                }
                Arrival::Overlong => "overlong".into(),
                Arrival::Unreadable(why) => why.to_string(),
            })
            .collect()
    }

    #[tokio::test]
    async fn each_message_finds_its_request() {
        let router = Arc::new(Router::default());
        let mut one = router.register(ExpectedResponse::Ids(vec![Id::from(1)]), Some(Id::from("t")));
        let mut two = router.register(ExpectedResponse::Ids(vec![Id::from(2)]), None);
        router.route(&message(r#"{"id":2,"result":{}}"#));
        router.route(&message(r#"{"method":"notifications/progress","params":{"progressToken":"t"}}"#));
        router.route(&message(r#"{"method":"notifications/message","params":{}}"#));
        router.route(&message(r#"{"id":9,"result":{}}"#));
        assert_eq!(got(&mut two).first().unwrap(), r#"{"id":2,"result":{}}!"#);
        assert_eq!(got(&mut one).len(), 2, "its progress, and a log message that may be its own");
        let stray = router.unclaimed(Duration::ZERO).await.unwrap().unwrap();
        assert_eq!(stray.method().as_deref(), Some("notifications/message"));
        assert_eq!(router.unclaimed(Duration::ZERO).await.unwrap().unwrap().id(), Some(Id::from(9)));
        assert!(router.unclaimed(Duration::ZERO).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn the_end_reaches_everybody() {
        let router = Arc::new(Router::default());
        let mut ticket = router.register(ExpectedResponse::Ids(vec![Id::from(1)]), None);
        router.end(Failure::closed("x", "gone"));
        assert!(ticket.next().await.is_err());
        assert!(router.register(ExpectedResponse::Nothing, None).next().await.is_err());
        assert!(router.unclaimed(Duration::from_secs(5)).await.is_err());
    }
}
