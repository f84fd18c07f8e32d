//! A client's session. It behaves well unless told otherwise, and always records.

mod close;
mod compose;
mod facts;
mod headers;
mod message_source;
mod open;
mod pending;
mod request;
mod rounds;
mod streamable;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use protocol::{Era, Version};
use serde_json::Value;
use wire::Recorder;

pub use close::Closing;
pub use facts::Server;
pub(super) use facts::versions;
pub use pending::PendingRequest;
pub use request::Request;
pub use rounds::{InputRequired, Rounds};
use streamable::Streamable;

use super::bounded_recorder::BoundedRecorder;
use super::failure::Stderr;
use super::link::http::Http;
use super::link::{HttpSse, Pipe};
use super::responder::Responder;
use super::turns::Turns;
use super::{Failure, Limits, Message, Profile, Reply, Target, Turn};
use crate::Transport;

/// A client's session. Clones share it, and requests may run concurrently.
#[derive(Clone, Debug)]
pub struct Session {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    target: Target,
    transport: Transport,
    version: Version,
    profile: Profile,
    limits: Limits,
    record: BoundedRecorder,
    facts: Mutex<Server>,
    ids: Arc<AtomicU64>,
    turns: Arc<Turns>,
    responder: Responder,
    channel: Arc<Channel>,
}

#[derive(Debug)]
enum Channel {
    Pipe(Pipe),
    Streamable(Box<Streamable>),
    HttpSse { http: Arc<Http>, sse: HttpSse, base: HeaderMap },
}

impl Session {
    /// The revision that was asked for.
    pub fn version(&self) -> Version {
        self.inner.version
    }

    /// The transport.
    pub fn transport(&self) -> Transport {
        self.inner.transport
    }

    /// How reports describe the way to the server: the name of the transport, or that the server is part of this process.
    pub fn transport_name(&self) -> &'static str {
        match self.inner.target {
            Target::InProcess(_) => "in process",
            Target::Command(_) | Target::Url(_) => self.inner.transport.name(),
        }
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.inner.target
    }

    /// The bounds.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.inner.profile
    }

    /// What the server said about itself so far.
    pub fn server(&self) -> Server {
        let mut facts = self.inner.facts();
        if let Channel::Streamable(http) = &*self.inner.channel {
            facts.session_id = http.session_id();
        }
        facts
    }

    /// The same session with other capabilities. Only the modern era sends them in every request; in the legacy era the
    /// handshake declares them once.
    #[must_use]
    pub fn with_profile(&self, profile: Profile) -> Self {
        self.as_client(self.inner.version, profile)
    }

    /// The same pipe for a handshake of the legacy era, after a discovery on it was refused.
    #[must_use]
    pub fn fall_back(&self, version: Version, profile: Profile) -> Self {
        self.inner.responder.become_client(profile.clone(), version.era());
        self.as_client(version, profile)
    }

    fn as_client(&self, version: Version, profile: Profile) -> Self {
        let inner = &self.inner;
        let inner = Inner {
            target: inner.target.clone(),
            transport: inner.transport,
            version,
            profile,
            limits: inner.limits.clone(),
            record: inner.record.clone(),
            facts: Mutex::new(inner.facts()),
            ids: Arc::clone(&inner.ids),
            turns: Arc::clone(&inner.turns),
            responder: inner.responder.clone(),
            channel: Arc::clone(&inner.channel),
        };
        Self { inner: inner.into() }
    }

    /// Whether both are the same session, whatever their capabilities.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner.channel, &other.inner.channel)
    }

    /// The recorder of all that was sent and received.
    pub fn recorder(&self) -> &Recorder {
        self.inner.record.recorder()
    }

    /// Whether the target has sent any message yet.
    pub fn has_received(&self) -> bool {
        self.inner.record.has_received()
    }

    /// The last lines that the process wrote to stderr.
    pub fn stderr(&self) -> Stderr {
        match &*self.inner.channel {
            Channel::Pipe(pipe) => pipe.stderr_tail(),
            Channel::Streamable(_) | Channel::HttpSse { .. } => Stderr::default(),
        }
    }

    /// The process id of the target, if it is a process.
    pub fn pid(&self) -> Option<u32> {
        match &*self.inner.channel {
            Channel::Pipe(pipe) => pipe.pid(),
            Channel::Streamable(_) | Channel::HttpSse { .. } => None,
        }
    }

    /// Waits until the process of the target has ended; `None` where the target is not a process. The session may be dropped
    /// meanwhile.
    pub fn exited(&self) -> Option<impl Future<Output = ()> + Send + 'static + use<>> {
        match &*self.inner.channel {
            Channel::Pipe(pipe) => pipe.exited(),
            Channel::Streamable(_) | Channel::HttpSse { .. } => None,
        }
    }

    /// Why the session has ended, if it has: the channel has ended, or the server no longer knows the session.
    pub fn ended(&self) -> Option<Failure> {
        match &*self.inner.channel {
            Channel::Pipe(pipe) => pipe.router.ended(),
            Channel::HttpSse { sse, .. } => sse.router.ended(),
            Channel::Streamable(http) => http.router.ended(),
        }
    }

    /// Ends the session, because the server has answered `doing` with 404.
    fn lose(&self, doing: &str) {
        let why = Failure::SessionLost { doing: doing.to_owned() };
        match &*self.inner.channel {
            Channel::Pipe(_) => {}
            Channel::HttpSse { sse, .. } => sse.router.end(why),
            Channel::Streamable(http) => http.router.end(why),
        }
    }

    /// A place in the order of sending, for a request that is sent next; see [`Request::in_turn`].
    pub fn turn(&self) -> Turn {
        self.inner.turns.add_request()
    }

    /// A request, to be refined and sent.
    pub fn request(&self, method: impl Into<String>) -> Request {
        Request::new(self.clone(), method.into())
    }

    /// A notification, to be refined and sent.
    pub fn notification(&self, method: impl Into<String>) -> Request {
        self.request(method).without_id()
    }

    /// Sends a notification.
    pub async fn notify(&self, method: impl Into<String>, params: Option<Value>) -> Result<Reply, Failure> {
        let notification = self.notification(method);
        match params {
            Some(params) => notification.params(params).send().await,
            None => notification.send().await,
        }
    }

    /// Sends bytes as they are: into the pipe without a newline, or as the body of a POST. Only a POST has a reply.
    pub async fn send_bytes(&self, bytes: impl Into<Bytes>) -> Result<Option<Reply>, Failure> {
        match &*self.inner.channel {
            Channel::Pipe(pipe) => pipe.raw(bytes.into(), self.inner.limits.request).await.map(|()| None),
            Channel::Streamable(_) | Channel::HttpSse { .. } => {
                self.request("bytes").body(bytes).send().await.map(Some)
            }
        }
    }

    /// How many notifications were dropped since this was last asked, because nobody read them in time.
    pub fn take_dropped(&self) -> u64 {
        match &*self.inner.channel {
            Channel::Pipe(pipe) => pipe.router.take_dropped(),
            Channel::HttpSse { sse, .. } => sse.router.take_dropped(),
            Channel::Streamable(http) => http.router.take_dropped(),
        }
    }

    /// The next message that belongs to no request; `None` when none comes in time. On legacy Streamable HTTP the first
    /// call opens the GET stream, unless [`Self::open_get_stream`] has done so.
    pub async fn incoming(&self, patience: Duration) -> Result<Option<Message>, Failure> {
        match &*self.inner.channel {
            Channel::Pipe(pipe) => pipe.router.unclaimed(patience).await,
            Channel::HttpSse { sse, .. } => sse.router.unclaimed(patience).await,
            Channel::Streamable(http) => {
                if self.inner.version.era() == Era::Legacy {
                    self.open_get_stream().await?;
                }
                http.router.unclaimed(patience).await
            }
        }
    }
}

impl Inner {
    fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    fn facts(&self) -> Server {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn learn(&self, f: impl FnOnce(&mut Server)) {
        f(&mut self.facts.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
