//! Sessions that are used again: to open one costs a server more than to answer many requests on it.

use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use transport::client::{Profile, Session};
use transport::serve::Via;

use crate::{Finding, ServerCx};

/// How long a session may take to show that it is still good.
const TURN: Duration = Duration::from_millis(500);

/// The sessions that nobody uses just now.
#[derive(Debug)]
pub(crate) struct Pool {
    idle: Mutex<Vec<Session>>,
    turns: Semaphore,
}

impl Pool {
    /// Where each session is a process, a check waits for its turn; one more process would take longer.
    pub(crate) fn new(via: Via) -> Self {
        let turns = match via {
            Via::Pipe => 1,
            Via::StreamableHttp | Via::HttpSse => Semaphore::MAX_PERMITS,
        };
        Self { idle: Mutex::default(), turns: Semaphore::new(turns) }
    }

    fn take(&self) -> Option<Session> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

/// A session that nobody else uses meanwhile. It goes back when it is dropped.
pub struct Lent<'c> {
    session: Session,
    pool: &'c Pool,
    _turn: Option<SemaphorePermit<'c>>,
}

impl Deref for Lent<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl fmt::Debug for Lent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lent").field(&self.session).finish()
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if self.session.ended().is_none() {
            let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(self.session.clone());
        }
    }
}

impl ServerCx {
    /// A session for what would disturb the others, one check at a time. Others have used it before, others will use it
    /// again: what ends it, or leaves something open on it, needs [`ServerCx::fresh`].
    pub async fn lent(&self) -> Result<Lent<'_>, Finding> {
        self.session().await?;
        let turn = self.pool.turns.acquire().await.ok();
        while let Some(session) = self.pool.take() {
            if session.ended().is_none() && self.is_settled(&session).await {
                return Ok(Lent { session, pool: &self.pool, _turn: turn });
            }
        }
        let session = Box::pin(self.open(Profile::default())).await?;
        Ok(Lent { session, pool: &self.pool, _turn: turn })
    }

    /// Whether a session still answers. What came late for those before is out of the way then.
    async fn is_settled(&self, session: &Session) -> bool {
        let reply = session.request(self.cheap()).timeout(TURN).send().await;
        // A server of both eras may have taken what came before for the start of another era.
        let answered = reply.is_ok_and(|reply| reply.result().is_some());
        if self.via == Via::Pipe {
            while let Ok(Some(_)) = session.incoming(Duration::ZERO).await {}
        }
        answered
    }
}
