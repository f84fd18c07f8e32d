//! A server over Streamable HTTP: every message of the client is a POST of the same bytes.
//!
//! The server's answer stays what it is: JSON stays JSON, and an event stream stays a stream, whose events leave as they come.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Response, StatusCode};
use protocol::Version;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use transport::Transport;
use transport::client::{Endpoint, Failure};
use transport::serve::{Answer, Out, Outbox};
use transport::upstream::{HttpPool, PooledBody, SendFailure};
use wire::{Frame, Id, Kind};

use super::event_reader::{EventReader, collect};
use super::session_memory::SessionMemory;
use crate::client_message::ClientMessage;
use crate::failure::{UpstreamFailure, error_response};
use crate::headers::{LAST_EVENT_ID, SESSION_ID};
use crate::ids::member;
use crate::mirrored_headers::{ToolHeaders, mirror};

/// How many messages of a stream may wait for the client.
const MAX_QUEUED: usize = 64;
/// How often a stream is opened again without anything having come on it.
const MAX_EMPTY_STREAMS: u32 = 5;
/// How long a server may take for each message that opens a session again.
const REOPEN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the end of a session may take.
const END_TIMEOUT: Duration = Duration::from_secs(2);

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
const EITHER: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A server that is reached over HTTP, for all sessions.
#[derive(Debug)]
pub(super) struct HttpUpstream {
    pool: Arc<HttpPool>,
    /// Headers that go with every request.
    headers: HeaderMap,
}

/// The connection of one client session.
#[derive(Debug)]
pub(crate) struct HttpLink {
    upstream: Arc<HttpUpstream>,
    outbox: Outbox,
    /// Whether the client reads what belongs to no request without asking for it.
    is_piped: bool,
    state: Mutex<State>,
    /// Held by the one that opens the session again.
    opening: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// The id that the server has given the session.
    session: Option<HeaderValue>,
    /// For a server that forgets the session.
    memory: SessionMemory,
    /// What every request of the session has, such as its revision.
    common: HeaderMap,
    /// Which arguments have headers, as far as the client has listed tools.
    tools: ToolHeaders,
    listener: Option<JoinHandle<()>>,
    /// Modern requests of a pipe.
    open: HashMap<Id, CancellationToken>,
    is_closed: bool,
}

impl HttpUpstream {
    pub(super) fn new(pool: Arc<HttpPool>, endpoint: &Endpoint) -> Result<Self, Failure> {
        let mut headers = HeaderMap::new();
        for (name, value) in &endpoint.headers {
            let unusable = |why: String| Failure::Unusable(format!("the header {name}: {why}"));
            let name = HeaderName::try_from(name.as_str()).map_err(|why| unusable(why.to_string()))?;
            let mut value = HeaderValue::try_from(value.as_str()).map_err(|why| unusable(why.to_string()))?;
            value.set_sensitive(true);
            headers.append(name, value);
        }
        Ok(Self { pool, headers })
    }
}

impl HttpLink {
    pub(super) fn new(upstream: Arc<HttpUpstream>, transport: Transport, outbox: Outbox) -> Arc<Self> {
        let is_piped = transport != Transport::StreamableHttp;
        Arc::new(Self { upstream, outbox, is_piped, state: Mutex::default(), opening: Default::default() })
    }

    pub(super) async fn send(self: &Arc<Self>, mut message: ClientMessage) -> Answer {
        if !self.is_piped {
            return self.exchange(message).await;
        }
        if message.is("notifications/cancelled") && self.cancel(&message) {
            return Answer::Accepted;
        }
        let open = self.note_open(&message);
        if message.kind == Kind::Request && !message.is("initialize") {
            message.turn.pass();
        }
        let id_json = message.id_json.clone();
        let answer = tokio::select! {
            answer = self.exchange(message) => answer,
            () = open.cancelled.cancelled() => return Answer::Accepted,
        };
        match answer {
            // Over HTTP the exchange tells which request an error is for. On a pipe only the id does.
            Answer::Message { status, body } => {
                Answer::Message { status, body: add_id(body, id_json.as_deref()) }
            }
            Answer::Stream(outs) => Answer::Stream(until_cancelled(open, outs)),
            answer => answer,
        }
    }

    /// Notes that a modern request of a pipe is open, because only a message can cancel it. Over HTTP its stream is closed then.
    fn note_open(self: &Arc<Self>, message: &ClientMessage) -> OpenRequest {
        let cancelled = CancellationToken::new();
        let id = message.id.clone().filter(|_| message.is_modern() && message.kind == Kind::Request);
        if let Some(id) = &id {
            self.lock().open.insert(id.clone(), cancelled.clone());
        }
        OpenRequest { link: Arc::clone(self), id, cancelled }
    }

    /// Ends the request that a message cancels, if it is a modern one.
    fn cancel(&self, message: &ClientMessage) -> bool {
        let params = Frame::parse(&message.bytes).ok().and_then(|frame| frame.params);
        let id = params.and_then(|params| member(params, "requestId")).map(Id::from_raw);
        let open = id.and_then(|id| self.lock().open.remove(&id));
        open.inspect(CancellationToken::cancel).is_some()
    }

    async fn exchange(self: &Arc<Self>, message: ClientMessage) -> Answer {
        let mut is_reopened = false;
        loop {
            let session = self.lock().session.clone();
            let headers = self.headers(&message, session.as_ref());
            let sent = self.upstream.pool.send(Method::POST, None, headers, message.bytes.clone()).await;
            let response = match sent {
                Ok(response) => response,
                Err(failure) => return explain(failure).answer(&message),
            };
            // The server has forgotten the session, and so has not handled the message.
            let is_forgotten = response.status() == StatusCode::NOT_FOUND && session.is_some();
            if is_forgotten && !is_reopened && !message.is("initialize") {
                drop(response);
                match self.reopen(session.as_ref()).await {
                    Ok(()) => is_reopened = true,
                    Err(failure) => return failure.answer(&message),
                }
                continue;
            }
            return self.receive(message, response).await;
        }
    }

    fn headers(&self, message: &ClientMessage, session: Option<&HeaderValue>) -> HeaderMap {
        let mut headers = message.headers.clone();
        headers.entry(CONTENT_TYPE).or_insert(JSON);
        headers.entry(ACCEPT).or_insert(EITHER);
        // A client on a pipe sends no headers. Without a handshake it can only be a modern one.
        let is_modern = message.is_modern()
            || (self.is_piped && !message.is("initialize") && !self.lock().memory.has_handshake());
        if is_modern && self.is_piped {
            mirror(message, &self.lock().tools, &mut headers);
        }
        self.complete(&mut headers, session, is_modern);
        headers
    }

    /// Adds what the session and the server's entry require.
    fn complete(&self, headers: &mut HeaderMap, session: Option<&HeaderValue>, is_modern: bool) {
        for name in self.upstream.headers.keys() {
            headers.remove(name);
        }
        headers.extend(self.upstream.headers.clone());
        if is_modern {
            return;
        }
        for (name, value) in &self.lock().common {
            headers.entry(name).or_insert_with(|| value.clone());
        }
        if let Some(session) = session {
            headers.insert(SESSION_ID, session.clone());
        }
    }

    /// Makes an answer of a response.
    async fn receive(self: &Arc<Self>, message: ClientMessage, response: Response<PooledBody>) -> Answer {
        let (head, body) = response.into_parts();
        // The client has no credentials for the server, and would look for some that the gateway takes.
        if head.status == StatusCode::UNAUTHORIZED {
            let why = "it asks for credentials (HTTP 401); --header 'Authorization: …' gives it some";
            return UpstreamFailure::unsent(why).answer(&message);
        }
        if head.status.is_success() {
            self.remember(&message, &head.headers);
        }
        if message.is("notifications/initialized") && self.is_piped {
            let first = self.open_stream(None).await;
            self.listen_from(first);
        }
        if is_event_stream(&head.headers) {
            let events = EventReader::new(body, None);
            if message.is("initialize") {
                return self.receive_handshake(&message, events).await;
            }
            return self.stream(message, events);
        }
        let body = match collect(body).await {
            Ok(body) => body,
            Err(why) => return UpstreamFailure::lost(why).answer(&message),
        };
        let status = head.status.as_u16();
        match (body.trim_ascii().is_empty(), message.kind) {
            (true, Kind::Request) => {
                UpstreamFailure::lost(format!("HTTP {status} without a body")).answer(&message)
            }
            (true, _) if head.status.is_success() => Answer::Accepted,
            (true, _) => UpstreamFailure::lost(format!("HTTP {status}")).answer(&message),
            (false, _) if !self.is_message(&body) => {
                UpstreamFailure::lost(format!("HTTP {status} with a body that is not JSON")).answer(&message)
            }
            (false, _) => {
                self.learn(&message, &body);
                Answer::Message { status, body }
            }
        }
    }

    /// Whether a body is a message or a batch. A client over HTTP reads all of it anyway; on a pipe a stray line would be one
    /// too many.
    fn is_message(&self, body: &[u8]) -> bool {
        match body.trim_ascii_start().first() {
            Some(b'{') => !self.is_piped || Frame::parse(body).is_ok(),
            Some(b'[') => true,
            _ => false,
        }
    }

    /// Learns from a response what later requests need: the revision of the session, and which arguments have headers.
    fn learn(&self, message: &ClientMessage, response: &[u8]) {
        let is_list = self.is_piped && message.is("tools/list");
        if !is_list && !message.is("initialize") {
            return;
        }
        let result = Frame::parse(response).ok().and_then(|frame| frame.result);
        let Some(result) = result.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok()) else {
            return;
        };
        let mut state = self.lock();
        if is_list {
            state.tools.add(&result);
        } else if let Some(version) = result["protocolVersion"].as_str()
            && version.parse::<Version>().is_ok_and(|version| version >= Version::V2025_06_18)
            && let Ok(version) = HeaderValue::try_from(version)
        {
            state.common.insert(PROTOCOL_VERSION, version);
        }
    }

    /// Remembers what a server that forgets the session has to be told again.
    fn remember(&self, message: &ClientMessage, answered: &HeaderMap) {
        let mut state = self.lock();
        state.memory.note(message);
        if message.is("initialize") && !message.is_modern() {
            state.session = answered.get(SESSION_ID).cloned();
        }
    }

    /// The response to a handshake that comes on a stream. What comes before it belongs to no request.
    async fn receive_handshake(&self, message: &ClientMessage, mut events: EventReader) -> Answer {
        loop {
            match events.next().await {
                Ok(Some(data)) if answers(&data, message.id.as_ref()) => {
                    self.learn(message, &data);
                    return Answer::Message { status: 200, body: data };
                }
                // Nobody reads it if the client has no stream yet.
                Ok(Some(data)) => drop(self.outbox.send(data)),
                Ok(None) => return UpstreamFailure::lost("its stream ended early").answer(message),
                Err(why) => return UpstreamFailure::lost(why).answer(message),
            }
        }
    }

    /// Passes the events of a stream on as they come.
    fn stream(self: &Arc<Self>, message: ClientMessage, events: EventReader) -> Answer {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED);
        let link = Arc::clone(self);
        tokio::spawn(async move { link.pass_events(&message, events, &sender).await });
        Answer::Stream(receiver)
    }

    async fn pass_events(
        &self,
        message: &ClientMessage,
        mut events: EventReader,
        sender: &mpsc::Sender<Out>,
    ) {
        let mut empty = 0;
        loop {
            let next = tokio::select! {
                next = events.next() => next,
                // The client has closed the stream: dropping the response tells the server.
                () = sender.closed() => return,
            };
            let why = match next {
                Ok(Some(data)) => {
                    empty = 0;
                    let is_last = message.kind == Kind::Request && answers(&data, message.id.as_ref());
                    if is_last {
                        self.learn(message, &data);
                    }
                    if sender.send(Out::Message(data)).await.is_err() || is_last {
                        return;
                    }
                    continue;
                }
                Ok(None) => "its stream ended without a response".to_owned(),
                Err(why) => why,
            };
            empty += 1;
            let resumed = tokio::select! {
                resumed = self.resume(message, &events, empty) => resumed,
                () = sender.closed() => return,
            };
            match resumed {
                Some(resumed) => events = resumed,
                None => {
                    if let Some(id) = &message.id_json {
                        let body = UpstreamFailure::lost(why).response(id);
                        // The client has gone if this fails.
                        let _ = sender.send(Out::Message(body)).await;
                    }
                    return;
                }
            }
        }
    }

    /// Opens a stream again that ended before its response, where the server has given its events ids, and unless nothing came on
    /// the latest `empty` streams.
    async fn resume(&self, message: &ClientMessage, ended: &EventReader, empty: u32) -> Option<EventReader> {
        let last = ended.last_id().filter(|_| !message.is_modern() && empty <= MAX_EMPTY_STREAMS)?;
        tokio::time::sleep(ended.retry()).await;
        self.open_stream(Some(last.clone())).await
    }

    /// Opens a stream with GET, after the event `last` if there is one.
    async fn open_stream(&self, last: Option<HeaderValue>) -> Option<EventReader> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, EVENT_STREAM);
        if let Some(last) = &last {
            headers.insert(LAST_EVENT_ID, last.clone());
        }
        let session = self.lock().session.clone();
        self.complete(&mut headers, session.as_ref(), false);
        let response = self.upstream.pool.send(Method::GET, None, headers, Bytes::new()).await.ok()?;
        let opens = response.status().is_success() && is_event_stream(response.headers());
        opens.then(|| EventReader::new(response.into_body(), last))
    }

    /// Reads what belongs to no request, for as long as the session lasts.
    pub(super) fn listen(self: &Arc<Self>) {
        self.listen_from(None);
    }

    /// The same, beginning with a stream that is open already.
    fn listen_from(self: &Arc<Self>, mut first: Option<EventReader>) {
        let mut state = self.lock();
        let is_listening = state.listener.as_ref().is_some_and(|listener| !listener.is_finished());
        if is_listening || state.is_closed || !state.memory.has_handshake() {
            return;
        }
        let link = Arc::downgrade(self);
        state.listener = Some(tokio::spawn(async move {
            let (mut last, mut empty) = (None, 0);
            while empty < MAX_EMPTY_STREAMS
                && let Some(link) = link.upgrade()
            {
                let opened = match first.take() {
                    Some(events) => Some(events),
                    None => link.open_stream(last.take()).await,
                };
                let Some(mut events) = opened else { return };
                let outbox = link.outbox.clone();
                drop(link);
                empty += 1;
                while let Ok(Some(data)) = events.next().await {
                    empty = 0;
                    // A client that reads too slowly misses it.
                    let _ = outbox.send(data);
                }
                last = events.last_id().cloned();
                tokio::time::sleep(events.retry()).await;
            }
        }));
    }

    /// Opens the session again that the server has forgotten, and tells it what the first one was told. Of many callers one
    /// does it.
    async fn reopen(self: &Arc<Self>, forgotten: Option<&HeaderValue>) -> Result<(), UpstreamFailure> {
        let _opening = self.opening.lock().await;
        let (session, memory) = {
            let state = self.lock();
            (state.session.clone(), state.memory.clone())
        };
        if session.as_ref() != forgotten {
            return Ok(());
        }
        let Some((handshake, mut headers)) = memory.handshake() else {
            return Err(UpstreamFailure::unsent("it does not know the session"));
        };
        headers.remove(SESSION_ID);
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, EITHER);
        self.complete(&mut headers, None, false);
        let session = self.tell(headers.clone(), handshake).await?.get(SESSION_ID).cloned();
        self.lock().session.clone_from(&session);
        if let Some(session) = session {
            headers.insert(SESSION_ID, session);
        }
        let ready = Bytes::from_static(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        self.tell(headers.clone(), ready).await?;
        for request in memory.requests() {
            // What it refuses now, the session is without.
            let _ = self.tell(headers.clone(), request).await;
        }
        self.listen_again();
        Ok(())
    }

    /// Sends a message of the gateway's own, and reads the answer to its end. Returns the headers of the answer.
    async fn tell(&self, headers: HeaderMap, message: Bytes) -> Result<HeaderMap, UpstreamFailure> {
        let told = async {
            let response = self.upstream.pool.send(Method::POST, None, headers, message).await;
            let (head, body) = response.map_err(explain)?.into_parts();
            if !head.status.is_success() {
                let status = head.status.as_u16();
                return Err(UpstreamFailure::unsent(format!("it refuses a new session: HTTP {status}")));
            }
            collect(body).await.map_err(UpstreamFailure::unsent)?;
            Ok(head.headers)
        };
        let late = |_| Err(UpstreamFailure::unsent("it does not open a new session in time"));
        tokio::time::timeout(REOPEN_TIMEOUT, told).await.unwrap_or_else(late)
    }

    /// Reads what belongs to no request from the new session, if it was read from the one before.
    fn listen_again(self: &Arc<Self>) {
        let listener = self.lock().listener.take();
        if let Some(listener) = listener {
            listener.abort();
            self.listen();
        }
    }

    /// Ends the session with the server.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        if let Some(listener) = state.listener.take() {
            listener.abort();
        }
        let Some(session) = state.session.take() else { return };
        drop(state);
        let mut headers = HeaderMap::new();
        self.complete(&mut headers, Some(&session), false);
        let upstream = Arc::clone(&self.upstream);
        tokio::spawn(async move {
            let end = upstream.pool.send(Method::DELETE, None, headers, Bytes::new());
            // A server that does not end sessions forgets them some day.
            let _ = tokio::time::timeout(END_TIMEOUT, end).await;
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that can be cancelled until this is dropped.
struct OpenRequest {
    link: Arc<HttpLink>,
    id: Option<Id>,
    cancelled: CancellationToken,
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.link.lock().open.remove(id);
        }
    }
}

/// An error without an id, with the id of the request that it answers.
fn add_id(body: Bytes, id_json: Option<&[u8]>) -> Bytes {
    let error = Frame::parse(&body).ok().filter(Frame::is_anonymous_error).and_then(|frame| frame.error);
    match (error, id_json) {
        (Some(error), Some(id)) => error_response(id, error),
        (_, _) => body,
    }
}

/// The messages of a stream until it is cancelled.
fn until_cancelled(open: OpenRequest, outs: mpsc::Receiver<Out>) -> mpsc::Receiver<Out> {
    let (sender, receiver) = mpsc::channel(MAX_QUEUED);
    tokio::spawn(async move {
        tokio::select! {
            () = Answer::Stream(outs).send_into(&sender) => {}
            () = open.cancelled.cancelled() => {}
        }
    });
    receiver
}

/// Whether a message is the response to the request `id`.
fn answers(message: &[u8], id: Option<&Id>) -> bool {
    Frame::parse(message).is_ok_and(|frame| frame.is_response() && frame.id().as_ref() == id)
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    let media = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("text/event-stream")
}

fn explain(failure: SendFailure) -> UpstreamFailure {
    match failure {
        SendFailure::Unsent(failure) => UpstreamFailure::unsent(failure.to_string()),
        SendFailure::Lost(failure) => UpstreamFailure::lost(failure.to_string()),
    }
}
