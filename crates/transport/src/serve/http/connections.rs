//! The connections of a server: how many there may be, which of them wait for their client, and which one is closed
//! when there are too many.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Descriptors that are not for connections: listeners, files, runtimes, and connections that are being refused.
const RESERVED_DESCRIPTORS: usize = 64;
/// The most connections, because the HTTP library may keep a read buffer and a write buffer for each.
const MAX_CONNECTIONS: usize = 2048;
/// The fewest, whatever the limit of descriptors is.
const MIN_CONNECTIONS: usize = 16;
/// How long a connection that was told to close may take, before another one is told.
const EVICTION_TIMEOUT: Duration = Duration::from_millis(100);

/// The value of [`Connection::waiting_since`] while the server handles a request.
const HANDLING: u64 = u64::MAX;

/// All connections.
#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    began: Instant,
    all: Mutex<HashMap<u64, Arc<Connection>>>,
    next: AtomicU64,
    /// Notified when a connection has closed.
    left: Notify,
    streams: AtomicUsize,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Connection {
    /// Since when the server waits for the client, in milliseconds.
    waiting_since: AtomicU64,
    /// Whether a request was ever answered on it.
    has_served: AtomicBool,
    began: Instant,
    /// Tells it to close, to make room or because the server stops.
    pub(super) evict: CancellationToken,
}

/// A connection that is on the list until this is dropped.
#[derive(Debug)]
pub(super) struct ListedConnection {
    connections: Arc<Connections>,
    number: u64,
    pub(super) connection: Arc<Connection>,
}

/// The right to one open event stream.
#[derive(Debug)]
pub(super) struct StreamPlace(Arc<Connections>);

impl Connections {
    /// At most `most`, or as many as the descriptors of the process allow.
    pub(super) fn new(most: Option<usize>) -> Arc<Self> {
        Arc::new(Self {
            most: most.unwrap_or_else(from_descriptors).max(1),
            began: Instant::now(),
            all: Mutex::default(),
            next: AtomicU64::new(0),
            left: Notify::new(),
            streams: AtomicUsize::new(0),
        })
    }

    /// Admits one more connection. If there is no room, the one that has waited longest for its client is closed;
    /// `None` when all of them are handling requests. The connection ends with `stop` at the latest.
    pub(super) async fn admit(self: &Arc<Self>, stop: &CancellationToken) -> Option<ListedConnection> {
        loop {
            let left = self.left.notified();
            if self.lock().len() < self.most {
                return Some(self.list(stop));
            }
            if !self.evict() {
                return None;
            }
            // It may be stuck. Then the next one is told to close.
            let _ = tokio::time::timeout(EVICTION_TIMEOUT, left).await;
        }
    }

    fn list(self: &Arc<Self>, stop: &CancellationToken) -> ListedConnection {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(Connection {
            waiting_since: AtomicU64::new(millis_since(self.began)),
            has_served: AtomicBool::new(false),
            began: self.began,
            // Each connection has its own token: it is polled whenever the connection wakes, and all of them would
            // contend for a shared one.
            evict: stop.child_token(),
        });
        self.lock().insert(number, connection.clone());
        ListedConnection { connections: self.clone(), number, connection }
    }

    /// Tells one connection to close: first those that never sent a whole request, and of these the one that has waited
    /// longest.
    fn evict(&self) -> bool {
        let all = self.lock();
        let waiting = all.iter().filter(|(_, connection)| connection.is_waiting());
        let longest = waiting.min_by_key(|(number, connection)| {
            let since = connection.waiting_since.load(Ordering::Relaxed);
            // The number decides between those of the same millisecond.
            (connection.has_served.load(Ordering::Relaxed), since, **number)
        });
        longest.inspect(|(_, connection)| connection.evict.cancel()).is_some()
    }

    /// The right to an event stream; there may be half as many as connections.
    pub(super) fn stream_place(self: &Arc<Self>) -> Option<StreamPlace> {
        let before = self.streams.fetch_add(1, Ordering::Relaxed);
        let place = StreamPlace(self.clone());
        (before < (self.most / 2).max(1)).then_some(place)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Connection>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// The server waits for the client: for a request, or for the rest of one.
    pub(super) fn wait_for_client(&self) {
        self.waiting_since.store(millis_since(self.began), Ordering::Relaxed);
    }

    /// The server has the whole request and handles it.
    pub(super) fn start_handling(&self) {
        self.waiting_since.store(HANDLING, Ordering::Relaxed);
    }

    /// A request was answered. The server waits for the next one.
    pub(super) fn note_answer(&self) {
        self.has_served.store(true, Ordering::Relaxed);
        self.wait_for_client();
    }

    fn is_waiting(&self) -> bool {
        self.waiting_since.load(Ordering::Relaxed) != HANDLING && !self.evict.is_cancelled()
    }
}

impl Drop for ListedConnection {
    fn drop(&mut self) {
        self.connections.lock().remove(&self.number);
        self.connections.left.notify_one();
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

fn millis_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(HANDLING - 1)
}

/// How many connections the limit of descriptors leaves room for.
fn from_descriptors() -> usize {
    #[cfg(unix)]
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    let limit: Option<u64> = None;
    let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    limit.saturating_sub(RESERVED_DESCRIPTORS + limit / 16).clamp(MIN_CONNECTIONS, MAX_CONNECTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_never_asked_anything_goes_first() {
        let connections = Connections::new(Some(3));
        let used = connections.admit(&CancellationToken::new()).await.unwrap();
        used.connection.note_answer();
        let older = connections.admit(&CancellationToken::new()).await.unwrap();
        let newer = connections.admit(&CancellationToken::new()).await.unwrap();
        assert!(connections.evict());
        assert!(older.connection.evict.is_cancelled());
        assert!(!newer.connection.evict.is_cancelled() && !used.connection.evict.is_cancelled());
        drop(older);
        assert!(connections.admit(&CancellationToken::new()).await.is_some(), "its place is free");
    }

    #[tokio::test]
    async fn whoever_is_served_stays() {
        let connections = Connections::new(Some(1));
        let only = connections.admit(&CancellationToken::new()).await.unwrap();
        only.connection.start_handling();
        assert!(connections.admit(&CancellationToken::new()).await.is_none());
        only.connection.note_answer();
        let evicted = only.connection.evict.clone();
        tokio::spawn(async move {
            evicted.cancelled().await;
            drop(only);
        });
        assert!(connections.admit(&CancellationToken::new()).await.is_some());
    }

    #[test]
    fn streams_take_half_of_the_places() {
        let connections = Connections::new(Some(4));
        let places = [connections.stream_place(), connections.stream_place()];
        assert!(places.iter().all(Option::is_some) && connections.stream_place().is_none());
        drop(places);
        assert!(connections.stream_place().is_some());
    }
}
