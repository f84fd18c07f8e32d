//! What the server remembers of one connection.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use protocol::Version;
use protocol::meta::LogLevel;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use transport::serve::{Outbox, Via};
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
    handshake: OnceLock<Client>,
    level: Mutex<Option<LogLevel>>,
    subscriptions: Mutex<BTreeSet<String>>,
    running: Mutex<HashMap<Id, CancellationToken>>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>>,
    asked_so_far: AtomicU64,
}

impl Peer {
    pub(crate) fn new(via: Via, outbox: Outbox) -> Self {
        Self {
            via,
            outbox,
            handshake: OnceLock::new(),
            level: Mutex::default(),
            subscriptions: Mutex::default(),
            running: Mutex::default(),
            asked: Mutex::default(),
            asked_so_far: AtomicU64::new(0),
        }
    }

    /// Keeps what the handshake said; false when there was one before.
    pub(crate) fn shake_hands(&self, client: Client) -> bool {
        self.handshake.set(client).is_ok()
    }

    /// The legacy client, with the log level that it set meanwhile.
    pub(crate) fn client(&self) -> Option<Client> {
        let client = self.handshake.get()?;
        Some(Client { log_level: *lock(&self.level), ..client.clone() })
    }

    pub(crate) fn version(&self) -> Option<Version> {
        self.handshake.get().map(|client| client.version)
    }

    pub(crate) fn set_level(&self, level: LogLevel) {
        *lock(&self.level) = Some(level);
    }

    /// Sends what belongs to no request.
    pub(crate) fn tell(&self, message: Bytes) -> bool {
        self.outbox.send(message)
    }

    pub(crate) fn subscribe(&self, uri: &str) {
        lock(&self.subscriptions).insert(uri.to_owned());
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        lock(&self.subscriptions).remove(uri);
    }

    pub(crate) fn is_subscribed(&self, uri: &str) -> bool {
        lock(&self.subscriptions).contains(uri)
    }

    /// A request begins that takes time. The guard takes it off the list again.
    pub(crate) fn run(self: &Arc<Self>, id: Id) -> Running {
        let stop = CancellationToken::new();
        lock(&self.running).insert(id.clone(), stop.clone());
        Running { peer: self.clone(), id, stop }
    }

    /// The client no longer wants the answer to `id`.
    pub(crate) fn cancel(&self, id: &Id) {
        if let Some(stop) = lock(&self.running).get(id) {
            stop.cancel();
        }
    }

    /// A request of ours to the client: its id, and where the answer will come.
    pub(crate) fn ask(&self) -> (u64, oneshot::Receiver<Result<Value, RpcError>>) {
        let id = self.asked_so_far.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        lock(&self.asked).insert(id, sender);
        (id, receiver)
    }

    /// The client answered; what nobody asked for is ignored.
    pub(crate) fn answered(&self, id: &Id, outcome: Result<Value, RpcError>) {
        let Id::Number(digits) = id else { return };
        let sender = digits.parse().ok().and_then(|id: u64| lock(&self.asked).remove(&id));
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
