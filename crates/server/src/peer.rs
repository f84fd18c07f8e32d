//! What the server remembers of one connection.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use protocol::Version;
use protocol::meta::LogLevel;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use transport::serve::{Budget, Exhausted, Outbox, Reservation, Via};
use wire::Id;

use crate::client::Client;
use crate::rpc::RpcError;

/// One connection: a pipe, an HTTP session, or, for stateless HTTP, everybody at once.
///
/// Only legacy revisions keep anything here; a modern request is answered from what it carries.
#[derive(Debug)]
pub struct Peer {
    pub(crate) via: Via,
    outbox: Outbox,
    /// What is remembered of it is charged here.
    pub(crate) kept: Budget,
    handshake: OnceLock<Handshake>,
    /// Whether the client has said that it is ready, too.
    ready: AtomicBool,
    level: Mutex<Option<LogLevel>>,
    /// Whether the user has linked an account, as the tool `link-account` wants it.
    linked: AtomicBool,
    subscriptions: Mutex<Subscriptions>,
    /// Whether the server knows that it is there.
    remembered: AtomicBool,
    /// Whether it has discovered the server, and whether it is heard; faults alone ask.
    discovered: AtomicBool,
    deaf: AtomicBool,
    running: Mutex<HashMap<Id, CancellationToken>>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>>,
    asked_so_far: AtomicU64,
}

/// What a legacy client said about itself, and what it costs to remember it.
#[derive(Debug)]
struct Handshake {
    client: Client,
    _room: Reservation,
}

/// The resources that a legacy client wants to be told of.
#[derive(Debug)]
struct Subscriptions {
    uris: BTreeSet<String>,
    room: Reservation,
}

/// Messages of at most this length are not charged while they wait.
const SHORT: usize = 1024;
/// What a subscription costs besides its URI.
const SUBSCRIPTION: usize = 64;

impl Peer {
    pub(crate) fn new(via: Via, outbox: Outbox, kept: Budget) -> Self {
        let subscriptions = Subscriptions { uris: BTreeSet::new(), room: kept.reserve_nothing() };
        Self {
            via,
            outbox,
            kept,
            handshake: OnceLock::new(),
            ready: AtomicBool::new(false),
            level: Mutex::default(),
            linked: AtomicBool::new(false),
            subscriptions: Mutex::new(subscriptions),
            remembered: AtomicBool::new(false),
            discovered: AtomicBool::new(false),
            deaf: AtomicBool::new(false),
            running: Mutex::default(),
            asked: Mutex::default(),
            asked_so_far: AtomicU64::new(0),
        }
    }

    /// Keeps what the handshake said, which costs `cost`; false when there was one before.
    pub(crate) fn shake_hands(&self, client: Client, cost: usize) -> Result<bool, Exhausted> {
        let room = self.kept.reserve(cost)?;
        Ok(self.handshake.set(Handshake { client, _room: room }).is_ok())
    }

    /// The legacy client, with the log level that it set meanwhile. One that set none is told what is worth telling.
    pub(crate) fn client(&self) -> Option<Client> {
        let client = &self.handshake.get()?.client;
        let log_level = lock(&self.level).or(Some(LogLevel::Info));
        Some(Client { log_level, ..client.clone() })
    }

    /// Whether this is the first time that the server is to remember it.
    pub(crate) fn is_remembered_now(&self) -> bool {
        !self.remembered.swap(true, Ordering::Relaxed)
    }

    /// The client sent `notifications/initialized`.
    pub(crate) fn get_ready(&self) {
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

    /// Charges a message that waits for a client. What is short is bounded by the length of the queue that it waits in.
    pub(crate) fn hold(&self, message: Bytes) -> Result<Bytes, Exhausted> {
        if message.len() <= SHORT { Ok(message) } else { self.kept.hold(message) }
    }

    /// Sends what belongs to no request.
    pub(crate) fn tell(&self, message: Bytes) -> bool {
        self.outbox.send(message)
    }

    pub(crate) fn subscribe(&self, uri: &str) -> Result<(), Exhausted> {
        let mut subscriptions = lock(&self.subscriptions);
        if !subscriptions.uris.contains(uri) {
            let bytes = subscriptions.room.bytes() + uri.len() + SUBSCRIPTION;
            subscriptions.room.resize(bytes)?;
            subscriptions.uris.insert(uri.to_owned());
        }
        Ok(())
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        let mut subscriptions = lock(&self.subscriptions);
        if subscriptions.uris.remove(uri) {
            let bytes = subscriptions.room.bytes() - uri.len() - SUBSCRIPTION;
            // Giving back cannot fail.
            let _ = subscriptions.room.resize(bytes);
        }
    }

    pub(crate) fn is_subscribed(&self, uri: &str) -> bool {
        lock(&self.subscriptions).uris.contains(uri)
    }

    /// A request begins that takes time. The guard takes it off the list again.
    pub(crate) fn run(self: &Arc<Self>, id: Id) -> Running {
        let stop = CancellationToken::new();
        lock(&self.running).insert(id.clone(), stop.clone());
        Running { peer: self.clone(), id, stop }
    }

    /// The client no longer wants the answer to `id`; false when nothing of that id is worked on.
    pub(crate) fn cancel(&self, id: &Id) -> bool {
        let running = lock(&self.running);
        let stop = running.get(id);
        stop.inspect(|stop| stop.cancel()).is_some()
    }

    /// Whether the client has discovered the server before, and from now on if `now`.
    pub(crate) fn discover(&self, now: bool) -> bool {
        self.discovered.fetch_or(now, Ordering::Relaxed) || now
    }

    /// Whether the client is no longer heard, and from now on if `now`.
    pub(crate) fn deafen(&self, now: bool) -> bool {
        self.deaf.fetch_or(now, Ordering::Relaxed)
    }

    /// The connection is gone: nobody waits for what is still running.
    pub(crate) fn disconnect(&self) {
        lock(&self.running).values().for_each(CancellationToken::cancel);
        lock(&self.asked).clear();
        let mut subscriptions = lock(&self.subscriptions);
        subscriptions.uris.clear();
        let _ = subscriptions.room.resize(0);
    }

    /// A request of ours to the client: its id, and where the answer will come.
    pub(crate) fn ask(&self) -> (u64, oneshot::Receiver<Result<Value, RpcError>>) {
        let id = self.asked_so_far.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let mut asked = lock(&self.asked);
        // Those whose asker has given up are not waited for any longer.
        asked.retain(|_, sender| !sender.is_closed());
        asked.insert(id, sender);
        (id, receiver)
    }

    /// The client answered; what nobody asked for is ignored.
    pub(crate) fn answered(&self, id: &Id, outcome: Result<Value, RpcError>) {
        let Id::Number(digits) = id else { return };
        // A number is the same however it is spelled.
        let number = serde_json::from_str(digits).ok().and_then(|value: Value| wire::integer_of(&value));
        let id = number.and_then(|number| u64::try_from(number).ok());
        let sender = id.and_then(|id| lock(&self.asked).remove(&id));
        if let Some(sender) = sender {
            // The one who asked may have given up.
            let _ = sender.send(outcome);
        }
    }
}

/// A request that is being worked on.
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
