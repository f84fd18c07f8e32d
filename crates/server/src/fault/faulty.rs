//! Applies faults around a server.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use protocol::Version;
use serde_json::Value;
use tokio::sync::Notify;
use transport::Transport;
use transport::serve::http::{Answered, Body, Response};
use transport::serve::{Answer, Budget, Handler, Inbound, Outbox};
use wire::Malformed;

use super::outgoing::RequestContext;
use super::{Effect, Faults, Incoming, Memory, Reaction};
use crate::{Peer, Server};

/// How often a refused request is tried again at most.
const MAX_RETRIES: usize = 8;

/// The reference server with faults around it. The server itself does not know of them.
#[derive(Clone, Debug)]
pub struct Faulty {
    pub(super) server: Arc<Server>,
    faults: Faults,
    /// One memory for each fault.
    memories: Arc<[Memory]>,
    /// A client has closed the stream of a call.
    pub(super) hangup: Arc<Notify>,
}

/// One connection to a server with faults.
#[derive(Debug)]
pub struct Connection {
    pub(super) peer: Arc<Peer>,
    /// What faults remember of this connection alone.
    pub(super) memory: Memory,
    is_deaf: AtomicBool,
    has_discovered: AtomicBool,
}

impl Connection {
    /// Whether it no longer answers.
    fn is_deaf(&self) -> bool {
        self.is_deaf.load(Ordering::Relaxed)
    }

    /// Stops answering.
    fn deafen(&self) {
        self.is_deaf.store(true, Ordering::Relaxed);
    }

    /// Whether the client has asked for `server/discover` on it.
    pub(super) fn has_discovered(&self) -> bool {
        self.has_discovered.load(Ordering::Relaxed)
    }

    /// The client asks for `server/discover` on it.
    fn discover(&self) {
        self.has_discovered.store(true, Ordering::Relaxed);
    }
}

impl Faulty {
    /// A server with `faults`.
    pub fn new(faults: Faults) -> Arc<Self> {
        let speaks_dialect = faults.effects().any(|(_, effect)| matches!(effect, Effect::Dialect));
        let server = if speaks_dialect { Server::speaking_dialect() } else { Server::new() };
        let memories = faults.0.iter().map(|_| Memory::default()).collect();
        Arc::new(Self { server, faults, memories, hangup: Arc::default() })
    }

    /// See [`Server::close`].
    pub fn close(&self) {
        self.server.close();
    }

    /// Every effect, and what its fault remembers.
    pub(super) fn effects(&self) -> impl Iterator<Item = (Effect, &Memory)> {
        self.faults.effects().filter_map(|(at, effect)| Some((effect, self.memories.get(at)?)))
    }

    /// Lets the faults change a message or react to it.
    fn react(&self, incoming: &mut Incoming<'_>) -> Option<Reaction> {
        self.effects().find_map(|(effect, memory)| {
            let Effect::Incoming(react) = effect else { return None };
            incoming.memory = memory.clone();
            react(incoming)
        })
    }

    /// Lets the server answer, and tries again as long as a fault does not accept a refusal.
    fn ask(&self, incoming: &mut Incoming<'_>) -> Answer {
        let mut answer = incoming.ask();
        for _ in 0..MAX_RETRIES {
            let Answer::Message { body, .. } = &answer else { break };
            let message = serde_json::from_slice(body).unwrap_or(Value::Null);
            let Some(error) = message.get("error") else { break };
            let is_changed = self.effects().any(|(effect, memory)| {
                incoming.memory = memory.clone();
                matches!(effect, Effect::Retry(change) if change(error, incoming))
            });
            if !is_changed {
                break;
            }
            answer = incoming.ask();
        }
        for (effect, _) in self.effects() {
            if let Effect::Answer(change) = effect {
                answer = change(incoming, answer);
            }
        }
        answer
    }
}

impl Handler for Faulty {
    type Peer = Connection;

    fn connect(&self, transport: Transport, outbox: Outbox, kept: Budget) -> Connection {
        for (effect, _) in self.effects() {
            if let (Effect::Outlive(time), Transport::Stdio) = (effect, transport) {
                // The pipe stays open as long as a sender exists.
                let held = outbox.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(time).await;
                    drop(held);
                });
            }
        }
        let this = self.clone();
        let outbox =
            outbox.through(move |message| this.apply(&RequestContext::none(transport, None), message));
        Connection {
            peer: Arc::new(self.server.connect(transport, outbox, kept)),
            memory: Memory::default(),
            is_deaf: AtomicBool::new(false),
            has_discovered: AtomicBool::new(false),
        }
    }

    fn handle(&self, peer: &Arc<Connection>, inbound: Inbound<'_>) -> Answer {
        if peer.is_deaf() {
            return Answer::Accepted;
        }
        let mut incoming = Incoming::new(&inbound, peer, &self.server);
        let (method, params) = (inbound.frame.method().map(Cow::into_owned), incoming.params.clone());
        let reaction = self.react(&mut incoming);
        if incoming.method == "server/discover" {
            peer.discover();
        }
        match reaction {
            None => {}
            Some(Reaction::AnswerLast) => peer.deafen(),
            Some(Reaction::Ignore) => return Answer::Accepted,
            Some(Reaction::Deafen) => {
                peer.deafen();
                return Answer::Accepted;
            }
            Some(Reaction::Refuse(code, message)) => return incoming.refuse(code, &message),
        }
        let answer = self.ask(&mut incoming);
        let context = RequestContext {
            method,
            id: inbound.frame.id.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or(Value::Null),
            params,
            version: incoming.version(),
            transport: peer.peer.transport,
            connection: Some(peer.clone()),
        };
        self.change_answer(&context, answer)
    }

    fn malformed(&self, peer: Option<&Connection>, why: &Malformed) -> Answer {
        let peer = peer.map(|connection| &*connection.peer);
        let version = peer.and_then(|peer| self.server.version(peer));
        let transport = peer.map_or(Transport::StreamableHttp, |peer| peer.transport);
        self.change_answer(&RequestContext::none(transport, version), self.server.malformed(peer, why))
    }

    fn is_established(&self, peer: &Connection) -> bool {
        self.server.is_established(&peer.peer)
    }

    fn version(&self, peer: &Connection) -> Option<Version> {
        self.server.version(&peer.peer)
    }

    fn disconnect(&self, peer: &Arc<Connection>) {
        self.server.disconnect(&peer.peer);
    }

    fn accepts_batches(&self, peer: &Connection) -> bool {
        let told = self.effects().find_map(|(effect, _)| {
            let Effect::Batches(are_served) = effect else { return None };
            Some(are_served)
        });
        told.unwrap_or_else(|| self.server.accepts_batches(&peer.peer))
    }

    fn on_input<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let mut seen = Cow::Borrowed(bytes);
        for (effect, _) in self.effects() {
            if let Effect::Input(change) = effect {
                seen = Cow::Owned(change(&seen)?);
            }
        }
        Some(seen)
    }

    fn on_request<B>(&self, request: &mut http::Request<B>) -> Option<Response> {
        let verb = request.method().clone();
        let status = self.effects().find_map(|(effect, memory)| {
            let Effect::Request(change) = effect else { return None };
            change(memory, &verb, request.headers_mut())
        })?;
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status;
        Some(response)
    }

    fn on_response(&self, answered: Answered<'_>, response: Response) -> Response {
        self.effects().fold(response, |response, (effect, memory)| match effect {
            Effect::Response(change) => change(memory, answered, response),
            Effect::Head(change) if answered.transport == Transport::StreamableHttp => {
                let (mut head, body) = response.into_parts();
                change(answered.method, &mut head);
                Response::from_parts(head, body)
            }
            Effect::Event(change) => response.map(|body| {
                body.with_events(move |events| {
                    use futures_util::StreamExt as _;
                    events.filter_map(move |event| {
                        let changed = std::str::from_utf8(&event).map(change);
                        std::future::ready(changed.map_or(Some(event.clone()), |event| event.map(Into::into)))
                    })
                })
            }),
            _ => response,
        })
    }
}
