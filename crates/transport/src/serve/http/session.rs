//! A legacy session: its streams, GET and DELETE.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use protocol::{Era, Version};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::body::Body;
use super::connections::StreamPlace;
use super::replay_log::{ReplayLog, parse_id};
use super::{Options, Request, Response, Shared, reply};
use crate::Transport;
use crate::serve::queue::{Receiver, Sender, queue};
use crate::serve::{Budgets, Handler, Limits, Out, Outbox, Reservation};

/// How many streams a session keeps, and how many bytes of those that have ended.
const MAX_STREAMS: usize = 64;
const MAX_REPLAY_BYTES: usize = 1024 * 1024;
/// How many messages that belong to no request may wait for a GET stream, and how many bytes.
const MAX_OUTBOX: usize = 128;
const MAX_OUTBOX_BYTES: usize = 256 * 1024;
/// What an empty session costs.
const SESSION_COST: usize = 2048;

/// The start of the clock.
static CLOCK_START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// One legacy session.
pub(super) struct Session<P> {
    pub(super) peer: Arc<P>,
    /// The transport that it was opened on. No other transport finds it.
    pub(super) transport: Transport,
    pub(super) sender: Sender,
    pub(super) budgets: Budgets,
    /// Cancelled when the session ends; its streams end then.
    pub(super) ended: CancellationToken,
    outbox: Arc<tokio::sync::Mutex<Receiver>>,
    logs: Mutex<Vec<Arc<ReplayLog>>>,
    streams: AtomicU32,
    /// One permit for each stream that may be open.
    places: Arc<Semaphore>,
    most_places: usize,
    is_used: AtomicBool,
    /// When it was used last, in milliseconds.
    last_use: AtomicU64,
    _cost: Option<Reservation>,
}

/// The right to one open event stream.
pub(super) struct StreamPermit {
    _of_server: StreamPlace,
    of_session: Option<OwnedSemaphorePermit>,
}

impl<P: Send + Sync + 'static> Session<P> {
    /// A session that has no id yet.
    pub(super) fn open<H: Handler<Peer = P>>(shared: &Shared<H>, transport: Transport) -> Arc<Self> {
        let limits = &shared.options.limits;
        Self::with_peer(transport, limits, &shared.budgets, |outbox, budgets| {
            shared.handler.connect(transport, outbox, budgets.kept.clone())
        })
    }

    /// A session without a handler, for tests of the list of sessions.
    #[cfg(test)]
    pub(super) fn bare(peer: P, transport: Transport, limits: &Limits, process: &Budgets) -> Arc<Self> {
        Self::with_peer(transport, limits, process, |_, _| peer)
    }

    fn with_peer(
        transport: Transport,
        limits: &Limits,
        process: &Budgets,
        connect: impl FnOnce(Outbox, &Budgets) -> P,
    ) -> Arc<Self> {
        let (sender, receiver) = queue(MAX_OUTBOX, MAX_OUTBOX_BYTES);
        let budgets = process.for_session(limits);
        let peer = Arc::new(connect(Outbox::new(sender.clone(), budgets.kept.clone()), &budgets));
        Arc::new(Self {
            peer,
            transport,
            sender,
            // The number of sessions bounds what is not charged here.
            _cost: budgets.kept.reserve(SESSION_COST).ok(),
            budgets,
            ended: CancellationToken::new(),
            outbox: Arc::new(tokio::sync::Mutex::new(receiver)),
            logs: Mutex::default(),
            streams: AtomicU32::new(0),
            places: Arc::new(Semaphore::new(limits.session_streams)),
            most_places: limits.session_streams,
            is_used: AtomicBool::new(false),
            last_use: AtomicU64::new(now()),
        })
    }

    /// Notes that the client uses it.
    pub(super) fn touch(&self) {
        self.is_used.store(true, Ordering::Relaxed);
        self.last_use.store(now(), Ordering::Relaxed);
    }

    /// Whether nothing has come since its handshake.
    pub(super) fn is_fresh(&self) -> bool {
        !self.is_used.load(Ordering::Relaxed)
    }

    pub(super) fn last_use(&self) -> u64 {
        self.last_use.load(Ordering::Relaxed)
    }

    /// Whether nobody has used it for that long. A stream that is open is a use.
    pub(super) fn is_idle_for(&self, idle: Duration) -> bool {
        let unused = Duration::from_millis(now().saturating_sub(self.last_use()));
        unused >= idle && self.places.available_permits() == self.most_places
    }

    /// A place for one more stream of this session, or the refusal.
    pub(super) fn stream_permit<H: Handler>(
        &self,
        shared: &Shared<H>,
    ) -> Result<StreamPermit, Box<Response>> {
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            return Err(Box::new(reply::refused(429, "the session has as many open streams as it may")));
        };
        let mut permit = StreamPermit::of_server(shared)?;
        permit.of_session = Some(place);
        Ok(permit)
    }

    /// Drops the streams that are only kept for a client that reconnects.
    pub(super) fn forget_replays(&self) {
        lock(&self.logs).retain(|log| !log.is_replay());
    }

    /// Answers a POST with a stream. The work continues when the connection breaks, and the client can resume the stream
    /// on another connection. `held` is what the work has reserved.
    pub(super) fn answer(
        &self,
        mut outs: mpsc::Receiver<Out>,
        primed: bool,
        options: &Options,
        (mut permit, held): (StreamPermit, Reservation),
    ) -> Response {
        // The work counts until it ends, also when nobody reads its stream any more.
        let place = permit.of_session.take();
        let log = self.log(false, options);
        if primed && options.resumable {
            log.prime();
        }
        let disconnected = CancellationToken::new();
        let response = reply::events(log.read_after(0, &disconnected), permit);
        let cancels = options.cancel_on_disconnect;
        tokio::spawn(async move {
            let _held = (held, place);
            loop {
                let out = tokio::select! {
                    out = outs.recv() => out,
                    () = disconnected.cancelled(), if cancels => None,
                };
                match out {
                    Some(Out::Message(message)) => log.message(&message).await,
                    Some(Out::Hangup { retry_ms }) => log.hang_up(retry_ms),
                    None => break,
                }
            }
            log.finish();
        });
        response
    }

    /// Opens a stream for messages that belong to no request.
    pub(super) fn listen(&self, primed: bool, options: &Options, permit: StreamPermit) -> Response {
        let log = self.log(true, options);
        if primed && options.resumable {
            log.prime();
        }
        self.read_from(log, 0, permit)
    }

    /// The log of the stream with this number, if it is still kept.
    fn find_log(&self, stream: u32) -> Option<Arc<ReplayLog>> {
        lock(&self.logs).iter().find(|log| log.number == stream).cloned()
    }

    /// Sends the events of a stream that follow the event `after`.
    fn read_from(&self, log: Arc<ReplayLog>, after: u64, permit: StreamPermit) -> Response {
        let disconnected = CancellationToken::new();
        let response = reply::events(log.read_after(after, &disconnected), permit);
        if log.standalone {
            log.reopen();
            tokio::spawn(forward_outbox(self.outbox.clone(), log, disconnected, self.ended.clone()));
        }
        response
    }

    /// The queue of messages that belong to no request; `None` if another stream reads it.
    pub(super) fn take_outbox(&self) -> Option<OwnedMutexGuard<Receiver>> {
        self.outbox.clone().try_lock_owned().ok()
    }

    fn log(&self, standalone: bool, options: &Options) -> Arc<ReplayLog> {
        let number = self.streams.fetch_add(1, Ordering::Relaxed);
        let log = ReplayLog::new(number, standalone, options, &self.budgets.kept);
        let mut logs = lock(&self.logs);
        if logs.len() >= MAX_STREAMS {
            logs.remove(0);
        }
        let mut replayed: usize = logs.iter().filter(|log| log.is_replay()).map(|log| log.bytes()).sum();
        logs.retain(|log| {
            let is_surplus = replayed > MAX_REPLAY_BYTES && log.is_replay();
            replayed -= if is_surplus { log.bytes() } else { 0 };
            !is_surplus
        });
        logs.push(log.clone());
        log
    }
}

impl StreamPermit {
    /// A place for a stream that belongs to no session, or the refusal.
    pub(super) fn of_server<H: Handler>(shared: &Shared<H>) -> Result<Self, Box<Response>> {
        let place = shared.connections.stream_place();
        let place = place.ok_or_else(|| {
            Box::new(reply::refused(503, "there are as many open streams as there may be: try again later"))
        })?;
        Ok(Self { _of_server: place, of_session: None })
    }
}

/// Moves messages from the outbox to the stream while its connection lives. The lock on the outbox is what keeps
/// a message from going to two streams.
async fn forward_outbox(
    outbox: Arc<tokio::sync::Mutex<Receiver>>,
    log: Arc<ReplayLog>,
    disconnected: CancellationToken,
    ended: CancellationToken,
) {
    let work = async {
        let mut outbox = outbox.lock().await;
        while let Some(message) = outbox.recv().await {
            log.message(&message).await;
        }
    };
    tokio::select! {
        // Polled in this order, so that a message that has left the outbox reaches the log before a disconnect counts.
        biased;
        // Every sender is gone, so the session has ended.
        () = work => log.finish(),
        () = ended.cancelled() => log.finish(),
        // The client may reconnect and resume the stream.
        () = disconnected.cancelled() => {}
    }
}

/// `GET /mcp`: opens a stream, or resumes one that broke.
pub(super) fn listen<H: Handler>(shared: &Shared<H>, request: &Request) -> Response {
    let headers = request.headers();
    if !accepts(headers, "text/event-stream") {
        return reply::refused(406, "GET opens an event stream: send Accept: text/event-stream");
    }
    let session = match find(shared, headers) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    let options = &shared.options;
    let last = headers.get("last-event-id").and_then(|v| v.to_str().ok()).filter(|_| options.resumable);
    let permit = match session.stream_permit(shared) {
        Ok(permit) => permit,
        Err(refusal) => return *refusal,
    };
    shared.handler.on_listen(&session.peer);
    let seen = last.and_then(parse_id);
    let found = seen.and_then(|(stream, after)| Some((session.find_log(stream)?, after)));
    match found {
        Some((log, after)) => session.read_from(log, after, permit),
        None => session.listen(primes_streams(shared.handler.version(&session.peer)), options, permit),
    }
}

/// `DELETE /mcp`: ends a session.
pub(super) fn delete<H: Handler>(shared: &Shared<H>, request: &Request) -> Response {
    let session = match find(shared, request.headers()) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    if let Some(id) = session_id(request.headers()) {
        shared.sessions.remove(id);
        shared.end(&session);
    }
    reply::empty(StatusCode::NO_CONTENT, Body::empty())
}

/// The session that the headers name, or the refusal that says what is wrong with them.
pub(super) fn find<H: Handler>(
    shared: &Shared<H>,
    headers: &HeaderMap,
) -> Result<Arc<Session<H::Peer>>, Box<Response>> {
    let refuse = |status, why: &str| Err(Box::new(reply::refused(status, why)));
    let Some(id) = session_id(headers) else {
        if let Some(session) = shared.sessions.latest().filter(|_| !shared.options.require_session) {
            return Ok(session);
        }
        return refuse(400, "no Mcp-Session-Id: send the one that initialize returned");
    };
    let Some(session) = shared.sessions.get(id, Transport::StreamableHttp) else {
        return refuse(404, "no such session: initialize a new one");
    };
    match headers.get("mcp-protocol-version").map(|v| v.to_str().unwrap_or_default()) {
        Some(named) if !is_legacy(named) => {
            refuse(400, &format!("MCP-Protocol-Version {named:?} is not a revision with sessions"))
        }
        Some(_) | None => Ok(session),
    }
}

/// Whether streams begin with an empty event, which clients of earlier revisions take for a broken message.
pub(super) fn primes_streams(version: Option<Version>) -> bool {
    version >= Some(Version::V2025_11_25)
}

/// Whether the `Accept` header, if there is one, admits `media`.
pub(super) fn accepts(headers: &HeaderMap, media: &str) -> bool {
    let mut values = headers.get_all(http::header::ACCEPT).iter().peekable();
    let (kind, _) = media.split_once('/').unwrap_or((media, ""));
    values.peek().is_none()
        || values.filter_map(|v| v.to_str().ok()).flat_map(|v| v.split(',')).any(|range| {
            let range = range.split(';').next().unwrap_or_default().trim();
            range == "*/*" || range.eq_ignore_ascii_case(media) || range.strip_suffix("/*") == Some(kind)
        })
}

fn is_legacy(version: &str) -> bool {
    version.parse::<Version>().is_ok_and(|v| v.era() == Era::Legacy)
}

pub(super) fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("mcp-session-id").and_then(|v| v.to_str().ok())
}

/// Milliseconds since the first session.
fn now() -> u64 {
    u64::try_from(CLOCK_START.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
