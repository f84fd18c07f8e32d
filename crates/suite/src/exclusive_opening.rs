//! How the session that a check has for itself is opened, and what is said first on it.
//!
//! Its client declares nothing in the legacy era, so that what servers ask of such a client shows there too.

use protocol::Era;
use serde_json::json;
use transport::client::{Profile, Session};
use wire::{Direction, Frame, Kind};

use crate::clients;
use crate::connector::start_failure;
use crate::expect::Answer;
use crate::survey::interface;
use crate::{Finding, ServerCx, Verdict};

impl ServerCx {
    /// What came back on the first request of a connection: in the modern era a list that no discovery came before, in the
    /// legacy era a ping between the answer to `initialize` and `notifications/initialized`.
    pub async fn first_answer(&self) -> Result<&Answer, Finding> {
        if self.known.first_answer.get().is_none() {
            drop(self.exclusive_session().await?);
        }
        match self.known.first_answer.get() {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(finding)) => Err(finding.clone()),
            None => Err(Finding::blocked("no second session came about")),
        }
    }

    /// Whether one process may do for this revision. In the newest revision of the era another client is tried as well: what
    /// changes with the client shows there.
    pub(crate) fn may_reuse_shared_session(&self) -> bool {
        let newest = Era::Legacy.newest();
        self.connector().starts_processes()
            && self.version.era() == Era::Legacy
            && self.version != newest
            && self.run().revisions.find(newest) == Some(true)
    }

    /// Lets the checks that need a session for themselves have the shared one, where another client would meet nothing else:
    /// the server has asked the client nothing but its roots, and has no apps. Returns whether it does.
    pub(crate) async fn reuse_shared_session(&self) -> bool {
        let (Ok(session), Ok(tools)) = (self.session().await, self.tools().await) else { return false };
        let is_plain = session.ended().is_none()
            && !self.pool.is_shared_spoiled()
            && !has_asked(session)
            && !tools.iter().any(|tool| interface(tool).is_some());
        if is_plain {
            self.pool.reuse_shared();
        }
        is_plain
    }

    pub(crate) async fn open_exclusive(&self) -> Result<Session, Finding> {
        match self.version.era() {
            Era::Legacy => self.open_bare().await,
            Era::Modern => self.open_without_discovery().await,
        }
    }

    async fn open_bare(&self) -> Result<Session, Finding> {
        let session = self.initialize_bare().await?;
        let ready = self.ping_and_initialized(&session).await;
        self.connector().close_unless_ok(&session, ready).await?;
        Ok(session)
    }

    /// The second half of a handshake, with a ping before it.
    pub(crate) async fn ping_and_initialized(&self, session: &Session) -> Verdict {
        let first = self.known.first_answer.get_or_try_init(|| async {
            let answer = self.request_on(session, "ping").send().await.map_err(|finding| match finding {
                // It may wait for the notification, which comes next.
                Finding::Blocked(obstacle) => Finding::violated("an answer to ping", obstacle.why),
                other => other,
            });
            // A session that the server has ended at once says nothing about the ping.
            if !self.connector().is_piped() && session.ended().is_some() { Err(()) } else { Ok(answer) }
        });
        let _ = first.await;
        session.initialized().await.map_err(Finding::from)
    }

    /// A session after the first half of its handshake. Where it is a process, something may have been said to it before: a
    /// discovery that it refused, or handshakes in versions that do not exist, which would need one process more. A server that
    /// then refuses the true handshake gets another process.
    async fn initialize_bare(&self) -> Result<Session, Finding> {
        let connector = self.connector();
        let session = connector.connect(Profile::bare()).await?;
        if connector.starts_processes() && connector.run.unknown_versions.take_turn() {
            connector.run.unknown_versions.ask_on(&session, &connector.run.limits).await;
        }
        let is_used = session.has_received();
        match connector.initialize(&session).await {
            Err(_) if is_used => {}
            initialized => return initialized.map(|()| session),
        }
        let session = connector.connect(Profile::bare()).await?;
        connector.initialize(&session).await?;
        Ok(session)
    }

    async fn open_without_discovery(&self) -> Result<Session, Finding> {
        let session = self.connector().connect(clients::usual()).await?;
        self.known.first_answer.get_or_init(|| self.list_first(&session)).await;
        // Whatever the first request of a check is: its limit is not that of a start.
        if self.connector().is_piped() {
            self.connector().complete_handshake(session).await
        } else {
            Ok(session)
        }
    }

    async fn list_first(&self, session: &Session) -> Result<Answer, Finding> {
        let method = self.served_list().await?;
        let limit = self.connector().run.limits.start;
        let first = session.request(method).params(json!({})).timeout(limit).send().await;
        first.map(|reply| Answer::new(reply, session.clone())).map_err(start_failure)
    }

    /// A list that the server declares, and that the shared session has shown. What is refused on every connection is another
    /// check's business.
    async fn served_list(&self) -> Result<&'static str, Finding> {
        let declared = self.capabilities().await?;
        let is_declared = |capability| declared.get(capability).is_some();
        let (method, listed) = if is_declared("tools") {
            ("tools/list", self.tools().await)
        } else if is_declared("resources") {
            ("resources/list", self.resources().await)
        } else if is_declared("prompts") {
            ("prompts/list", self.prompts().await)
        } else {
            return Err(Finding::not_applicable("the server has nothing to list"));
        };
        listed.map_err(Finding::into_obstacle)?;
        Ok(method)
    }
}

/// Whether the server has sent a request, other than a ping or a question for roots, which comes in every revision alike. In
/// batches it may ask too, but hardly only there.
fn has_asked(session: &Session) -> bool {
    let transcript = session.recorder().transcript();
    let mut received = transcript.messages().filter(|entry| entry.direction == Direction::ToClient);
    received.any(|entry| {
        let frame = Frame::parse(&entry.bytes);
        frame.is_ok_and(|frame| {
            frame.kind() == Kind::Request && !matches!(frame.method().as_deref(), Some("ping" | "roots/list"))
        })
    })
}
