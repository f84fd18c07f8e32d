//! The session that well-behaved requests share, opened again when the server has ended it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use protocol::Era;
use tokio::sync::{Mutex, OnceCell};
use transport::client::{Reply, Session};

use super::SessionPool;
use crate::Finding;
use crate::append_only_list::AppendOnlyList;
use crate::checks::HANDSHAKE_COMPLETE;
use crate::run_cx::Slot;

/// How often the process of a server that ends the shared session is started again.
const MAX_RESTARTS: usize = 5;
/// How many sessions in a row may be lost before one of them has answered anything.
const MAX_LOST_IN_A_ROW: usize = 8;

/// The shared session, and those that came before it.
#[derive(Debug, Default)]
pub(super) struct SharedSession {
    states: AppendOnlyList<SharedState>,
    /// Held by the task that opens the next one.
    opening: Mutex<()>,
    restarts: AtomicUsize,
    /// How many sessions the server had ended when the present one, or what was learnt on it, began.
    lost_before: AtomicUsize,
    /// How many sessions were opened in the place of lost ones since the last answer.
    lost_in_a_row: AtomicUsize,
}

/// One shared session.
#[derive(Debug, Default)]
struct SharedState {
    session: OnceCell<Result<Session, Finding>>,
    /// Whether we have ended it ourselves.
    is_ended: AtomicBool,
}

impl SharedSession {
    /// Uses a session that is open already.
    pub(super) fn set(&self, session: Session) {
        // Nobody can have asked before.
        let _ = self.states.latest().session.set(Ok(session));
    }

    /// Whether `session` is the shared one, or was.
    fn is_or_was_shared(&self, session: &Session) -> bool {
        self.states.all().filter_map(SharedState::opened).any(|shared| shared.is_same(session))
    }

    /// Puts another session into the place of the present one. Only the task that holds `opening` may.
    fn replace(&self, session: Result<Session, Finding>) {
        self.states.replace_latest(SharedState {
            session: OnceCell::new_with(Some(session)),
            ..SharedState::default()
        });
    }
}

impl SharedState {
    fn opened(&self) -> Option<&Session> {
        self.session.get()?.as_ref().ok()
    }

    /// Whether the server has ended it.
    fn is_dead(&self) -> bool {
        !self.is_ended.load(Ordering::Acquire)
            && self.opened().is_some_and(|session| session.ended().is_some())
    }
}

impl SessionPool {
    /// The session that well-behaved requests share.
    pub(crate) async fn shared(&self) -> Result<&Session, Finding> {
        let opened = self.shared.states.latest().session.get_or_init(|| async {
            let slot = self.connector.run.slots.acquire().await;
            self.establish(slot).await
        });
        opened.await.as_ref().map_err(Clone::clone)
    }

    /// A session with a server that has shown that it is one: by its handshake, or, where there is none, by a list.
    async fn establish(&self, slot: Slot) -> Result<Session, Finding> {
        let established = Box::pin(async {
            let session = self.connector.open_usual(slot).await?;
            let legacy = self.connector.version().era() == Era::Legacy;
            if legacy || session.server().capabilities.is_object() || self.answers_a_list(&session).await? {
                return Ok(session);
            }
            Err(Finding::blocked("neither server/discover nor any list is answered"))
        });
        established.await.map_err(|finding: Finding| finding.into_obstacle_of(HANDSHAKE_COMPLETE.id))
    }

    async fn answers_a_list(&self, session: &Session) -> Result<bool, Finding> {
        for (method, key) in
            [("tools/list", "tools"), ("resources/list", "resources"), ("prompts/list", "prompts")]
        {
            let reply = self.request_on(session, method).send().await?.reply;
            if reply.result().is_some_and(|result| result[key].is_array()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the server has ended the shared session, or another one from which something was learnt.
    pub(crate) fn is_shared_spoiled(&self) -> bool {
        self.shared.states.latest().is_dead()
            || self.connector.count_lost() > self.shared.lost_before.load(Ordering::Relaxed)
    }

    /// Ends the shared session: nobody needs it any more.
    pub(crate) async fn end_shared(&self) {
        let now = self.shared.states.latest();
        if let Some(session) = now.opened() {
            now.is_ended.store(true, Ordering::Release);
            self.connector.close_session(session).await;
        }
    }

    /// Lets one check at a time have the shared session for itself: nobody shares it any more.
    pub(crate) fn reuse_shared(&self) {
        let now = self.shared.states.latest();
        if let Some(session) = now.opened() {
            now.is_ended.store(true, Ordering::Release);
            self.exclusive.add(session.clone());
        }
    }

    /// Whether [`SessionPool::reuse_shared`] or [`SessionPool::end_shared`] was called.
    pub(crate) fn is_shared_reused(&self) -> bool {
        self.shared.states.latest().is_ended.load(Ordering::Acquire)
    }

    /// Opens the shared session again if the server has ended it. Returns whether there is a shared session from here on, on
    /// which everything has to be learnt anew. A process is not started again when that was done often enough. Its place among
    /// the processes stays taken meanwhile: nobody who holds one may have to wait for another.
    pub(crate) async fn restart_shared(&self) -> bool {
        let _opening = self.shared.opening.lock().await;
        self.shared.lost_before.store(self.connector.count_lost(), Ordering::Relaxed);
        let now = self.shared.states.latest();
        let Some(session) = now.opened() else { return false };
        if !now.is_dead() {
            return true;
        }
        if self.connector.is_piped() && self.shared.restarts.fetch_add(1, Ordering::Relaxed) >= MAX_RESTARTS {
            return false;
        }
        session.close().await;
        let reopened = self.establish(self.connector.take_slot(session)).await;
        self.shared.replace(reopened);
        true
    }

    /// The session to send a request on again that was sent on `session` and answered with `reply`: another one if that was the
    /// shared one and the server no longer knows it. The server is the same, so what was learnt stays.
    pub(crate) async fn find_replacement(
        &self,
        session: &Session,
        reply: Option<&Reply>,
    ) -> Option<&Session> {
        if !self.shared.is_or_was_shared(session) {
            return None;
        }
        if !reply.is_some_and(Reply::is_session_unknown) || session.ended().is_none() {
            self.shared.lost_in_a_row.store(0, Ordering::Relaxed);
            return None;
        }
        let _opening = self.shared.opening.lock().await;
        if self.shared.states.latest().is_dead() {
            if self.shared.lost_in_a_row.fetch_add(1, Ordering::Relaxed) >= MAX_LOST_IN_A_ROW {
                return None;
            }
            // Only the legacy era has sessions, where a handshake is all that it takes.
            let renewed = Box::pin(self.connector.open_usual(None)).await.ok()?;
            self.shared.replace(Ok(renewed));
        }
        self.shared.states.latest().opened()
    }
}
