//! Legacy sessions: their ids, their streams, GET and DELETE.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use protocol::{Era, Version};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::{OwnedMutexGuard, mpsc};
use tokio_util::sync::CancellationToken;

use super::body::Body;
use super::log::{Log, parse_id};
use super::{Options, Request, Response, Shared, Slip, reply};
use crate::serve::{Handler, Out, Outbox, Via};

/// How many sessions are kept; beyond that the one that was used longest ago is dropped.
const SESSIONS: usize = 10_000;
/// How many streams a session remembers.
const STREAMS: usize = 64;
/// How many messages that belong to no request wait for a GET stream.
const OUTBOX: usize = 256;

/// The sessions of one server.
pub(super) struct Sessions<P> {
    by_id: Mutex<HashMap<String, Arc<Session<P>>>>,
    /// How many there have been, for ids that can be guessed.
    counted: AtomicU64,
}

/// One legacy session.
pub(super) struct Session<P> {
    pub(super) peer: Arc<P>,
    pub(super) sender: mpsc::Sender<Bytes>,
    outbox: Arc<tokio::sync::Mutex<mpsc::Receiver<Bytes>>>,
    logs: Mutex<Vec<Arc<Log>>>,
    streams: AtomicU32,
    used: Mutex<Instant>,
}

impl<P> Default for Sessions<P> {
    fn default() -> Self {
        Self { by_id: Mutex::default(), counted: AtomicU64::new(0) }
    }
}

impl<P> Sessions<P> {
    pub(super) fn insert(&self, session: Arc<Session<P>>, options: &Options) -> Option<String> {
        let random = random_id()?;
        let mut sessions = lock(&self.by_id);
        let id = if options.slips(Slip::CountedSessions) {
            self.counted.fetch_add(1, Ordering::Relaxed).to_string()
        } else if options.slips(Slip::SpacedSessions) {
            format!("session {random}")
        } else {
            random
        };
        if sessions.len() >= SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, s)| *lock(&s.used)).map(|(id, _)| id.clone());
            oldest.and_then(|id| sessions.remove(&id));
        }
        sessions.insert(id.clone(), session);
        Some(id)
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Session<P>>> {
        let session = lock(&self.by_id).get(id).cloned()?;
        *lock(&session.used) = Instant::now();
        Some(session)
    }

    /// The one that was used last.
    fn latest(&self) -> Option<Arc<Session<P>>> {
        lock(&self.by_id).values().max_by_key(|s| *lock(&s.used)).cloned()
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<Session<P>>> {
        lock(&self.by_id).remove(id)
    }

    fn clear(&self) {
        lock(&self.by_id).clear();
    }
}

impl<P: Send + Sync + 'static> Session<P> {
    /// A session that has no id yet.
    pub(super) fn open<H: Handler<Peer = P>>(handler: &H, via: Via) -> Arc<Self> {
        let (sender, receiver) = mpsc::channel(OUTBOX);
        let peer = Arc::new(handler.connect(via, Outbox::new(sender.clone())));
        Arc::new(Self {
            peer,
            sender,
            outbox: Arc::new(tokio::sync::Mutex::new(receiver)),
            logs: Mutex::default(),
            streams: AtomicU32::new(0),
            used: Mutex::new(Instant::now()),
        })
    }

    /// The stream of one POST: the work goes on when the connection breaks, and can be read on from elsewhere.
    pub(super) fn answer(&self, mut outs: mpsc::Receiver<Out>, primed: bool, options: &Options) -> Response {
        let log = self.log(false, options);
        if primed && options.resumable && !options.slips(Slip::NoPriming) {
            log.prime();
        }
        let gone = CancellationToken::new();
        let response = reply::events(log.read(0, &gone));
        let slips = options.slips.clone();
        let elsewhere = self.sender.clone();
        tokio::spawn(async move {
            loop {
                let out = tokio::select! {
                    out = outs.recv() => out,
                    () = gone.cancelled(), if slips.contains(&Slip::DisconnectCancels) => None,
                };
                match out {
                    Some(Out::Message(message)) => {
                        log.message(&message);
                        stray(&slips, &elsewhere, &message);
                    }
                    Some(Out::Hangup { retry_ms }) => log.hang_up(retry_ms, !slips.contains(&Slip::NoRetry)),
                    None => break,
                }
            }
            if !slips.contains(&Slip::StaysOpen) {
                log.finish();
            }
        });
        response
    }

    /// A stream for what belongs to no request.
    pub(super) fn listen(&self, primed: bool, options: &Options) -> Response {
        let log = self.log(true, options);
        if primed && options.resumable && !options.slips(Slip::NoPriming) {
            log.prime();
        }
        self.show(log, 0)
    }

    /// Goes on with a stream after an event of it, wherever that was seen; `None` when the stream is forgotten.
    pub(super) fn resume(&self, stream: u32, after: u64, options: &Options) -> Option<Response> {
        let log = lock(&self.logs).iter().find(|log| log.number == stream).cloned()?;
        if options.slips(Slip::ReplaysOthers) {
            let others = lock(&self.logs).clone();
            others.iter().filter(|other| other.number != stream).for_each(|other| log.take_over(other));
        }
        Some(self.show(log, after))
    }

    fn show(&self, log: Arc<Log>, after: u64) -> Response {
        let gone = CancellationToken::new();
        let response = reply::events(log.read(after, &gone));
        if log.standalone {
            log.reopen();
            tokio::spawn(drain(self.outbox.clone(), log, gone));
        }
        response
    }

    /// What belongs to no request, for whoever takes it first.
    pub(super) fn take_outbox(&self) -> Option<OwnedMutexGuard<mpsc::Receiver<Bytes>>> {
        self.outbox.clone().try_lock_owned().ok()
    }

    fn log(&self, standalone: bool, options: &Options) -> Arc<Log> {
        let log = Log::new(self.streams.fetch_add(1, Ordering::Relaxed), standalone, options);
        let mut logs = lock(&self.logs);
        if logs.len() >= STREAMS {
            logs.remove(0);
        }
        logs.push(log.clone());
        log
    }
}

/// Sends a message where it does not belong, if that is wanted.
fn stray(slips: &[Slip], elsewhere: &mpsc::Sender<Bytes>, message: &[u8]) {
    if slips.is_empty() {
        return;
    }
    let notifies = wire::Frame::parse(message).is_ok_and(|frame| frame.method.is_some());
    let slip = if notifies { Slip::Broadcasts } else { Slip::RespondsOnGet };
    if slips.contains(&slip) {
        // Nobody may be listening there.
        let _ = elsewhere.try_send(Bytes::copy_from_slice(message));
    }
}

/// Moves messages from the outbox to the stream while its connection lives. The lock on the outbox is what keeps
/// a message from going to two streams.
async fn drain(
    outbox: Arc<tokio::sync::Mutex<mpsc::Receiver<Bytes>>>,
    log: Arc<Log>,
    gone: CancellationToken,
) {
    let work = async {
        let mut outbox = outbox.lock().await;
        while let Some(message) = outbox.recv().await {
            log.message(&message);
        }
    };
    tokio::select! {
        // The session is over.
        () = work => log.finish(),
        // The client may come back for the rest.
        () = gone.cancelled() => {}
    }
}

/// `GET /mcp`: listen, or go on with a stream that broke.
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
    let resumed = last.and_then(parse_id).and_then(|(stream, after)| session.resume(stream, after, options));
    resumed.unwrap_or_else(|| {
        let primed = primes(shared.handler.version(&session.peer));
        session.listen(primed, options)
    })
}

/// `DELETE /mcp`: the client is done with its session.
pub(super) fn delete<H: Handler>(shared: &Shared<H>, request: &Request) -> Response {
    let session = match find(shared, request.headers()) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    if let Some(id) = session_id(request.headers()).filter(|_| shared.options.forget_sessions) {
        shared.sessions.remove(id);
        shared.handler.disconnect(&session.peer);
        if shared.options.slips(Slip::DeleteEndsAll) {
            shared.sessions.clear();
        }
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
    let stand_in = || shared.sessions.latest().filter(|_| shared.options.slips(Slip::AnySession));
    let Some(session) = shared.sessions.get(id).or_else(stand_in) else {
        return refuse(404, "no such session: initialize a new one");
    };
    match headers.get("mcp-protocol-version").map(|v| v.to_str().unwrap_or_default()) {
        None if shared.options.slips(Slip::VersionInsisted) => refuse(400, "no MCP-Protocol-Version"),
        Some(named) if shared.options.check_version && !is_legacy(named) => {
            refuse(400, &format!("MCP-Protocol-Version {named:?} is not a revision with sessions"))
        }
        _ => Ok(session),
    }
}

/// Whether streams begin with an empty event, which clients of earlier revisions take for a broken message.
pub(super) fn primes(version: Option<Version>) -> bool {
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

fn random_id() -> Option<String> {
    let mut bytes = [0_u8; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
