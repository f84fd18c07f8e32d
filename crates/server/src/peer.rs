//! The state of one connection.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use protocol::Version;
use protocol::meta::LogLevel;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use transport::Transport;
use transport::serve::{Budget, Exhausted, Outbox, Reservation};
use wire::Id;

use crate::client::Client;
use crate::rpc::RpcError;

/// One connection: a pipe, an HTTP session, or all clients of stateless HTTP together.
///
/// Only legacy revisions keep state here; a modern request carries everything.
#[derive(Debug)]
pub struct Peer {
    pub(crate) transport: Transport,
    outbox: Outbox,
    /// The budget that its state is charged to.
    pub(crate) kept: Budget,
    handshake: OnceLock<Handshake>,
    /// Whether the client has sent `notifications/initialized`.
    ready: AtomicBool,
    level: Mutex<Option<LogLevel>>,
    /// Whether the user has linked an account, for the tool `link-account`.
    linked: AtomicBool,
    subscriptions: Mutex<Subscriptions>,
    /// Whether it is on the server's list.
    listed: AtomicBool,
    running: Mutex<HashMap<Id, CancellationToken>>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>>,
    asked_so_far: AtomicU64,
}

/// What a legacy client declared, and the reservation for it.
#[derive(Debug)]
struct Handshake {
    client: Client,
    _room: Reservation,
}

/// The subscriptions of a legacy client.
#[derive(Debug)]
struct Subscriptions {
    uris: BTreeSet<String>,
    room: Reservation,
}

/// Queued messages of at most this length are not charged.
const MAX_UNCHARGED: usize = 1024;
/// What a subscription costs besides its URI.
const SUBSCRIPTION_OVERHEAD: usize = 64;

impl Peer {
    pub(crate) fn new(transport: Transport, outbox: Outbox, kept: Budget) -> Self {
        let subscriptions = Subscriptions { uris: BTreeSet::new(), room: kept.reserve_nothing() };
        Self {
            transport,
            outbox,
            kept,
            handshake: OnceLock::new(),
            ready: AtomicBool::new(false),
            level: Mutex::default(),
            linked: AtomicBool::new(false),
            subscriptions: Mutex::new(subscriptions),
            listed: AtomicBool::new(false),
            running: Mutex::default(),
            asked: Mutex::default(),
            asked_so_far: AtomicU64::new(0),
        }
    }

    /// Stores the handshake, which takes `cost` bytes; false when there was one before.
    pub(crate) fn store_handshake(&self, client: Client, cost: usize) -> Result<bool, Exhausted> {
        let room = self.kept.reserve(cost)?;
        Ok(self.handshake.set(Handshake { client, _room: room }).is_ok())
    }

    /// The legacy client, with its log level. A default applies until it sets one.
    pub(crate) fn client(&self) -> Option<Client> {
        let client = &self.handshake.get()?.client;
        let log_level = lock(&self.level).or(Some(LogLevel::Info));
        Some(Client { log_level, ..client.clone() })
    }

    /// Whether it is on the server's list.
    pub(crate) fn is_listed(&self) -> bool {
        self.listed.load(Ordering::Relaxed)
    }

    /// Notes that it is on the server's list.
    pub(crate) fn set_listed(&self) {
        self.listed.store(true, Ordering::Relaxed);
    }

    /// Notes that the client sent `notifications/initialized`.
    pub(crate) fn set_ready(&self) {
        self.ready.store(true, Ordering::Relaxed);
    }

    /// Whether the client may be sent requests.
    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Relaxed)
    }

    pub(crate) fn link(&self) {
        self.linked.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_linked(&self) -> bool {
        self.linked.load(Ordering::Relaxed)
    }

    pub(crate) fn version(&self) -> Option<Version> {
        self.handshake.get().map(|handshake| handshake.client.version)
    }

    pub(crate) fn set_level(&self, level: LogLevel) {
        *lock(&self.level) = Some(level);
    }

    /// Charges a queued message. Short messages are bounded by the length of the queue.
    pub(crate) fn hold(&self, message: Bytes) -> Result<Bytes, Exhausted> {
        if message.len() <= MAX_UNCHARGED { Ok(message) } else { self.kept.hold(message) }
    }

    /// Sends a message that belongs to no request.
    pub(crate) fn send(&self, message: Bytes) -> bool {
        self.outbox.send(message)
    }

    pub(crate) fn subscribe(&self, uri: &str) -> Result<(), Exhausted> {
        let mut subscriptions = lock(&self.subscriptions);
        if !subscriptions.uris.contains(uri) {
            let bytes = subscriptions.room.bytes() + uri.len() + SUBSCRIPTION_OVERHEAD;
            subscriptions.room.resize(bytes)?;
            subscriptions.uris.insert(uri.to_owned());
        }
        Ok(())
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        let mut subscriptions = lock(&self.subscriptions);
        if subscriptions.uris.remove(uri) {
            let bytes = subscriptions.room.bytes() - uri.len() - SUBSCRIPTION_OVERHEAD;
            // Giving back cannot fail.
            let _ = subscriptions.room.resize(bytes);
        }
    }

    pub(crate) fn is_subscribed(&self, uri: &str) -> bool {
        lock(&self.subscriptions).uris.contains(uri)
    }

    /// Adds a running request to the list. The guard removes it.
    pub(crate) fn track_request(self: &Arc<Self>, id: Id) -> Running {
        let stop = CancellationToken::new();
        lock(&self.running).insert(id.clone(), stop.clone());
        Running { peer: self.clone(), id, stop }
    }

    /// Whether a request of that id is running.
    pub(crate) fn is_running(&self, id: &Id) -> bool {
        lock(&self.running).contains_key(id)
    }

    /// Cancels the request `id`, if it is running.
    pub(crate) fn cancel(&self, id: &Id) {
        if let Some(stop) = lock(&self.running).get(id) {
            stop.cancel();
        }
    }

    /// Cancels everything, because the connection has closed.
    pub(crate) fn disconnect(&self) {
        lock(&self.running).values().for_each(CancellationToken::cancel);
        lock(&self.asked).clear();
        let mut subscriptions = lock(&self.subscriptions);
        subscriptions.uris.clear();
        let _ = subscriptions.room.resize(0);
    }

    /// Registers a request to the client: returns its id and the receiver of its answer.
    pub(crate) fn register_request(&self) -> (u64, oneshot::Receiver<Result<Value, RpcError>>) {
        let id = self.asked_so_far.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let mut asked = lock(&self.asked);
        // Requests whose receiver was dropped are removed.
        asked.retain(|_, sender| !sender.is_closed());
        asked.insert(id, sender);
        (id, receiver)
    }

    /// Delivers an answer of the client. Unasked ones are ignored.
    pub(crate) fn deliver_answer(&self, id: &Id, outcome: Result<Value, RpcError>) {
        let Id::Number(digits) = id else { return };
        // Different notations of a number are equal.
        let number = serde_json::from_str(digits).ok().and_then(|value: Value| wire::integer_of(&value));
        let id = number.and_then(|number| u64::try_from(number).ok());
        let sender = id.and_then(|id| lock(&self.asked).remove(&id));
        if let Some(sender) = sender {
            // The receiver may have been dropped.
            let _ = sender.send(outcome);
        }
    }
}

/// A running request.
#[derive(Debug)]
pub(crate) struct Running {
    peer: Arc<Peer>,
    id: Id,
    pub(crate) stop: CancellationToken,
}

impl Drop for Running {
    fn drop(&mut self) {
        lock(&self.peer.running).remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
