//! Sessions that one check at a time has for itself: for what would disturb others.
//!
//! On a pipe there is one, which the checks use one after the other, because one more would be one more process.

use std::fmt;
use std::ops::Deref;
use std::sync::Mutex;
use std::time::Duration;

use crate::lock::lock;
use tokio::sync::{Semaphore, SemaphorePermit};
use transport::client::{Profile, Session};

use super::SessionPool;

/// The sessions that nobody uses just now.
#[derive(Debug)]
pub(super) struct ExclusiveSessions {
    idle: Mutex<Vec<Session>>,
    turns: Semaphore,
}

impl ExclusiveSessions {
    /// On a pipe a check waits for its turn; one more process would take longer.
    pub(super) fn new(piped: bool) -> Self {
        let turns = if piped { 1 } else { Semaphore::MAX_PERMITS };
        Self { idle: Mutex::default(), turns: Semaphore::new(turns) }
    }

    /// Adds a session that nobody uses just now.
    pub(super) fn add(&self, session: Session) {
        lock(&self.idle).push(session);
    }

    fn take(&self) -> Option<Session> {
        lock(&self.idle).pop()
    }
}

/// The right of one check to a session for itself.
pub(crate) struct ExclusiveTurn<'c> {
    sessions: &'c ExclusiveSessions,
    _permit: Option<SemaphorePermit<'c>>,
}

impl<'c> ExclusiveTurn<'c> {
    /// The turn together with `session`.
    pub(crate) fn with_session(self, session: Session) -> ExclusiveSession<'c> {
        ExclusiveSession { whole: session.clone(), session, turn: self }
    }
}

/// A session that nobody else uses meanwhile. It goes back when it is dropped.
pub struct ExclusiveSession<'c> {
    /// The session, as the client that the check wants to be.
    session: Session,
    /// The session as it goes back.
    whole: Session,
    turn: ExclusiveTurn<'c>,
}

impl ExclusiveSession<'_> {
    pub(crate) fn with_profile(mut self, profile: Profile) -> Self {
        self.session = self.session.clone().with_profile(profile);
        self
    }
}

impl Deref for ExclusiveSession<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl fmt::Debug for ExclusiveSession<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExclusiveSession").field(&self.session).finish()
    }
}

impl Drop for ExclusiveSession<'_> {
    fn drop(&mut self) {
        // Also one that has ended: the next who wants a session brings it to its end in order.
        self.turn.sessions.add(self.whole.clone());
    }
}

impl SessionPool {
    /// Waits until a check may have a session for itself.
    pub(crate) async fn exclusive_turn(&self) -> ExclusiveTurn<'_> {
        let permit = self.exclusive.turns.acquire().await.ok();
        ExclusiveTurn { sessions: &self.exclusive, _permit: permit }
    }

    /// A session that nobody uses just now and that still answers. Others have used it before.
    pub(crate) async fn take_idle(&self) -> Option<Session> {
        while let Some(session) = self.exclusive.take() {
            if session.ended().is_none() && self.is_settled(&session).await {
                return Some(session);
            }
            self.connector.close_session(&session).await;
        }
        None
    }

    /// Ends the sessions that nobody uses just now.
    pub(crate) async fn close_idle(&self) {
        while let Some(session) = self.exclusive.take() {
            self.connector.close_session(&session).await;
        }
    }

    /// Whether a session still answers. What came late for those before is out of the way then.
    async fn is_settled(&self, session: &Session) -> bool {
        let liveness = &self.connector.liveness;
        let cheap = session.request(liveness.cheap_method()).exact();
        let reply = cheap.timeout(liveness.pace().limit()).send().await;
        // A server of both eras may have taken what came before for the start of another era.
        let answered = reply.is_ok_and(|reply| reply.result().is_some());
        if self.connector.is_piped() {
            while let Ok(Some(_)) = session.incoming(Duration::ZERO).await {}
        }
        answered
    }
}
