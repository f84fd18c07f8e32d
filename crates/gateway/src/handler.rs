//! The gateway as a handler: what clients say goes to a server, and what servers say comes back.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use protocol::{Version, code};
use transport::Transport;
use transport::serve::{Answer, Budget, Handler, Inbound, Outbox};
use wire::{Kind, Malformed};

use crate::client_message::ClientMessage;
use crate::client_session::ClientSession;
use crate::exchange::Exchange;
use crate::failure::refuse;
use crate::slow_answer::stream_if_slow;
use crate::upstream::UpstreamServer;

/// A gateway to one server.
pub struct Gateway {
    server: UpstreamServer,
    watcher: Option<Watcher>,
}

type Watcher = Arc<dyn Fn(&Exchange) + Send + Sync>;

impl Gateway {
    /// A gateway to `server`. Nothing is started or connected before a client needs it.
    pub fn new(server: UpstreamServer) -> Self {
        Self { server, watcher: None }
    }

    /// Shows every message and what became of it to `watcher`.
    pub fn watched_by(self, watcher: impl Fn(&Exchange) + Send + Sync + 'static) -> Self {
        Self { watcher: Some(Arc::new(watcher)), ..self }
    }
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Handler for Gateway {
    type Peer = ClientSession;

    fn connect(&self, transport: Transport, outbox: Outbox, _kept: Budget) -> ClientSession {
        ClientSession::new(transport, self.server.open(transport, outbox))
    }

    fn handle(&self, session: &Arc<ClientSession>, inbound: Inbound<'_>) -> Answer {
        let message = ClientMessage::new(&inbound, session.next_turn());
        if let Kind::Invalid(why) = message.kind {
            return refuse(400, None, code::INVALID_REQUEST, why);
        }
        let (session, watcher) = (Arc::clone(session), self.watcher.clone());
        // The answer to a handshake gives the session its id, and so is never a stream.
        let may_be_slow = message.kind == Kind::Request && !message.is("initialize");
        let sending: Pin<Box<dyn Future<Output = Answer> + Send>> = match watcher {
            None => Box::pin(async move { session.relay(message).await }),
            Some(watcher) => Box::pin(async move {
                let exchange = Exchange::start(&message);
                let answer = session.relay(message).await;
                watcher(&exchange.finish(&answer));
                answer
            }),
        };
        Answer::Later(if may_be_slow { Box::pin(stream_if_slow(sending)) } else { sending })
    }

    fn malformed(&self, _: Option<&ClientSession>, why: &Malformed) -> Answer {
        let code = match why {
            Malformed::NotUtf8 { .. } | Malformed::NotJson { .. } => code::PARSE_ERROR,
            Malformed::NotAnObject(_) => code::INVALID_REQUEST,
        };
        refuse(400, None, code, &why.to_string())
    }

    fn is_established(&self, session: &ClientSession) -> bool {
        session.version().is_some()
    }

    fn version(&self, session: &ClientSession) -> Option<Version> {
        session.version()
    }

    fn on_listen(&self, session: &Arc<ClientSession>) {
        session.link().listen();
    }

    fn disconnect(&self, session: &Arc<ClientSession>) {
        session.link().close();
    }
}
