//! What a server check has to work with: the server, in one revision.
//!
//! It has four parts: [`Connector`] opens and ends sessions, [`SessionPool`] hands them out,
//! [`Knowledge`] keeps what was learnt, and [`Liveness`](crate::liveness::Liveness) knows how long to wait.

use std::sync::Arc;

use protocol::{Era, Version};
use transport::Transport;
use transport::client::{Closing, Endpoint, Profile, RawSocket, Session};
use wire::{Recorder, Transcript};

use crate::connector::Connector;
use crate::expect::Ask;
use crate::knowledge::Knowledge;
use crate::policy::Calls;
use crate::run_cx::{RunCx, Slot};
use crate::session_pool::SessionPool;
use crate::{ExclusiveSession, Finding, Pace, Patience};

/// What a server check has to work with: the server, in one revision.
#[derive(Debug)]
pub struct ServerCx {
    /// The revision.
    pub version: Version,
    /// The transport.
    pub transport: Transport,
    pub(crate) pool: SessionPool,
    pub(crate) known: Knowledge,
}

/// For those who run checks.
impl ServerCx {
    /// The server of `run`, in `version`.
    pub fn new(run: Arc<RunCx>, version: Version, transport: Transport) -> Self {
        let pool = SessionPool::new(Connector::new(run, version, transport));
        Self { version, transport, pool, known: Knowledge::default() }
    }

    /// With a session that is open already as the shared one.
    pub(crate) fn with_shared_session(self, session: Session, slot: Slot) -> Self {
        self.pool.share(session, slot);
        self
    }

    pub(crate) const fn connector(&self) -> &Connector {
        &self.pool.connector
    }

    /// Starts the process that checks use one after the other before the first of them needs it.
    pub(crate) async fn start_exclusive(&self) {
        // A failure is reported to the first check that asks.
        drop(self.exclusive_session().await);
    }

    /// Forgets what was learnt, and opens the shared session again if the server has ended it.
    pub(crate) async fn restart_shared_session(&self) {
        if self.pool.restart_shared().await {
            self.known.forget();
        }
    }

    /// The messages of every session so far.
    pub fn transcripts(&self) -> Vec<Transcript> {
        self.connector().recorders().iter().map(Recorder::transcript).collect()
    }

    /// Ends every session.
    pub async fn close(&self) {
        self.connector().close_all().await;
    }
}

/// Sessions.
impl ServerCx {
    /// The session that well-behaved requests share.
    pub async fn session(&self) -> Result<&Session, Finding> {
        self.pool.shared().await
    }

    /// A session for what would disturb others, one check at a time. Others have used it before, others will use it again:
    /// what is left open on it has to be ended.
    pub async fn exclusive_session(&self) -> Result<ExclusiveSession<'_>, Finding> {
        self.session().await?;
        let turn = self.pool.exclusive_turn().await;
        let session = match self.pool.take_idle().await {
            Some(session) => session,
            None => Box::pin(self.open_exclusive()).await?,
        };
        Ok(turn.with_session(session))
    }

    /// The same as a client that declares nothing.
    pub async fn bare_client_session(&self) -> Result<ExclusiveSession<'_>, Finding> {
        let session = self.exclusive_session().await?;
        Ok(match self.version.era() {
            // It is that already.
            Era::Legacy => session,
            Era::Modern => session.with_profile(Profile::bare()),
        })
    }

    /// The same as a client of another kind. In the modern era every request says who asks; in the legacy era the handshake
    /// does, so on a pipe another process takes the place of the one before.
    pub async fn as_client(&self, profile: Profile) -> Result<ExclusiveSession<'_>, Finding> {
        if self.version.era() == Era::Modern {
            return Ok(self.exclusive_session().await?.with_profile(profile));
        }
        self.session().await?;
        let turn = self.pool.exclusive_turn().await;
        if self.connector().is_piped() {
            self.pool.close_idle().await;
        }
        let session = Box::pin(self.connector().open(profile)).await?;
        Ok(turn.with_session(session))
    }

    /// Another session of the usual client. Not available where each session is a process; use
    /// [`ServerCx::exclusive_session`] there.
    pub async fn another_session(&self) -> Result<Session, Finding> {
        self.session().await?;
        if self.connector().is_piped() {
            return Err(Finding::Broke("a check starts a process that it does not need".to_owned()));
        }
        Box::pin(self.connector().open(Profile::default())).await
    }

    /// A session over HTTP that the passive checks do not read, for errors that a check provokes.
    pub async fn unjudged_session(&self) -> Result<Session, Finding> {
        self.session().await?;
        Box::pin(self.connector().open_unjudged()).await
    }

    /// A connection on which nothing has been said yet. On a pipe it takes the place of the session that checks use one
    /// after the other.
    pub async fn unopened_session(&self) -> Result<Session, Finding> {
        if self.connector().is_piped() {
            self.pool.close_idle().await;
        }
        Box::pin(self.connector().connect(Profile::default())).await
    }

    /// A connection for a check that has a session for itself already.
    pub(crate) async fn connect_another(&self, profile: Profile) -> Result<Session, Finding> {
        self.connector().connect_another(profile).await
    }

    /// A connection over plain HTTP, whichever transport is spoken there.
    pub async fn plain_http(&self) -> Result<Session, Finding> {
        self.connector().connect_http(true).await
    }

    /// A connection over plain HTTP for what is not MCP; the passive checks do not read what comes on it.
    pub async fn unjudged_http(&self) -> Result<Session, Finding> {
        self.connector().connect_http(false).await
    }

    /// A raw socket, for bytes that are not ordinary HTTP.
    pub async fn raw_socket(&self) -> Result<RawSocket, Finding> {
        self.connector().raw_socket().await
    }

    /// The endpoint, where there is one.
    pub fn endpoint(&self) -> Result<&Endpoint, Finding> {
        self.connector().endpoint()
    }

    /// Ends one session and its process. Its record is kept.
    pub(crate) async fn close_session(&self, session: &Session) {
        self.connector().close_session(session).await;
    }

    /// The same for a process, which has as much time as it has shown that it takes.
    pub(crate) async fn close_process(&self, session: &Session) -> Closing {
        self.connector().close_session_within(session, self.connector().exit_limit()).await
    }
}

/// Requests, and how long to wait for what.
impl ServerCx {
    /// A request on the shared session.
    pub async fn request(&self, method: &str) -> Result<Ask<'_>, Finding> {
        Ok(self.request_on(self.session().await?, method))
    }

    /// A request on `session`.
    pub fn request_on(&self, session: &Session, method: &str) -> Ask<'_> {
        self.pool.request_on(session, method)
    }

    /// A notification on `session`.
    pub fn notification_on(&self, session: &Session, method: &str) -> Ask<'_> {
        self.pool.notification_on(session, method)
    }

    /// A method that every server of the revision answers at once.
    pub const fn cheap_method(&self) -> &'static str {
        self.connector().liveness.cheap_method()
    }

    /// Waits until the server has dealt with everything that was sent so far on `session`. False when it does not.
    pub(crate) async fn has_caught_up(&self, session: &Session) -> bool {
        self.connector().liveness.has_caught_up(session).await
    }

    /// How long this server takes.
    pub fn pace(&self) -> &Pace {
        self.connector().liveness.pace()
    }

    /// The remaining patience with the server.
    pub(crate) const fn patience(&self) -> &Patience {
        &self.connector().liveness.patience
    }

    /// Which tools are called, and with what.
    pub fn rules(&self) -> &Calls {
        &self.run().calls
    }

    /// What the revisions of the run share.
    pub(crate) fn run(&self) -> &RunCx {
        &self.connector().run
    }
}
