//! The interface between the transports and a server.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;

use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::mpsc;
use wire::{Frame, Malformed};

use super::http::{Answered, Response};
use super::queue::Sender;
use super::{Budget, Opening};
use crate::Transport;

/// A server, seen from its transports.
pub trait Handler: Send + Sync + 'static {
    /// What the server remembers of one connection: a pipe, an HTTP session.
    type Peer: Send + Sync + 'static;

    /// A connection begins. Messages that belong to no request go into `outbox`. What the server keeps for the
    /// connection beyond a request is charged to `kept`.
    fn connect(&self, transport: Transport, outbox: Outbox, kept: Budget) -> Self::Peer;

    /// Answers one message. It is called within a tokio runtime and must not block; a long message may be handled on a
    /// thread for such work.
    fn handle(&self, peer: &std::sync::Arc<Self::Peer>, inbound: Inbound<'_>) -> Answer;

    /// Answers bytes that are not a message.
    fn malformed(&self, peer: Option<&Self::Peer>, why: &Malformed) -> Answer;

    /// Whether `peer` has completed its handshake, so that its HTTP session gets an id.
    fn is_established(&self, peer: &Self::Peer) -> bool;

    /// The revision that `peer` negotiated, if it has.
    fn version(&self, peer: &Self::Peer) -> Option<protocol::Version>;

    /// `peer` reads what is put into its outbox from now on: it has opened a stream for messages that belong to no request.
    fn on_listen(&self, peer: &std::sync::Arc<Self::Peer>) {
        let _ = peer;
    }

    /// The connection of `peer` is gone, or its session was terminated.
    fn disconnect(&self, peer: &std::sync::Arc<Self::Peer>) {
        let _ = peer;
    }

    /// Whether `peer` may send batches.
    fn accepts_batches(&self, peer: &Self::Peer) -> bool {
        self.version(peer) == Some(protocol::Version::V2025_03_26)
    }

    /// Sees, and may change, what was read from a pipe before it is split into lines. `None` ends the connection.
    fn on_input<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        Some(Cow::Borrowed(bytes))
    }

    /// Sees, and may change, the head of an HTTP request that was admitted. If it returns a response, that is the
    /// answer.
    fn on_request<B>(&self, request: &mut http::Request<B>) -> Option<Response> {
        let _ = request;
        None
    }

    /// Sees, and may change, an HTTP response before it is sent.
    fn on_response(&self, answered: Answered<'_>, response: Response) -> Response {
        let _ = answered;
        response
    }
}

/// One message from the client.
#[derive(Clone, Debug)]
pub struct Inbound<'a> {
    /// The message.
    pub frame: Frame<'a>,
    /// The message as it was received: what `frame` was parsed from, without what surrounds it in a batch.
    pub bytes: &'a Bytes,
    /// How it presents itself: modern, a handshake, or part of a legacy session.
    pub opening: Opening,
    /// The HTTP headers it came with; `None` on a pipe.
    pub headers: Option<&'a HeaderMap>,
}

/// The server's answer to one message.
pub enum Answer {
    /// Accepted; nothing is sent back.
    Accepted,
    /// One message, complete.
    Message {
        /// The HTTP status that goes with it; pipes ignore it.
        status: u16,
        /// The message.
        body: Bytes,
    },
    /// Messages over time, the last of which is the response. Dropping the receiver tells the server to stop.
    Stream(mpsc::Receiver<Out>),
    /// Another answer, once it is known which: one message or a stream. Dropping the future tells the server to stop.
    Later(Pin<Box<dyn Future<Output = Self> + Send>>),
}

impl Answer {
    /// Waits until it is known whether the answer is one message or a stream.
    pub async fn known(self) -> Self {
        let mut answer = self;
        while let Self::Later(later) = answer {
            answer = later.await;
        }
        answer
    }

    /// Sends its messages into `sender` until one side ends.
    pub async fn send_into(self, sender: &mpsc::Sender<Out>) {
        let known = tokio::select! {
            known = self.known() => known,
            () = sender.closed() => return,
        };
        match known {
            Self::Accepted | Self::Later(_) => {}
            // Nobody reads it any more if this fails.
            Self::Message { body, .. } => drop(sender.send(Out::Message(body)).await),
            Self::Stream(mut outs) => loop {
                let out = tokio::select! {
                    out = outs.recv() => out,
                    () = sender.closed() => return,
                };
                match out {
                    Some(out) => drop(sender.send(out).await),
                    None => return,
                }
            },
        }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("Accepted"),
            Self::Message { status, body } => {
                f.debug_struct("Message").field("status", status).field("body", body).finish()
            }
            Self::Stream(_) => f.write_str("Stream"),
            Self::Later(_) => f.write_str("Later"),
        }
    }
}

/// One item of a streamed answer.
#[derive(Debug)]
pub enum Out {
    /// A message.
    Message(Bytes),
    /// Close the connection but not the stream: the client should reconnect after `retry_ms`. Pipes ignore it.
    Hangup {
        /// How long the client should wait.
        retry_ms: u64,
    },
}

/// Carries messages that belong to no request. Clones lead to the same client.
#[derive(Clone)]
pub struct Outbox {
    way: Option<(Sender, Budget)>,
    through: Option<Through>,
}

/// What an outbox does to a message before it goes out.
type Through = std::sync::Arc<dyn Fn(Bytes) -> Vec<Bytes> + Send + Sync>;

impl Outbox {
    /// An outbox that drops all messages: stateless HTTP has no channel for them.
    pub const fn closed() -> Self {
        Self { way: None, through: None }
    }

    /// An outbox into `sender`. Queued messages are charged to `kept`.
    pub(super) const fn new(sender: Sender, kept: Budget) -> Self {
        Self { way: Some((sender, kept)), through: None }
    }

    /// The same, with every message changed on its way.
    #[must_use]
    pub fn through(self, change: impl Fn(Bytes) -> Vec<Bytes> + Send + Sync + 'static) -> Self {
        Self { through: Some(std::sync::Arc::new(change)), ..self }
    }

    /// Sends a message; false when nobody listens, or the listener is too slow.
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
