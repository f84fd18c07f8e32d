//! The servers behind the gateway, and one session's connection to each of them.

mod crash_loop;
mod event_reader;
mod http;
mod pending_calls;
mod process;
mod session_memory;

use std::sync::Arc;
use std::time::Duration;

use transport::Transport;
use transport::client::{Failure, Target};
use transport::serve::{Answer, Outbox};
use transport::upstream::HttpPool;

use self::http::{HttpLink, HttpUpstream};
use self::process::{ProcessLink, ProcessUpstream};
use crate::client_message::ClientMessage;

/// How long a connection to a server may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A server behind the gateway.
#[derive(Clone, Debug)]
pub struct UpstreamServer(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// Started once for each client session.
    Process(Arc<ProcessUpstream>),
    /// Reached at an endpoint.
    Http(Arc<HttpUpstream>),
}

/// The connection of one client session to a server.
#[derive(Debug)]
pub(crate) enum UpstreamLink {
    Process(Arc<ProcessLink>),
    Http(Arc<HttpLink>),
}

impl UpstreamServer {
    /// The server that `target` names: a command or a URL.
    pub fn new(target: Target) -> Result<Self, Failure> {
        match target {
            Target::Command(program) => Ok(Self(Kind::Process(Arc::new(ProcessUpstream::new(program))))),
            Target::Url(endpoint) => {
                let pool = HttpPool::new(&endpoint, CONNECT_TIMEOUT)?;
                Ok(Self(Kind::Http(Arc::new(HttpUpstream::new(pool, &endpoint)?))))
            }
            Target::InProcess(_) => {
                Err(Failure::Unusable("a gateway leads to a command or a URL".to_owned()))
            }
        }
    }

    /// The connection of a client session that came over `transport`. Nothing is started before the first message.
    pub(crate) fn open(&self, transport: Transport, outbox: Outbox) -> UpstreamLink {
        match &self.0 {
            Kind::Process(upstream) => {
                UpstreamLink::Process(ProcessLink::new(Arc::clone(upstream), transport, outbox))
            }
            Kind::Http(upstream) => {
                UpstreamLink::Http(HttpLink::new(Arc::clone(upstream), transport, outbox))
            }
        }
    }
}

impl UpstreamLink {
    /// Sends a message to the server, and waits for the answer.
    pub(crate) async fn send(&self, message: ClientMessage) -> Answer {
        match self {
            Self::Process(link) => link.send(message).await,
            Self::Http(link) => link.send(message).await,
        }
    }

    /// The client reads messages that belong to no request from now on.
    pub(crate) fn listen(&self) {
        match self {
            Self::Process(link) => link.listen(),
            Self::Http(link) => link.listen(),
        }
    }

    /// Ends the session with the server.
    pub(crate) fn close(&self) {
        match self {
            Self::Process(link) => link.close(),
            Self::Http(link) => link.close(),
        }
    }
}
