//! A server seen through its faults.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::response::Parts;
use protocol::Version;
use serde_json::Value;
use tokio::sync::mpsc;
use transport::serve::{Answer, Budget, Handler, Inbound, Opening, Out, Outbox, Via};
use wire::Malformed;

use super::{Effect, Faults, Incoming, Outgoing, Reaction, stdio};
use crate::rpc::RpcError;
use crate::{Peer, Server, answer};

/// How many messages may wait on their way through a fault.
const QUEUE: usize = 64;
/// How long a server that should have ended is kept.
const OUTLIVED: std::time::Duration = std::time::Duration::from_secs(60);

/// The reference server with faults applied around its bytes.
#[derive(Clone, Debug)]
pub struct Faulty {
    server: Arc<Server>,
    faults: Faults,
    /// The connections on which nothing is answered any more.
    deaf: Arc<Mutex<HashSet<usize>>>,
}

impl Faulty {
    /// A server with `faults`, switches included.
    pub fn new(faults: Faults) -> Arc<Self> {
        Arc::new(Self { server: Server::with_faults(faults.clone()), faults, deaf: Arc::default() })
    }

    /// See [`Server::close`].
    pub fn close(&self) {
        self.server.close();
    }

    fn apply(&self, outgoing: &Outgoing<'_>, message: Bytes) -> Vec<Bytes> {
        let mut messages = vec![message];
        for effect in self.faults.effects() {
            messages = match effect {
                Effect::Switch
                | Effect::Head(_)
                | Effect::Http(_)
                | Effect::Input(_)
                | Effect::Incoming(_)
                | Effect::Bridge(_)
                | Effect::Several(_) => messages,
                Effect::Bytes(change) => {
                    messages.into_iter().map(|m| change(outgoing, m.into()).into()).collect()
                }
                Effect::Message(change) => {
                    messages.into_iter().flat_map(|m| rewrite(change, outgoing, m)).collect()
                }
            };
        }
        messages
    }

    /// What a fault answers in the place of the server, if one does.
    fn intercept(&self, peer: &Arc<Peer>, inbound: &Inbound<'_>, version: Option<Version>) -> Option<Answer> {
        let connection = Arc::as_ptr(peer).addr();
        let mut deaf = self.deaf.lock().unwrap_or_else(PoisonError::into_inner);
        if deaf.contains(&connection) {
            return Some(Answer::Accepted);
        }
        let incoming = Incoming { frame: &inbound.frame, is_ready: peer.is_ready() };
        let reaction = self.faults.effects().find_map(|effect| match effect {
            Effect::Incoming(react) => react(&incoming),
            Effect::Switch
            | Effect::Message(_)
            | Effect::Bytes(_)
            | Effect::Head(_)
            | Effect::Http(_)
            | Effect::Input(_)
            | Effect::Bridge(_)
            | Effect::Several(_) => None,
        })?;
        Some(match reaction {
            Reaction::Deafen => {
                deaf.insert(connection);
                Answer::Accepted
            }
            Reaction::Refuse(code, message) => {
                let error = RpcError::new(code, message);
                answer::refuse(&inbound.frame, version.unwrap_or(Version::LATEST), &error)
            }
        })
    }

    fn spoil(&self, circumstances: &Circumstances, answer: Answer) -> Answer {
        match answer {
            Answer::Accepted => Answer::Accepted,
            Answer::Message { status, body } => {
                let mut messages = self.apply(&circumstances.outgoing(), body);
                match messages.len() {
                    0 => Answer::Accepted,
                    1 => Answer::Message { status, body: messages.remove(0) },
                    _ => Answer::Stream(self.pass(circumstances.clone(), ready(messages))),
                }
            }
            Answer::Stream(outs) => Answer::Stream(self.pass(circumstances.clone(), outs)),
        }
    }

    fn pass(&self, circumstances: Circumstances, mut outs: mpsc::Receiver<Out>) -> mpsc::Receiver<Out> {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let this = self.clone();
        tokio::spawn(async move {
            loop {
                let out = tokio::select! {
                    out = outs.recv() => out,
                    () = sender.closed() => return,
                };
                let outs = match out {
                    None => return,
                    Some(Out::Message(m)) => {
                        this.apply(&circumstances.outgoing(), m).into_iter().map(Out::Message).collect()
                    }
                    Some(hangup @ Out::Hangup { .. }) => vec![hangup],
                };
                for out in outs {
                    // The client has gone; there is nobody to tell.
                    let _ = sender.send(out).await;
                }
            }
        });
        receiver
    }
}

impl Handler for Faulty {
    type Peer = Peer;

    fn connect(&self, via: Via, outbox: Outbox, kept: Budget) -> Peer {
        let this = self.clone();
        if via == Via::Pipe && self.faults.has(&stdio::OUTLIVES_STDIN) {
            // As long as somebody could still send, the pipe stays open.
            let held = outbox.clone();
            tokio::spawn(async move {
                tokio::time::sleep(OUTLIVED).await;
                drop(held);
            });
        }
        let outbox = outbox
            .through(move |message| this.apply(&Outgoing { method: None, version: None, via }, message));
        self.server.connect(via, outbox, kept)
    }

    fn handle(&self, peer: &Arc<Peer>, inbound: Inbound<'_>) -> Answer {
        let method = inbound.frame.method().map(Cow::into_owned);
        let modern = matches!(inbound.opening, Opening::Modern(_));
        let version = if modern { Some(Version::LATEST) } else { self.server.version(peer) };
        if let Some(answer) = self.intercept(peer, &inbound, version) {
            return answer;
        }
        let answer = self.server.handle(peer, inbound);
        let version = if modern { Some(Version::LATEST) } else { self.server.version(peer) };
        self.spoil(&Circumstances { method, version, via: peer.via }, answer)
    }

    fn malformed(&self, peer: Option<&Peer>, why: &Malformed) -> Answer {
        let version = peer.and_then(|p| self.server.version(p));
        let via = peer.map_or(Via::StreamableHttp, |p| p.via);
        self.spoil(&Circumstances { method: None, version, via }, self.server.malformed(peer, why))
    }

    fn is_established(&self, peer: &Peer) -> bool {
        self.server.is_established(peer)
    }

    fn version(&self, peer: &Peer) -> Option<Version> {
        self.server.version(peer)
    }

    fn disconnect(&self, peer: &Arc<Peer>) {
        self.server.disconnect(peer);
    }

    fn accepts_batches(&self, peer: &Peer) -> bool {
        self.server.accepts_batches(peer)
    }

    fn on_input<'a>(&self, bytes: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let mut seen = Cow::Borrowed(bytes);
        for effect in self.faults.effects() {
            if let Effect::Input(change) = effect {
                seen = Cow::Owned(change(&seen)?);
            }
        }
        Some(seen)
    }

    fn on_response(&self, method: Option<&str>, head: &mut Parts) {
        for effect in self.faults.effects() {
            if let Effect::Head(change) = effect {
                change(method, head);
            }
        }
    }
}

/// [`Outgoing`], owned.
#[derive(Clone, Debug)]
struct Circumstances {
    method: Option<String>,
    version: Option<Version>,
    via: Via,
}

impl Circumstances {
    fn outgoing(&self) -> Outgoing<'_> {
        Outgoing { method: self.method.as_deref(), version: self.version, via: self.via }
    }
}

fn rewrite(
    change: fn(&Outgoing<'_>, Value) -> Vec<Value>,
    outgoing: &Outgoing<'_>,
    message: Bytes,
) -> Vec<Bytes> {
    // What an earlier fault has made unreadable passes as it is.
    match serde_json::from_slice(&message) {
        Ok(value) => change(outgoing, value).into_iter().map(|v| v.to_string().into()).collect(),
        Err(_) => vec![message],
    }
}

fn ready(messages: Vec<Bytes>) -> mpsc::Receiver<Out> {
    let (sender, receiver) = mpsc::channel(messages.len().max(1));
    for message in messages {
        // There is room for all of them.
        let _ = sender.try_send(Out::Message(message));
    }
    receiver
}
