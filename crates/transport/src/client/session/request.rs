//! A request to be refined and sent. It is correct by default, and as wrong as a test asks.

use std::time::Duration;

use bytes::Bytes;
use protocol::header;
use serde_json::Value;

use super::{Channel, PendingRequest, Rounds, Session};
use crate::client::{Failure, Reply, Turn};

/// A message to be refined and sent.
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) session: Session,
    pub(super) method: String,
    pub(super) params: Option<Value>,
    pub(super) meta: Vec<(String, Option<Value>)>,
    pub(super) id: RequestId,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) without: Vec<String>,
    pub(super) body: Option<Bytes>,
    pub(super) verb: http::Method,
    pub(super) path: Option<String>,
    pub(super) timeout: Option<Duration>,
    pub(super) turn: Option<Turn>,
    pub(super) exact: bool,
}

/// The id that a message gets.
#[derive(Clone, Debug)]
pub(super) enum RequestId {
    /// The next number of the session.
    Fresh,
    /// This JSON text, verbatim.
    Raw(String),
    /// None.
    None,
}

impl Request {
    pub(super) fn new(session: Session, method: String) -> Self {
        Self {
            session,
            method,
            params: None,
            meta: Vec::new(),
            id: RequestId::Fresh,
            headers: Vec::new(),
            without: Vec::new(),
            body: None,
            verb: http::Method::POST,
            path: None,
            timeout: None,
            turn: None,
            exact: false,
        }
    }

    /// The parameters. The `_meta` of the revision is added, unless it is there.
    #[must_use]
    pub fn params(mut self, params: Value) -> Self {
        self.params = Some(params);
        self
    }

    /// A member of `_meta`, which replaces the usual one.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.push((key.into(), Some(value.into())));
        self
    }

    /// Leaves out a member of `_meta`.
    #[must_use]
    pub fn without_meta(mut self, key: impl Into<String>) -> Self {
        self.meta.push((key.into(), None));
        self
    }

    /// The id as JSON, verbatim: `8.0`, `"a"`, `null`, or text that is not JSON.
    #[must_use]
    pub fn id(mut self, json: impl Into<String>) -> Self {
        self.id = RequestId::Raw(json.into());
        self
    }

    /// No id: a notification.
    #[must_use]
    pub fn without_id(mut self) -> Self {
        self.id = RequestId::None;
        self
    }

    /// An HTTP header. The first of a name replaces the usual one; more of the same name are added.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.into(), value.as_ref().to_vec()));
        self
    }

    /// Leaves out an HTTP header.
    #[must_use]
    pub fn without_header(mut self, name: impl Into<String>) -> Self {
        self.without.push(name.into());
        self
    }

    /// The `Mcp-Param-*` headers that a tool's schema asks for, from the arguments given so far.
    #[must_use]
    pub fn mirror(mut self, input_schema: &Value) -> Self {
        let arguments = self.params.as_ref().and_then(|params| params.get("arguments"));
        // A check judges a schema that declares them wrongly; here it adds no headers.
        let declared = header::declared(input_schema).unwrap_or_default();
        let mirrored = header::mirror(&declared, arguments).unwrap_or_default();
        self.headers.extend(mirrored.into_iter().map(|(name, value)| (name, value.into_bytes())));
        self
    }

    /// Accepts only a response with the id of the request. Otherwise an error without an id counts as the response,
    /// while no other request is open.
    #[must_use]
    pub const fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Sends these bytes instead of the message.
    #[must_use]
    pub fn body(mut self, bytes: impl Into<Bytes>) -> Self {
        self.body = Some(bytes.into());
        self
    }

    /// Another HTTP method than POST; without a body unless one was given.
    #[must_use]
    pub fn verb(mut self, verb: http::Method) -> Self {
        self.verb = verb;
        self
    }

    /// Another path (and query) than the endpoint's.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// How long to wait for the response. It is counted from the last answer to a request that was sent before this one:
    /// a server may work on one at a time.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Uses a place in the order of sending that the caller observes.
    #[must_use]
    pub fn in_turn(mut self, turn: &Turn) -> Self {
        self.turn = Some(turn.clone());
        self
    }

    /// The same request in another session.
    #[must_use]
    pub fn in_session(mut self, session: &Session) -> Self {
        self.session = session.clone();
        self.turn = None;
        self
    }

    /// Whether a 404 to it means that the session is unknown: it is a plain POST of the session.
    pub(super) fn names_session(&self) -> bool {
        let prefix = |name: &str| name.get(..header::PARAM_PREFIX.len()).map(str::to_ascii_lowercase);
        let is_param = |name: &str| prefix(name) == prefix(header::PARAM_PREFIX);
        let is_usual = self.headers.iter().all(|(name, _)| is_param(name)) && self.without.is_empty();
        let has_session = match &*self.session.inner.channel {
            Channel::Pipe(_) => false,
            Channel::HttpSse { .. } => true,
            Channel::Streamable(http) => !self.is_modern() && http.session_id().is_some(),
        };
        has_session && is_usual && self.verb == http::Method::POST && self.path.is_none()
    }

    /// How long it waits for the response: the given timeout, or `usual`. A process that has not sent anything yet has
    /// the time of a start.
    pub fn limit_or(&self, usual: Duration) -> Duration {
        let inner = &self.session.inner;
        self.timeout.unwrap_or_else(|| if self.is_starting() { inner.limits.start.max(usual) } else { usual })
    }

    /// Sends it and waits for the response.
    pub async fn send(self) -> Result<Reply, Failure> {
        self.start().await?.response().await
    }

    /// Sends it and lets the caller read the messages.
    pub async fn start(self) -> Result<PendingRequest, Failure> {
        PendingRequest::start(self).await
    }

    /// Sends it, provides the input that the server asks for, and sends it again until it is complete.
    pub async fn send_through(self) -> Result<Rounds, Failure> {
        Rounds::run(self).await
    }

    /// How long it waits. A process that has not sent anything yet may still be starting.
    pub(super) fn patience(&self) -> Duration {
        self.limit_or(self.session.inner.limits.request)
    }

    fn is_starting(&self) -> bool {
        let inner = &self.session.inner;
        matches!(*inner.channel, Channel::Pipe(_)) && !inner.record.has_received()
    }
}
