//! The MCP servers whose apps the host shows.

mod ask;
mod cancellations;
mod connect;
mod exchange;
mod notifications;
mod output;
mod progress;
mod requests;
mod required_urls;
mod snapshot;
mod supervisor;
mod unsolicited;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use protocol::Version;
use tokio::sync::{Notify, watch};
use transport::Transport;
use transport::client::{Session, Target};
use wire::Recorder;

use cancellations::Cancellations;
use progress::ProgressTokens;
use unsolicited::UnsolicitedLimit;

use crate::HostedServer;

pub(crate) use ask::{OutgoingRequest, RequestResult, RpcRefusal};
pub(crate) use snapshot::{ConnectionState, Snapshot, ToolSnapshot};
pub(crate) use supervisor::supervise_all;

/// How many bytes the records of a server's ended sessions may take together. The live session has the same limit
/// again.
const MAX_ENDED_BYTES: usize = crate::MAX_RECORD_BYTES;
/// How many ended sessions are kept for each server.
const MAX_ENDED_SESSIONS: usize = 100;
/// How long sessions may take to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// All servers. The id of a server is its index.
#[derive(Debug)]
pub(crate) struct Servers {
    all: Vec<Arc<SupervisedServer>>,
}

/// One server: how it is reached, and the state of its connection.
#[derive(Debug)]
pub(crate) struct SupervisedServer {
    pub(crate) id: String,
    /// The name that the person gave the server, if any.
    given_name: Option<String>,
    pub(crate) target: Target,
    now: watch::Sender<Arc<Snapshot>>,
    session: Mutex<Option<Session>>,
    /// Notified when the session is dead, or is to be opened again.
    broken: Notify,
    /// The records of all sessions so far, ended ones included.
    records: Mutex<Vec<SessionRecord>>,
    /// The host's requests that can be cancelled.
    calls: Cancellations,
    /// The server's requests that it may cancel; the key is the id as JSON text.
    asked: Cancellations,
    /// The Views that asked for progress, by the progress token that the server got.
    progress: ProgressTokens,
    /// Limits what the server sends on its own.
    unsolicited: Arc<UnsolicitedLimit>,
}

/// What was sent and received in one session.
#[derive(Clone, Debug)]
pub(crate) struct SessionRecord {
    pub(crate) version: Version,
    pub(crate) transport: Transport,
    pub(crate) recorder: Recorder,
}

/// Empties the records of ended sessions, oldest first, until they fit the limits.
fn forget_oldest(ended: &mut Vec<SessionRecord>) {
    ended.drain(..ended.len().saturating_sub(MAX_ENDED_SESSIONS));
    let mut room = MAX_ENDED_BYTES;
    for record in ended.iter().rev() {
        room -= record.recorder.limit_to(room);
    }
}

impl Servers {
    pub(crate) fn new(servers: &[HostedServer]) -> Self {
        let server = |(at, hosted): (usize, &HostedServer)| {
            Arc::new(SupervisedServer {
                id: at.to_string(),
                given_name: hosted.name.clone(),
                target: hosted.target.clone(),
                now: watch::Sender::new(Arc::default()),
                session: Mutex::default(),
                broken: Notify::new(),
                records: Mutex::default(),
                calls: Cancellations::default(),
                asked: Cancellations::default(),
                progress: ProgressTokens::default(),
                unsolicited: Arc::default(),
            })
        };
        Self { all: servers.iter().enumerate().map(server).collect() }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<SupervisedServer>> {
        self.all.iter()
    }

    pub(crate) fn named(&self, id: &str) -> Option<&Arc<SupervisedServer>> {
        self.all.iter().find(|server| server.id == id)
    }

    /// Waits until every server is connected or has failed. Returns one line for each.
    pub(crate) async fn settled(&self, limit: Duration) -> Vec<String> {
        let settling = self.all.iter().map(|server| async move {
            let mut now = server.now.subscribe();
            // A server that is still connecting after `limit` is reported as such.
            let _ = tokio::time::timeout(limit, now.wait_for(|now| now.state != ConnectionState::Connecting))
                .await;
            server.line()
        });
        join_all(settling).await
    }

    /// Closes every session.
    pub(crate) async fn close(&self) {
        let sessions: Vec<Session> = self.all.iter().filter_map(|server| server.take_session()).collect();
        // A session that has not closed in time is dropped here, which ends it.
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, join_all(sessions.iter().map(Session::close))).await;
    }

    /// Opens every session again.
    pub(crate) fn restart(&self) {
        for server in &self.all {
            server.broken.notify_one();
        }
    }
}

impl SupervisedServer {
    /// The current state of the server.
    pub(crate) fn now(&self) -> Arc<Snapshot> {
        self.now.borrow().clone()
    }

    fn session(&self) -> Option<Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The records of all sessions so far.
    pub(crate) fn records(&self) -> Vec<SessionRecord> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put_session(&self, session: Session) {
        let record = SessionRecord {
            version: session.version(),
            transport: session.transport(),
            recorder: session.recorder().clone(),
        };
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        forget_oldest(&mut records);
        records.push(record);
        drop(records);
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    }

    fn take_session(&self) -> Option<Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The server's name: the one that the person gave, its own, or one made from how it is reached.
    pub(crate) fn name(&self, now: &Snapshot) -> String {
        self.given_name.clone().or_else(|| now.name.clone()).unwrap_or_else(|| self.target.describe())
    }

    fn line(&self) -> String {
        self.target.redact(&self.line_with_secrets()).into_owned()
    }

    fn line_with_secrets(&self) -> String {
        let now = self.now();
        let name = self.name(&now);
        let apps = now.tools.iter().filter(|tool| tool.uri.is_some()).count();
        match now.state {
            ConnectionState::Ready => format!("{name}: {apps} of {} tools have an app", now.tools.len()),
            ConnectionState::Connecting => format!("{name}: still connecting"),
            ConnectionState::Lost | ConnectionState::Failed => {
                format!("{name}: {}", now.note.as_deref().unwrap_or("no connection"))
            }
        }
    }
}
