//! The MCP servers whose apps are shown.

mod ask;
mod cancellations;
mod connect;
mod exchange;
mod notifications;
mod output;
mod progress;
mod requests;
mod snapshot;
mod supervisor;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use protocol::Version;
use tokio::sync::{Notify, watch};
use transport::client::{Session, Target, Transport};
use wire::Recorder;

use cancellations::Cancellations;
use progress::Progress;

use crate::HostedServer;

pub(crate) use ask::{Answered, Asking, Refusal};
pub(crate) use snapshot::{Snapshot, State, Tool};
pub(crate) use supervisor::keep_all;

/// How many bytes are kept of the sessions with a server that have ended, together. The one that goes on has as many of its own.
const ENDED_BYTES: usize = crate::RECORD;
/// How many of them are kept.
const ENDED: usize = 100;
/// How long a session has to end in order.
const PARTING: Duration = Duration::from_secs(2);

/// All of them; the id of each is its place.
#[derive(Debug)]
pub(crate) struct Servers {
    all: Vec<Arc<Server>>,
}

/// One of them: how it is reached, and how it is doing.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) id: String,
    /// What the person calls it, if they have said.
    given_name: Option<String>,
    pub(crate) target: Target,
    now: watch::Sender<Arc<Snapshot>>,
    session: Mutex<Option<Session>>,
    /// Told when the session is found dead, or is to be opened anew.
    broken: Notify,
    /// What was said on each session so far, also on those that have ended.
    records: Mutex<Vec<Record>>,
    /// Our requests that can be cancelled.
    calls: Cancellations,
    /// Requests of the server that it may cancel, by their ids as JSON text.
    asked: Cancellations,
    /// Which view asked for progress, by the token that the server was given.
    progress: Progress,
}

/// The record of one session.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) version: Version,
    pub(crate) transport: Transport,
    pub(crate) recorder: Recorder,
}

/// Shortens the records of sessions that have ended, oldest first.
fn forget_oldest(ended: &mut Vec<Record>) {
    ended.drain(..ended.len().saturating_sub(ENDED));
    let mut room = ENDED_BYTES;
    for record in ended.iter().rev() {
        room -= record.recorder.keep(room);
    }
}

impl Servers {
    pub(crate) fn new(servers: &[HostedServer]) -> Self {
        let server = |(at, hosted): (usize, &HostedServer)| {
            Arc::new(Server {
                id: at.to_string(),
                given_name: hosted.name.clone(),
                target: hosted.target.clone(),
                now: watch::Sender::new(Arc::default()),
                session: Mutex::default(),
                broken: Notify::new(),
                records: Mutex::default(),
                calls: Cancellations::default(),
                asked: Cancellations::default(),
                progress: Progress::default(),
            })
        };
        Self { all: servers.iter().enumerate().map(server).collect() }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.all.iter()
    }

    pub(crate) fn named(&self, id: &str) -> Option<&Arc<Server>> {
        self.all.iter().find(|server| server.id == id)
    }

    /// Waits until each is connected or has failed: one line for each.
    pub(crate) async fn settled(&self, limit: Duration) -> Vec<String> {
        let settling = self.all.iter().map(|server| async move {
            let mut now = server.now.subscribe();
            // What is not settled by then is told as it is.
            let _ = tokio::time::timeout(limit, now.wait_for(|now| now.state != State::Connecting)).await;
            server.line()
        });
        join_all(settling).await
    }

    /// Ends every session.
    pub(crate) async fn close(&self) {
        let sessions: Vec<Session> = self.all.iter().filter_map(|server| server.take()).collect();
        // What has not ended by then ends with its session, which is dropped here.
        let _ = tokio::time::timeout(PARTING, join_all(sessions.iter().map(Session::close))).await;
    }

    /// Opens every session anew.
    pub(crate) fn restart(&self) {
        for server in &self.all {
            server.broken.notify_one();
        }
    }
}

impl Server {
    /// How it is doing.
    pub(crate) fn now(&self) -> Arc<Snapshot> {
        self.now.borrow().clone()
    }

    fn session(&self) -> Option<Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was said on each session so far.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(&self, session: Session) {
        let record = Record {
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

    fn take(&self) -> Option<Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What it is called: by the person, by itself, or after how it is reached.
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
            State::Ready => format!("{name}: {apps} of {} tools have an app", now.tools.len()),
            State::Connecting => format!("{name}: still connecting"),
            State::Lost | State::Failed => {
                format!("{name}: {}", now.note.as_deref().unwrap_or("no connection"))
            }
        }
    }
}
