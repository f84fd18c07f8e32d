//! The server as its transports see it: one message in, one answer out.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use protocol::meta::SERVER_INFO;
use protocol::method::{self, Direction, Kind as Sort, Method, Side};
use protocol::{Era, Version, code};
use serde_json::Value;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use transport::serve::{Answer, Budget, Handler, Inbound, Opening, Outbox, Via};
use wire::{Frame, Id, Kind, Malformed};

use crate::answer;
use crate::apps;
use crate::catalogue::Catalogue;
use crate::context::Call;
use crate::fault::{Fault, Faults, base, cancellation, framing, negotiation, tasks};
use crate::feature::dialect::Dialect;
use crate::feature::tasks::Tasks;
use crate::feature::{self, modern};
use crate::params::Params;
use crate::peer::Peer;
use crate::rpc::{self, RpcError};
use crate::seal::Sealer;

/// How many changes a slow subscriber may lag behind.
const CHANGES: usize = 256;

/// The reference server.
#[derive(Debug)]
pub struct Server {
    me: Weak<Self>,
    pub(crate) catalogue: Catalogue,
    pub(crate) faults: Faults,
    pub(crate) sealer: Sealer,
    pub(crate) apps: apps::State,
    pub(crate) tasks: Tasks,
    dialect: Dialect,
    peers: Mutex<Vec<Weak<Peer>>>,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) closing: CancellationToken,
}

/// Something that subscribers are told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// One resource, by its URI.
    Resource(String),
    /// One task of the modern era, by its id.
    Task(String),
}

impl Server {
    /// A server that does everything right.
    pub fn new() -> Arc<Self> {
        Self::with_faults(Faults::default())
    }

    /// A server that does what it should but for `faults`.
    pub fn with_faults(faults: Faults) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: me.clone(),
            catalogue: Catalogue::new(),
            faults,
            sealer: Sealer::new(),
            apps: apps::State::new(),
            tasks: Tasks::default(),
            dialect: Dialect::default(),
            peers: Mutex::default(),
            changes: broadcast::channel(CHANGES).0,
            closing: CancellationToken::new(),
        })
    }

    /// Ends every subscription in good order. What is asked after that is answered as ever.
    pub fn close(&self) {
        self.closing.cancel();
    }

    pub(crate) fn is_broken(&self, fault: &Fault) -> bool {
        self.faults.has(fault)
    }

    /// Tells everybody who wants to know that something changed.
    pub(crate) fn changed(&self, change: &Change) {
        // An error only says that nobody listens.
        let _ = self.changes.send(change.clone());
        // Made once: there may be thousands.
        let message = feature::subscriptions::notice(change);
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|peer| match peer.upgrade() {
            Some(peer) => {
                feature::subscriptions::tell(&peer, change, &message);
                true
            }
            None => false,
        });
    }

    fn request(&self, peer: &Arc<Peer>, inbound: &Inbound<'_>) -> Answer {
        if self.faults.speak_dialect() {
            let begin = |inbound: &Inbound<'_>| self.begin(peer, inbound).map_err(|(_, error)| error);
            if let Some(answer) = self.dialect.answer(inbound, begin) {
                return answer;
            }
        }
        let frame = &inbound.frame;
        match self.begin(peer, inbound) {
            Ok(call) => answer::run(call),
            Err((_, error))
                if error.code == code::METHOD_NOT_FOUND
                    && self.is_broken(&framing::UNKNOWN_METHOD_ANSWERED) =>
            {
                let info = serde_json::json!({ SERVER_INFO: { "name": "made-up", "version": "1" } });
                let result = serde_json::json!({ "resultType": "complete", "_meta": info });
                let body = frame.id.map(|id| rpc::result(id, &result)).unwrap_or_default();
                Answer::Message { status: 200, body: body.into() }
            }
            Err((version, error)) => answer::refuse(frame, version, &error),
        }
    }

    /// Everything that is checked before a request reaches its feature.
    fn begin(&self, peer: &Arc<Peer>, inbound: &Inbound<'_>) -> Result<Call, (Version, RpcError)> {
        let frame = &inbound.frame;
        let era = match inbound.opening {
            Opening::Modern(_) => Version::LATEST,
            Opening::Initialize | Opening::Legacy => peer.version().unwrap_or(Version::LATEST_LEGACY),
        };
        let fail = |error| (era, error);
        let name = frame.method().ok_or_else(|| fail(RpcError::invalid_request("method is no string")))?;
        let params = Params::of(frame).map_err(fail)?;
        let (client, progress, params) = match &inbound.opening {
            Opening::Modern(_) => modern::read(self, &name, params, inbound.headers).map_err(fail)?,
            Opening::Initialize | Opening::Legacy => {
                let params = params.whole();
                let read = feature::lifecycle::read(peer, &name, &params);
                let (client, progress) = match read {
                    Err(_) if self.is_broken(&negotiation::VERSION_GUESSED) => {
                        (feature::lifecycle::stranger(Version::LATEST), None)
                    }
                    read => read.map_err(fail)?,
                };
                (client, progress, params)
            }
        };
        if client.version.era() == Era::Modern
            && !peer.discover(name == "server/discover")
            && self.is_broken(&negotiation::DISCOVERY_FIRST)
        {
            return Err(fail(RpcError::invalid_request(format!("{name} before server/discover"))));
        }
        let method = method::find(client.version, &name)
            .filter(|m| m.direction != Direction::ServerToClient && m.kind == Sort::Request)
            .ok_or_else(|| (client.version, RpcError::method_not_found(&name)))?;
        let refused = |error| (client.version, error);
        let missing = method.gate.needs_of(Side::Client, Side::Client).filter(|needed| !client.has(*needed));
        if let Some(missing) = missing.filter(|_| !self.is_broken(&tasks::TASK_SERVED_UNDECLARED)) {
            return Err(refused(modern::missing_capabilities(client.version, &[missing])));
        }
        if let (Era::Modern, "tools/call", Some(headers)) =
            (client.version.era(), method.name, inbound.headers)
        {
            modern::check_params(self, &params, headers).map_err(refused)?;
        }
        let server =
            self.me.upgrade().ok_or_else(|| fail(RpcError::new(code::INTERNAL_ERROR, "shutting down")))?;
        let id = frame.id.ok_or_else(|| fail(RpcError::invalid_request("no id")))?.to_owned();
        let (peer, params) = (peer.clone(), Arc::new(params));
        Ok(Call { server, peer, client, id, method, params, progress, out: None, task: None })
    }

    fn notification(&self, peer: &Arc<Peer>, frame: &Frame<'_>) -> Answer {
        match frame.method().as_deref() {
            None => {
                let version = peer.version().unwrap_or(Version::LATEST);
                return answer::refuse(frame, version, &RpcError::invalid_request("method is no string"));
            }
            Some("notifications/initialized") => peer.get_ready(),
            Some("notifications/cancelled") => {
                let known = self.is_broken(&cancellation::CANCEL_IGNORED)
                    || cancelled(frame).is_some_and(|id| peer.cancel(&id));
                if !known && self.is_broken(&cancellation::CANCEL_ANSWERED) {
                    let version = peer.version().unwrap_or(Version::LATEST);
                    return answer::refuse(frame, version, &RpcError::invalid_params("nothing to cancel"));
                }
            }
            Some(_) => {}
        }
        if self.is_broken(&framing::NOTIFICATION_ANSWERED) {
            let body = br#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
            return Answer::Message { status: 200, body: Bytes::from_static(body) };
        }
        Answer::Accepted
    }
}

impl Handler for Server {
    type Peer = Peer;

    fn connect(&self, via: Via, outbox: Outbox, kept: Budget) -> Peer {
        Peer::new(via, outbox, kept)
    }

    fn handle(&self, peer: &Arc<Peer>, inbound: Inbound<'_>) -> Answer {
        let frame = &inbound.frame;
        let version = peer.version().unwrap_or(Version::LATEST);
        let improper = !frame.is_2_0() || matches!(frame.kind(), Kind::Invalid(_));
        if peer.deafen(improper) && self.is_broken(&base::INVALID_DEAFENS) {
            return Answer::Accepted;
        }
        if !frame.is_2_0() {
            return answer::refuse(frame, version, &RpcError::invalid_request("jsonrpc must be \"2.0\""));
        }
        match frame.kind() {
            Kind::Request if !frame.id.is_some_and(Id::allows) => {
                let error = RpcError::invalid_request("id must be a string or an integer");
                answer::refuse(&Frame { id: None, ..frame.clone() }, version, &error)
            }
            Kind::Request => {
                let answer = self.request(peer, &inbound);
                if inbound.opening == Opening::Initialize && peer.version().is_some() {
                    self.remember(peer);
                }
                answer
            }
            Kind::Notification => self.notification(peer, frame),
            // Clients of the modern era have nothing to respond to.
            Kind::Result | Kind::Error if matches!(inbound.opening, Opening::Modern(_)) => {
                let error = RpcError::invalid_request("a response, where the server sends no requests");
                answer::refuse(&Frame { id: None, ..frame.clone() }, version, &error)
            }
            Kind::Result | Kind::Error => {
                if let Some(id) = frame.id() {
                    peer.answered(&id, outcome(frame));
                }
                Answer::Accepted
            }
            Kind::Invalid(why) => answer::refuse(frame, version, &RpcError::invalid_request(why)),
        }
    }

    fn malformed(&self, peer: Option<&Peer>, why: &Malformed) -> Answer {
        if matches!(why, Malformed::NotAnObject("array")) && self.is_broken(&base::BATCH_EMPTY_IGNORED) {
            return Answer::Accepted;
        }
        let code = match why {
            Malformed::NotUtf8 { .. } | Malformed::NotJson { .. } => code::PARSE_ERROR,
            Malformed::NotAnObject(_) => code::INVALID_REQUEST,
        };
        let error = RpcError::new(code, why.to_string());
        let version = peer.and_then(Peer::version).unwrap_or(Version::LATEST);
        answer::refuse(&Frame::default(), version, &error)
    }

    fn is_established(&self, peer: &Peer) -> bool {
        peer.version().is_some()
    }

    fn version(&self, peer: &Peer) -> Option<Version> {
        peer.version()
    }

    fn disconnect(&self, peer: &Arc<Peer>) {
        peer.disconnect();
        self.tasks.abandon(peer);
    }

    fn accepts_batches(&self, peer: &Peer) -> bool {
        let has_batches = peer.version() == Some(Version::V2025_03_26);
        has_batches && !self.is_broken(&framing::BATCH_REFUSED) || self.is_broken(&base::BATCH_SERVED)
    }
}

impl Server {
    fn remember(&self, peer: &Arc<Peer>) {
        if !peer.is_remembered_now() {
            return;
        }
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that are gone are looked for when the list would have to grow, so that a handshake stays cheap.
        if peers.len() == peers.capacity() {
            peers.retain(|known| known.strong_count() > 0);
            let room = peers.len() + 16;
            peers.reserve(room);
        }
        peers.push(Arc::downgrade(peer));
    }
}

/// The id that a cancellation names, in the spelling of the sender.
fn cancelled(frame: &Frame<'_>) -> Option<Id> {
    let members = wire::members(frame.params?)?;
    members.iter().find(|(name, _)| name == "requestId").map(|(_, raw)| Id::from_raw(raw))
}

/// What a client answered to a request of ours.
fn outcome(frame: &Frame<'_>) -> Result<Value, RpcError> {
    let parse = |raw: &serde_json::value::RawValue| serde_json::from_str(raw.get()).unwrap_or(Value::Null);
    match (frame.result, frame.error) {
        (Some(result), _) => Ok(parse(result)),
        (None, error) => {
            let error = error.map_or(Value::Null, parse);
            let message = error["message"].as_str().unwrap_or("no message").to_owned();
            Err(RpcError::new(error["code"].as_i64().unwrap_or(code::INTERNAL_ERROR), message))
        }
    }
}

/// Which revisions a server names: newest first.
pub(crate) fn supported() -> Vec<&'static str> {
    Version::ALL.iter().rev().map(|v| v.as_str()).collect()
}

/// Whether `method` exists in another era than `version`'s.
pub(crate) fn is_of_other_era(version: Version, name: &str) -> bool {
    let other = match version.era() {
        Era::Legacy => Version::LATEST,
        Era::Modern => Version::LATEST_LEGACY,
    };
    method::find(other, name).is_some_and(|m: &Method| m.kind == Sort::Request)
}
