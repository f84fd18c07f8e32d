//! The client of Streamable HTTP, for both eras: one endpoint, a POST for each message, and in the legacy era a
//! session.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use protocol::{Era, Version};
use tokio::time::Instant;

use super::compose::Composed;
use super::{Request, Session, headers};
use crate::client::answer_poster::AnswerPoster;
use crate::client::bounded_recorder::BoundedRecorder;
use crate::client::link::Task;
use crate::client::link::http::{BodyReader, Http, Item, Outgoing, path_of};
use crate::client::responder::Responder;
use crate::client::route::Router;
use crate::client::{Endpoint, Failure, Head, Limits, Message};

/// How long the handshake waits for the GET stream.
const GET_STREAM_OPENS_WITHIN: Duration = Duration::from_millis(250);

/// The client of Streamable HTTP.
#[derive(Debug)]
pub(super) struct Streamable {
    pub(super) http: Arc<Http>,
    pub(super) router: Arc<Router>,
    path: String,
    base: HeaderMap,
    version: Version,
    responder: Responder,
    poster: AnswerPoster,
    state: Mutex<State>,
    listener: tokio::sync::Mutex<Listener>,
}

/// The GET stream in the background.
#[derive(Debug, Default)]
enum Listener {
    #[default]
    NotTried,
    Absent,
    On(#[expect(dead_code, reason = "held so that it ends with the session")] Task),
}

#[derive(Debug, Default)]
struct State {
    session_id: Option<HeaderValue>,
    negotiated: Option<String>,
}

impl Streamable {
    pub(super) fn new(
        endpoint: &Endpoint,
        version: Version,
        limits: &Limits,
        record: BoundedRecorder,
        responder: Responder,
    ) -> Result<Self, Failure> {
        let http = Http::new(endpoint, limits, record)?;
        let router: Arc<Router> = Arc::default();
        Ok(Self {
            poster: AnswerPoster::new(Arc::clone(&http), limits.request, Arc::clone(&router)),
            router,
            path: path_of(&endpoint.url),
            base: headers::base(endpoint)?,
            version,
            responder,
            state: Mutex::default(),
            listener: tokio::sync::Mutex::default(),
            http,
        })
    }

    /// The session that the server assigned.
    pub(super) fn session_id(&self) -> Option<String> {
        self.with(|state| {
            state.session_id.as_ref().map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned())
        })
    }

    /// Stores the revision that the handshake ended in.
    pub(super) fn set_negotiated(&self, version: Option<String>) {
        self.with(|state| state.negotiated = version);
    }

    /// Stores the session id in the head of a handshake's response.
    pub(super) fn store_session_id(&self, head: &Head) {
        let id = head.headers.get(protocol::header::SESSION_ID).cloned();
        if id.is_some() {
            self.with(|state| state.session_id = id);
        }
    }

    pub(super) async fn send(&self, request: &Request, composed: &Composed) -> Result<BodyReader, Failure> {
        let mut headers = self.session_headers()?;
        headers::post(&mut headers);
        if request.is_modern() {
            headers::mirror(&mut headers, &composed.bytes, self.version)?;
        }
        request.adjust(&mut headers)?;
        let path = request.path.clone().unwrap_or_else(|| self.path.clone());
        let outgoing = Outgoing { verb: request.verb.clone(), path, headers, body: composed.bytes.clone() };
        let exchange = self.http.send(outgoing, &composed.label).await?;
        // A session begins with `initialize`. Ids in other responses are left to the checks.
        if request.method == "initialize" && exchange.head.status < 300 {
            self.store_session_id(&exchange.head);
        }
        Ok(BodyReader::new(exchange))
    }

    /// Opens a stream with GET, which continues after `last_event_id` if that is given.
    pub(super) async fn get(
        &self,
        last_event_id: Option<&str>,
        deadline: Instant,
    ) -> Result<BodyReader, Failure> {
        let mut headers = self.session_headers()?;
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = last_event_id {
            let bad = |_| Failure::Ours("the id of the last event cannot stand in a header".into());
            headers.insert("last-event-id", HeaderValue::from_bytes(id.as_bytes()).map_err(bad)?);
        }
        let outgoing =
            Outgoing { verb: http::Method::GET, path: self.path.clone(), headers, body: Bytes::new() };
        self.http.send_until(outgoing, "an HTTP GET", deadline).await.map(BodyReader::new)
    }

    /// Ends the session with DELETE; `None` when there is none.
    pub(super) async fn delete(&self, deadline: Instant) -> Option<Result<u16, Failure>> {
        self.with(|state| state.session_id.clone())?;
        let headers = match self.session_headers() {
            Ok(headers) => headers,
            Err(failure) => return Some(Err(failure)),
        };
        let outgoing =
            Outgoing { verb: http::Method::DELETE, path: self.path.clone(), headers, body: Bytes::new() };
        match self.http.send_until(outgoing, "an HTTP DELETE", deadline).await {
            Ok(exchange) => Some(Ok(exchange.head.status)),
            Err(failure) => Some(Err(failure)),
        }
    }

    /// Answers the requests of a message, in the background.
    pub(super) fn answer(&self, message: &Message) {
        for answer in self.responder.answers(message) {
            self.post(answer);
        }
    }

    /// Posts in the background.
    pub(super) fn post(&self, bytes: Bytes) {
        // The session already uses these headers, so they are valid.
        let Ok(mut headers) = self.session_headers() else { return };
        headers::post(&mut headers);
        self.poster.deliver(&self.path, &headers, bytes);
    }

    pub(super) async fn stop_listening(&self) {
        *self.listener.lock().await = Listener::Absent;
    }

    fn session_headers(&self) -> Result<HeaderMap, Failure> {
        let mut headers = self.base.clone();
        let (id, negotiated) = self.with(|state| (state.session_id.clone(), state.negotiated.clone()));
        if self.version.era() == Era::Legacy {
            headers::session(&mut headers, negotiated.as_deref())?;
            if let Some(id) = id {
                headers.insert(http::HeaderName::from_static("mcp-session-id"), id);
            }
        }
        Ok(headers)
    }

    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Session {
    /// Listens in the background for requests of the server: a server that asks on the GET stream would otherwise wait
    /// for ever. A server need not have such a stream. Returns when the stream is open, because many servers drop what they ask
    /// before; or soon, because some send the head of the stream with its first event.
    pub(super) async fn serve_requests(&self) {
        let invites = self.inner.profile.capabilities_in(self.inner.version);
        let invites = ["roots", "sampling", "elicitation"].iter().any(|name| invites.get(name).is_some());
        if invites && matches!(*self.inner.channel, super::Channel::Streamable(_)) {
            let weak = Arc::downgrade(&self.inner);
            let opening = tokio::spawn(async move {
                if let Some(inner) = weak.upgrade() {
                    // A failure is reported to whoever listens later.
                    let _ = Self { inner }.open_get_stream().await;
                }
            });
            let _ = tokio::time::timeout(GET_STREAM_OPENS_WITHIN, opening).await;
        }
    }

    /// Opens the GET stream of legacy Streamable HTTP in the background, once; its messages come out of
    /// [`Self::incoming`]. True when the server has such a stream; other transports need none.
    pub async fn open_get_stream(&self) -> Result<bool, Failure> {
        let super::Channel::Streamable(http) = &*self.inner.channel else { return Ok(true) };
        let mut listener = http.listener.lock().await;
        match *listener {
            Listener::NotTried => {}
            Listener::Absent => return Ok(false),
            Listener::On(_) => return Ok(true),
        }
        let mut stream = http.get(None, Instant::now() + self.inner.limits.request).await?;
        if !stream.exchange.is_stream() || stream.exchange.head.status != 200 {
            *listener = Listener::Absent;
            return Ok(false);
        }
        let weak = Arc::downgrade(&self.inner);
        *listener = Listener::On(Task::spawn(async move {
            while let Ok(Some(item)) = stream.next().await {
                let Some(inner) = weak.upgrade() else { return };
                let super::Channel::Streamable(http) = &*inner.channel else { return };
                if let Item::Message(message) = item {
                    http.router.route(&message);
                    http.answer(&message);
                }
            }
        }));
        Ok(true)
    }
}
