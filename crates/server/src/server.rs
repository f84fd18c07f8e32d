//! The server as a handler: one message in, one answer out.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use protocol::method::{self, Method, MethodDirection, MethodKind, Side};
use protocol::{Era, Version, code};
use serde_json::Value;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use transport::Transport;
use transport::serve::{Answer, Budget, Handler, Inbound, Opening, Outbox};
use wire::{Frame, Id, Kind, Malformed};

use crate::answer;
use crate::apps;
use crate::call::Call;
use crate::catalogue::Catalogue;
use crate::feature::dialect::Dialect;
use crate::feature::tasks::Tasks;
use crate::feature::{self, modern};
use crate::params::Params;
use crate::peer::Peer;
use crate::rpc::RpcError;
use crate::seal::Sealer;

/// How many changes a slow subscriber may be behind.
const MAX_LAG: usize = 256;

/// The reference server.
#[derive(Debug)]
pub struct Server {
    me: Weak<Self>,
    pub(crate) catalogue: Catalogue,
    pub(crate) sealer: Sealer,
    pub(crate) apps: apps::State,
    pub(crate) tasks: Tasks,
    /// The state of the dialect of mcp-validator, if the server speaks it.
    dialect: Option<Dialect>,
    peers: Mutex<Vec<Weak<Peer>>>,
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) closing: CancellationToken,
}

/// A change that subscribers are notified of.
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
    /// A server that speaks MCP alone.
    pub fn new() -> Arc<Self> {
        Self::with_dialect(None)
    }

    /// A server that speaks the dialect of mcp-validator besides MCP.
    pub fn speaking_dialect() -> Arc<Self> {
        Self::with_dialect(Some(Dialect::default()))
    }

    fn with_dialect(dialect: Option<Dialect>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: me.clone(),
            catalogue: Catalogue::new(),
            sealer: Sealer::new(),
            apps: apps::State::new(),
            tasks: Tasks::default(),
            dialect,
            peers: Mutex::default(),
            changes: broadcast::channel(MAX_LAG).0,
            closing: CancellationToken::new(),
        })
    }

    /// Ends every subscription in order. Later requests are still answered.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// Whether the dialect of mcp-validator is spoken.
    pub(crate) const fn speaks_dialect(&self) -> bool {
        self.dialect.is_some()
    }

    /// Notifies all subscribers of a change.
    pub(crate) fn notify_change(&self, change: &Change) {
        // It fails only when nobody listens.
        let _ = self.changes.send(change.clone());
        // Written once, because there may be thousands of sessions.
        let message = feature::subscriptions::legacy_notification(change);
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|peer| match peer.upgrade() {
            Some(peer) => {
                feature::subscriptions::notify_session(&peer, change, &message);
                true
            }
            None => false,
        });
    }

    fn request(&self, peer: &Arc<Peer>, inbound: &Inbound<'_>) -> Answer {
        if let Some(dialect) = &self.dialect {
            let begin = |inbound: &Inbound<'_>| self.begin(peer, inbound).map_err(|(_, error)| error);
            if let Some(answer) = dialect.answer(inbound, begin) {
                return answer;
            }
        }
        match self.begin(peer, inbound) {
            Ok(call) => answer::run(call),
            Err((version, error)) => answer::refuse(&inbound.frame, version, &error),
        }
    }

    /// Checks a request before it reaches its feature.
    fn begin(&self, peer: &Arc<Peer>, inbound: &Inbound<'_>) -> Result<Call, (Version, RpcError)> {
        let frame = &inbound.frame;
        let era = match inbound.opening {
            Opening::Modern(_) => Era::Modern.newest(),
            Opening::Initialize | Opening::Legacy => peer.version().unwrap_or(Era::Legacy.newest()),
        };
        let fail = |error| (era, error);
        let name = frame.method().ok_or_else(|| fail(RpcError::invalid_request("method is not a string")))?;
        let params = Params::from_frame(frame).map_err(fail)?;
        let (client, progress, params) = match &inbound.opening {
            Opening::Modern(_) => modern::read_client(&name, params, inbound.headers).map_err(fail)?,
            Opening::Initialize | Opening::Legacy => {
                let params = params.whole();
                let (client, progress) =
                    feature::lifecycle::find_client(peer, &name, &params).map_err(fail)?;
                (client, progress, params)
            }
        };
        let method = method::find(client.version, &name)
            .filter(|m| m.direction != MethodDirection::ServerToClient && m.kind == MethodKind::Request)
            .ok_or_else(|| (client.version, RpcError::method_not_found(&name)))?;
        let refused = |error| (client.version, error);
        let missing = method.gate.needs_of(Side::Client, Side::Client).filter(|needed| !client.has(*needed));
        if let Some(missing) = missing {
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

    fn notification(peer: &Peer, frame: &Frame<'_>) -> Answer {
        match frame.method().as_deref() {
            None => {
                let version = version_for(peer);
                return answer::refuse(frame, version, &RpcError::invalid_request("method is not a string"));
            }
            Some("notifications/initialized") => peer.set_ready(),
            Some("notifications/cancelled") => {
                if let Some(id) = cancelled_id(frame) {
                    peer.cancel(&id);
                }
            }
            Some(_) => {}
        }
        Answer::Accepted
    }
}

impl Handler for Server {
    type Peer = Peer;

    fn connect(&self, transport: Transport, outbox: Outbox, kept: Budget) -> Peer {
        Peer::new(transport, outbox, kept)
    }

    fn handle(&self, peer: &Arc<Peer>, inbound: Inbound<'_>) -> Answer {
        let frame = &inbound.frame;
        let version = version_for(peer);
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
                    self.list_peer(peer);
                }
                answer
            }
            Kind::Notification => Self::notification(peer, frame),
            // Modern clients have nothing to respond to.
            Kind::Result | Kind::Error if matches!(inbound.opening, Opening::Modern(_)) => {
                let error = RpcError::invalid_request("a response, where the server sends no requests");
                answer::refuse(&Frame { id: None, ..frame.clone() }, version, &error)
            }
            Kind::Result | Kind::Error => {
                if let Some(id) = frame.id() {
                    peer.deliver_answer(&id, read_answer(frame));
                }
                Answer::Accepted
            }
            Kind::Invalid(why) => answer::refuse(frame, version, &RpcError::invalid_request(why)),
        }
    }

    fn malformed(&self, peer: Option<&Peer>, why: &Malformed) -> Answer {
        let code = match why {
            Malformed::NotUtf8 { .. } | Malformed::NotJson { .. } => code::PARSE_ERROR,
            Malformed::NotAnObject(_) => code::INVALID_REQUEST,
        };
        let error = RpcError::new(code, why.to_string());
        let version = peer.map_or(Era::Modern.newest(), version_for);
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
}

impl Server {
    fn list_peer(&self, peer: &Arc<Peer>) {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if peer.is_listed() {
            return;
        }
        peer.set_listed();
        // Closed connections are removed only when the list would grow, so that a handshake stays cheap.
        if peers.len() == peers.capacity() {
            peers.retain(|known| known.strong_count() > 0);
            let room = peers.len() + 16;
            peers.reserve(room);
        }
        peers.push(Arc::downgrade(peer));
    }
}

/// The id that a cancellation names, in the sender's notation.
pub(crate) fn cancelled_id(frame: &Frame<'_>) -> Option<Id> {
    let members = wire::members(frame.params?)?;
    members.iter().find(|(name, _)| name == "requestId").map(|(_, raw)| Id::from_raw(raw))
}

/// The client's answer to our request.
fn read_answer(frame: &Frame<'_>) -> Result<Value, RpcError> {
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

/// The supported revisions, newest first.
pub(crate) fn supported() -> Vec<&'static str> {
    Version::ALL.iter().rev().map(|v| v.as_str()).collect()
}

/// Whether the newest revision of `era` has a request of that name.
pub(crate) fn exists_in(era: Era, name: &str) -> bool {
    method::find(era.newest(), name).is_some_and(|m: &Method| m.kind == MethodKind::Request)
}

/// The revision for answers to a peer that has not named one.
fn version_for(peer: &Peer) -> Version {
    peer.version().unwrap_or(Era::Modern.newest())
}
