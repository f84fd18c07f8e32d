//! What a transport asks of a server, and what it gets back.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::mpsc;
use wire::{Frame, Malformed};

use super::queue::Sender;
use super::{Budget, Opening};

/// A server, seen from its transports.
pub trait Handler: Send + Sync + 'static {
    /// What the server remembers of one connection: a pipe, an HTTP session.
    type Peer: Send + Sync + 'static;

    /// A connection begins. Messages that belong to no request go into `outbox`; what is remembered of the connection
    /// beyond a request is charged to `kept`.
    fn connect(&self, via: Via, outbox: Outbox, kept: Budget) -> Self::Peer;

    /// Answers one message. Called from within a tokio runtime; must not block. What is long may be handled on a thread
    /// for such work.
    fn handle(&self, peer: &std::sync::Arc<Self::Peer>, inbound: Inbound<'_>) -> Answer;

    /// Answers bytes that are no message.
    fn malformed(&self, peer: Option<&Self::Peer>, why: &Malformed) -> Answer;

    /// Whether `peer` has completed its handshake, so that an HTTP session is worth an id.
    fn is_established(&self, peer: &Self::Peer) -> bool;

    /// The revision that `peer` negotiated, if it has.
    fn version(&self, peer: &Self::Peer) -> Option<protocol::Version>;

    /// The connection of `peer` is gone, or its session was terminated.
    fn disconnect(&self, peer: &std::sync::Arc<Self::Peer>) {
        let _ = peer;
    }

    /// Whether `peer` may send batches.
    fn accepts_batches(&self, peer: &Self::Peer) -> bool {
        self.version(peer) == Some(protocol::Version::V2025_03_26)
    }

    /// First look at what was read from a pipe, before it is cut into lines; `None` ends the connection.
    fn on_input<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        Some(Cow::Borrowed(bytes))
    }

    /// Last look at the head of an HTTP response; `method` is that of the JSON-RPC message, if there was one.
    fn on_response(&self, method: Option<&str>, head: &mut http::response::Parts) {
        let _ = (method, head);
    }
}

/// Which transport a connection uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Via {
    /// Newline-delimited messages: stdio, or a pipe within the process.
    Pipe,
    /// Streamable HTTP.
    StreamableHttp,
    /// The HTTP+SSE transport of 2024-11-05.
    HttpSse,
}

/// One message from the client.
#[derive(Clone, Debug)]
pub struct Inbound<'a> {
    /// The message.
    pub frame: Frame<'a>,
    /// How it presents itself: modern, a handshake, or part of a legacy session.
    pub opening: Opening,
    /// The HTTP headers it came with; `None` on a pipe.
    pub headers: Option<&'a HeaderMap>,
}

/// What a server makes of one message.
#[derive(Debug)]
pub enum Answer {
    /// Taken in; nothing is sent back.
    Accepted,
    /// One message, complete.
    Message {
        /// The HTTP status that goes with it; pipes ignore it.
        status: u16,
        /// The message.
        body: Bytes,
    },
    /// Messages over time, the last one being the response. Dropping the receiver tells the server to stop.
    Stream(mpsc::Receiver<Out>),
}

/// One item of a streamed answer.
#[derive(Debug)]
pub enum Out {
    /// A message.
    Message(Bytes),
    /// Close the connection but not the stream: the client is to come back after `retry_ms`. Pipes ignore it.
    Hangup {
        /// How long the client is to wait.
        retry_ms: u64,
    },
}

/// Carries messages that belong to no request. Clones share the way.
#[derive(Clone)]
pub struct Outbox {
    way: Option<(Sender, Budget)>,
    through: Option<Through>,
}

/// What an outbox does to a message before it goes out.
type Through = std::sync::Arc<dyn Fn(Bytes) -> Vec<Bytes> + Send + Sync>;

impl Outbox {
    /// An outbox that leads nowhere: stateless HTTP has no place for such messages.
    pub const fn closed() -> Self {
        Self { way: None, through: None }
    }

    /// An outbox into `sender`; what waits there is charged to `kept`.
    pub(super) const fn new(sender: Sender, kept: Budget) -> Self {
        Self { way: Some((sender, kept)), through: None }
    }

    /// The same, with every message changed on its way.
    #[must_use]
    pub fn through(self, change: impl Fn(Bytes) -> Vec<Bytes> + Send + Sync + 'static) -> Self {
        Self { through: Some(std::sync::Arc::new(change)), ..self }
    }

    /// Sends a message; false when nobody listens, or the listener is too slow to keep up.
    pub fn send(&self, message: Bytes) -> bool {
        let Some((sender, kept)) = &self.way else { return false };
        let send = |message| kept.hold(message).is_ok_and(|message| sender.try_send(message));
        match &self.through {
            None => send(message),
            Some(through) => through(message).into_iter().all(send),
        }
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("open", &self.way.is_some()).finish_non_exhaustive()
    }
}
