//! Sessions that one check at a time has for itself: for what would disturb others.
//!
//! On a pipe there is one, which the checks use one after the other, because one more would be one more process. Its client
//! declares nothing in the legacy era, so that what servers ask of such a client shows there too.

use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use protocol::Era;
use serde_json::json;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};
use transport::client::{Profile, Session};
use transport::serve::Via;

use crate::clients;
use crate::context::not_begun;
use crate::expect::Answer;
use crate::{Finding, ServerCx, Verdict};

/// The sessions that nobody uses just now.
#[derive(Debug)]
pub(crate) struct ExclusiveSessions {
    idle: Mutex<Vec<Session>>,
    turns: Semaphore,
    /// What was said on the first of them before anything else: see [`ServerCx::first_words`].
    first_words: OnceCell<Result<Answer, Finding>>,
}

impl ExclusiveSessions {
    /// Where each session is a process, a check waits for its turn; one more process would take longer.
    pub(crate) fn new(via: Via) -> Self {
        let turns = match via {
            Via::Pipe => 1,
            Via::StreamableHttp | Via::HttpSse => Semaphore::MAX_PERMITS,
        };
        Self { idle: Mutex::default(), turns: Semaphore::new(turns), first_words: OnceCell::new() }
    }

    fn take(&self) -> Option<Session> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

/// A session that nobody else uses meanwhile. It goes back when it is dropped.
pub struct Alone<'c> {
    /// The session, as the client that the check wants to be.
    session: Session,
    /// The session as it goes back.
    whole: Session,
    sessions: &'c ExclusiveSessions,
    _turn: Option<SemaphorePermit<'c>>,
}

impl<'c> Alone<'c> {
    fn new(session: Session, sessions: &'c ExclusiveSessions, turn: Option<SemaphorePermit<'c>>) -> Self {
        Self { whole: session.clone(), session, sessions, _turn: turn }
    }

    fn viewed_as(mut self, profile: Profile) -> Self {
        self.session = self.session.with_profile(profile);
        self
    }
}

impl Deref for Alone<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl fmt::Debug for Alone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Alone").field(&self.session).finish()
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        // Also one that has ended: the next who wants a session brings it to its end in order.
        let mut idle = self.sessions.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(self.whole.clone());
    }
}

impl ServerCx {
    /// A session for what would disturb others, one check at a time. Others have used it before, others will use it again:
    /// what is left open on it has to be ended.
    pub async fn alone(&self) -> Result<Alone<'_>, Finding> {
        self.session().await?;
        let sessions = &self.exclusive;
        let turn = sessions.turns.acquire().await.ok();
        while let Some(session) = sessions.take() {
            if session.ended().is_none() && self.is_settled(&session).await {
                return Ok(Alone::new(session, sessions, turn));
            }
            self.close_session(&session).await;
        }
        let session = Box::pin(self.open_exclusive()).await?;
        Ok(Alone::new(session, sessions, turn))
    }

    /// The same as a client that declares nothing.
    pub async fn bare(&self) -> Result<Alone<'_>, Finding> {
        let alone = self.alone().await?;
        Ok(match self.version.era() {
            // It is that already.
            Era::Legacy => alone,
            Era::Modern => alone.viewed_as(Profile::bare()),
        })
    }

    /// The same as a client of another kind. In the modern era every request says who asks; in the legacy era the handshake
    /// does, so on a pipe another process takes the place of the one before.
    pub async fn as_client(&self, profile: Profile) -> Result<Alone<'_>, Finding> {
        if self.version.era() == Era::Modern {
            return Ok(self.alone().await?.viewed_as(profile));
        }
        self.session().await?;
        let turn = self.exclusive.turns.acquire().await.ok();
        if self.via == Via::Pipe {
            self.retire_exclusive().await;
        }
        let session = Box::pin(self.open(profile)).await?;
        Ok(Alone::new(session, &self.exclusive, turn))
    }

    /// Starts the process that checks use one after the other before the first of them needs it.
    pub(crate) async fn start_ahead(&self) {
        // What stands in the way is told to the first who asks.
        drop(self.alone().await);
    }

    /// Ends the sessions that nobody uses just now.
    pub(crate) async fn retire_exclusive(&self) {
        while let Some(session) = self.exclusive.take() {
            self.close_session(&session).await;
        }
    }

    /// What came back on the first request of a connection: in the modern era a list that no discovery came before, in the
    /// legacy era a ping between the answer to `initialize` and `notifications/initialized`.
    pub async fn first_words(&self) -> Result<&Answer, Finding> {
        if self.exclusive.first_words.get().is_none() {
            drop(self.alone().await?);
        }
        match self.exclusive.first_words.get() {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(finding)) => Err(finding.clone()),
            None => Err(Finding::blocked("no second session came about")),
        }
    }

    async fn open_exclusive(&self) -> Result<Session, Finding> {
        match self.version.era() {
            Era::Legacy => self.open_bare().await,
            Era::Modern => self.open_without_discovery().await,
        }
    }

    async fn open_bare(&self) -> Result<Session, Finding> {
        let session = self.initialize_bare().await?;
        let first = self.exclusive.first_words.get_or_try_init(|| async {
            let answer = self.on(&session, "ping").send().await.map_err(|finding| match finding {
                // It may wait for the notification, which comes next.
                Finding::Blocked(obstacle) => Finding::violated("an answer to ping", obstacle.why),
                other => other,
            });
            // A session that the server has ended at once says nothing about the ping.
            if self.via != Via::Pipe && session.ended().is_some() { Err(()) } else { Ok(answer) }
        });
        let _ = first.await;
        let ready = session.initialized().await.map_err(Finding::from);
        self.close_unless_ok(&session, ready).await?;
        Ok(session)
    }

    /// A session after the first half of its handshake. Where it is a process, the first one is also asked for versions that
    /// do not exist, because that would need one more; a server that then refuses the true handshake gets another process.
    async fn initialize_bare(&self) -> Result<Session, Finding> {
        if self.starts_processes() && self.run.takes_unknown_versions() {
            let session = self.connect(Profile::bare()).await?;
            self.run.ask_for_unknown_versions_on(&session).await;
            if self.initialize_on(&session).await.is_ok() {
                return Ok(session);
            }
        }
        let session = self.connect(Profile::bare()).await?;
        self.initialize_on(&session).await?;
        Ok(session)
    }

    async fn initialize_on(&self, session: &Session) -> Verdict {
        let begun = async {
            let reply = session.initialize().await.map_err(not_begun)?;
            self.judge_handshake(session, &reply)
        };
        self.close_unless_ok(session, begun.await).await
    }

    async fn open_without_discovery(&self) -> Result<Session, Finding> {
        let session = self.connect(clients::usual()).await?;
        self.exclusive.first_words.get_or_init(|| self.list_first(&session)).await;
        match self.via {
            // Whatever the first request of a check is: its limit is not that of a start.
            Via::Pipe => self.begin(session).await,
            Via::StreamableHttp | Via::HttpSse => Ok(session),
        }
    }

    async fn list_first(&self, session: &Session) -> Result<Answer, Finding> {
        let method = self.served_list().await?;
        let first = session.request(method).params(json!({})).timeout(self.run.limits.start).send().await;
        first.map(|reply| Answer::new(reply, session.clone())).map_err(not_begun)
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

    /// Whether a session still answers. What came late for those before is out of the way then.
    async fn is_settled(&self, session: &Session) -> bool {
        let reply = session.request(self.cheap()).exact().timeout(self.pace().limit()).send().await;
        // A server of both eras may have taken what came before for the start of another era.
        let answered = reply.is_ok_and(|reply| reply.result().is_some());
        if self.via == Via::Pipe {
            while let Ok(Some(_)) = session.incoming(std::time::Duration::ZERO).await {}
        }
        answered
    }
}
