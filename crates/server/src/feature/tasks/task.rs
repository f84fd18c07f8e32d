//! A task: its state, its time, and who waits for it.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use protocol::Era;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use transport::serve::Reservation;
use wire::rfc3339;

use super::state::{State, Status};
use crate::call::Ask;
use crate::cost;
use crate::peer::Peer;
use crate::rpc::{self, RpcError};
use crate::server::{Change, Server};

/// How often a client should poll.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A request that runs in the background.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) era: Era,
    /// The session that it belongs to (2025-11-25). In 2026-07-28 any client that knows the id may ask.
    owner: Weak<Peer>,
    pub(crate) ttl: Duration,
    created: SystemTime,
    inner: Mutex<Inner>,
    changed: Notify,
    /// Tells the work to stop.
    pub(crate) stop: CancellationToken,
    /// Whether a client has ever polled it.
    is_attended: AtomicBool,
    /// Ends it when its time has passed.
    expiry: OnceLock<AbortHandle>,
}

/// Ends the timer.
impl Drop for Task {
    fn drop(&mut self) {
        if let Some(expiry) = self.expiry.get() {
            expiry.abort();
        }
    }
}

/// What a task costs besides its request and its outcome.
pub(super) const TASK_COST: usize = 2048;

#[derive(Debug)]
struct Inner {
    state: State,
    updated: SystemTime,
    /// Our requests that wait until the client asks for the result (2025-11-25).
    requests: VecDeque<Bytes>,
    /// Reserved for the request, and later for the outcome.
    room: Reservation,
}

/// What `tasks/result` returns next.
pub(super) enum Next {
    /// A request that the client has to answer first.
    Request(Bytes),
    /// The outcome; `None` when the task was cancelled.
    End(Option<Result<Value, RpcError>>),
}

impl Task {
    pub(super) fn new(id: String, era: Era, owner: &Arc<Peer>, ttl: Duration, room: Reservation) -> Self {
        let created = SystemTime::now();
        Self {
            id,
            era,
            owner: Arc::downgrade(owner),
            ttl,
            created,
            inner: Mutex::new(Inner {
                state: State::new(),
                updated: created,
                requests: VecDeque::new(),
                room,
            }),
            is_attended: AtomicBool::new(false),
            expiry: OnceLock::new(),
            changed: Notify::new(),
            stop: CancellationToken::new(),
        }
    }

    /// Whether `peer`, which speaks a revision of `era`, may see the task.
    pub(super) fn is_visible(&self, era: Era, peer: &Arc<Peer>) -> bool {
        match (self.era, era) {
            (Era::Modern, Era::Modern) => true,
            (Era::Legacy, Era::Legacy) => self.owner.ptr_eq(&Arc::downgrade(peer)),
            (Era::Modern, Era::Legacy) | (Era::Legacy, Era::Modern) => false,
        }
    }

    pub(super) fn status(&self) -> Status {
        self.lock().state.status()
    }

    /// The task in the form of its era; in the modern era with the details of its status.
    pub(crate) fn describe(&self) -> Value {
        let inner = self.lock();
        let mut task = self.outline(&inner);
        if self.era == Era::Modern {
            match inner.state.outcome() {
                Some(Ok(result)) => task["result"] = result.clone(),
                Some(Err(error)) => task["error"] = error.to_value(),
                None if inner.state.status() == Status::InputRequired => {
                    task["inputRequests"] = Value::Object(inner.state.requests());
                }
                None => {}
            }
        }
        task
    }

    /// The same without result, error and questions.
    pub(super) fn outline_only(&self) -> Value {
        self.outline(&self.lock())
    }

    fn outline(&self, inner: &Inner) -> Value {
        let (ttl, poll) = match self.era {
            Era::Legacy => ("ttl", "pollInterval"),
            Era::Modern => ("ttlMs", "pollIntervalMs"),
        };
        let mut task = json!({
            "taskId": self.id,
            "status": inner.state.status().as_str(),
            "createdAt": rfc3339::format_millis(self.created),
            "lastUpdatedAt": rfc3339::format_millis(inner.updated),
            ttl: u64::try_from(self.ttl.as_millis()).unwrap_or(u64::MAX),
            poll: u64::try_from(POLL_INTERVAL.as_millis()).unwrap_or(u64::MAX),
        });
        if let Some(message) = inner.state.message() {
            task["statusMessage"] = message.into();
        }
        task
    }

    /// Notes that a client has polled it.
    pub(super) fn attend(&self) {
        self.is_attended.store(true, Ordering::Relaxed);
    }

    /// Whether a client has ever polled it.
    pub(super) fn is_attended(&self) -> bool {
        self.is_attended.load(Ordering::Relaxed)
    }

    /// Stores the timer that ends it.
    pub(super) fn expire_by(&self, expiry: AbortHandle) {
        // It is set once, when the task begins.
        let _ = self.expiry.set(expiry);
    }

    /// Ends it with an outcome. From now on only the outcome is kept.
    pub(super) fn finish(&self, server: &Server, outcome: Result<Value, RpcError>) {
        let cost = TASK_COST + outcome.as_ref().map_or(0, cost::estimate_value);
        self.change(server, |inner| {
            let outcome = match inner.room.resize(cost) {
                Ok(()) => outcome,
                Err(why) => Err(RpcError::over_budget(why)),
            };
            inner.state.finish(self.era, outcome)
        });
    }

    /// Cancels the task; false when it had already ended.
    pub(super) fn cancel(&self, server: &Server) -> bool {
        self.stop.cancel();
        self.change(server, |inner| inner.state.cancel())
    }

    /// Adds answers (2026-07-28).
    pub(super) fn answer(&self, server: &Server, responses: &Map<String, Value>) {
        self.change(server, |inner| inner.state.answer(responses));
    }

    /// Shows questions to clients that poll the task, and waits for the answers (2026-07-28).
    pub(crate) async fn ask(&self, server: &Server, asks: &[Ask]) -> Vec<Value> {
        let mut keys = Vec::new();
        self.change(server, |inner| {
            keys = inner.state.ask(asks);
            true
        });
        self.wait_until(|inner| inner.state.take_answers(&keys)).await
    }

    /// Sends a request when a client asks for the result, and waits for its answer (2025-11-25).
    pub(crate) async fn hand_over<T>(
        &self,
        server: &Server,
        request: Bytes,
        answer: impl Future<Output = T>,
    ) -> T {
        self.change(server, |inner| {
            inner.requests.push_back(request);
            inner.state.wait();
            true
        });
        let answer = answer.await;
        self.change(server, |inner| {
            inner.state.resume();
            true
        });
        answer
    }

    /// The next thing for a client that waits for the result (2025-11-25).
    pub(super) async fn next(&self) -> Next {
        self.wait_until(|inner| {
            if let Some(request) = inner.requests.pop_front() {
                return Some(Next::Request(request));
            }
            let ended = inner.state.status().is_terminal();
            ended.then(|| Next::End(inner.state.outcome().cloned()))
        })
        .await
    }

    async fn wait_until<T>(&self, mut look: impl FnMut(&mut Inner) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Registered before the state is read, so that no change in between is missed.
            changed.as_mut().enable();
            let found = look(&mut self.lock());
            match found {
                Some(found) => return found,
                None => changed.await,
            }
        }
    }

    /// Changes the state, and notifies everybody if `change` returns true.
    fn change(&self, server: &Server, change: impl FnOnce(&mut Inner) -> bool) -> bool {
        let mut inner = self.lock();
        let before = inner.state.status();
        let changed = change(&mut inner);
        if changed {
            inner.updated = SystemTime::now();
        }
        let moved = inner.state.status() != before;
        drop(inner);
        self.changed.notify_waiters();
        if changed && (moved || self.era == Era::Modern) {
            self.announce(server);
        }
        changed
    }

    fn announce(&self, server: &Server) {
        match self.era {
            Era::Modern => server.notify_change(&Change::Task(self.id.clone())),
            Era::Legacy => {
                if let Some(owner) = self.owner.upgrade() {
                    owner.send(rpc::notification("notifications/tasks/status", &self.outline_only()).into());
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
