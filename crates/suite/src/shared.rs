//! The session that well-behaved requests share, opened again when the server has ended it.

use std::iter::successors;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::{Mutex, OnceCell};
use transport::client::{Reply, Session};
use transport::serve::Via;

use crate::checks::Surface;
use crate::facts::Facts;
use crate::{Finding, ServerCx};

/// How often the process of a server that ends the shared session is started again.
const RESTARTS: usize = 5;
/// How many sessions in a row may be lost before one of them has answered anything.
const IN_VAIN: usize = 8;

/// The check that reports what is wrong with a handshake.
const HANDSHAKE_CHECK: &str = "server/lifecycle/handshake-complete";

/// The shared session, and those that came before it.
#[derive(Debug, Default)]
pub(crate) struct SharedSession {
    first: Life,
    /// Held by whoever opens the next one.
    opening: Mutex<()>,
    restarts: AtomicUsize,
    /// How many sessions the server had ended when the present one, or what was learnt on it, began.
    lost_before: AtomicUsize,
    /// How many sessions were opened in the place of lost ones since the last answer.
    in_vain: AtomicUsize,
}

/// One shared session, and what was learnt on it.
#[derive(Debug, Default)]
struct Life {
    session: OnceCell<Result<Session, Finding>>,
    /// Whether we have ended it ourselves.
    is_ended: AtomicBool,
    learnt: Arc<Learnt>,
    /// The one that took its place.
    next: OnceLock<Box<Self>>,
}

/// What was learnt about the server.
#[derive(Debug, Default)]
struct Learnt {
    facts: Facts,
    /// What the server shows of MCP Apps.
    surface: OnceCell<Surface>,
}

impl SharedSession {
    /// Uses a session that is open already.
    pub(crate) fn set(&self, session: Session) {
        // Nobody can have asked before.
        let _ = self.first.session.set(Ok(session));
    }

    /// What was learnt on each, oldest first.
    pub(crate) fn all_facts(&self) -> impl Iterator<Item = &Facts> {
        self.lives().map(|life| &life.learnt.facts)
    }

    fn lives(&self) -> impl Iterator<Item = &Life> {
        successors(Some(&self.first), |life| life.next.get().map(Box::as_ref))
    }

    fn now(&self) -> &Life {
        self.lives().last().unwrap_or(&self.first)
    }

    /// Whether `session` is the shared one, or was.
    fn includes(&self, session: &Session) -> bool {
        self.lives().filter_map(Life::opened).any(|shared| shared.is_same(session))
    }

    /// Puts another session into the place of the present one. Only whoever holds `opening` may.
    fn replace(&self, session: Result<Session, Finding>, learnt: Arc<Learnt>) {
        let next = Life { session: OnceCell::new_with(Some(session)), learnt, ..Life::default() };
        let _ = self.now().next.set(Box::new(next));
    }
}

impl Life {
    fn opened(&self) -> Option<&Session> {
        self.session.get()?.as_ref().ok()
    }

    /// Whether the server has ended it.
    fn is_dead(&self) -> bool {
        !self.is_ended.load(Ordering::Acquire)
            && self.opened().is_some_and(|session| session.ended().is_some())
    }
}

impl ServerCx {
    pub(crate) fn facts(&self) -> &Facts {
        &self.shared.now().learnt.facts
    }

    pub(crate) fn surface(&self) -> &OnceCell<Surface> {
        &self.shared.now().learnt.surface
    }

    /// The session that well-behaved requests share.
    pub async fn session(&self) -> Result<&Session, Finding> {
        let opened = self.shared.now().session.get_or_init(|| async {
            let slot = self.run.slot().await;
            let established = Box::pin(self.establish(slot)).await;
            established.map_err(|finding| finding.into_obstacle_of(HANDSHAKE_CHECK))
        });
        opened.await.as_ref().map_err(Clone::clone)
    }

    /// The session that well-behaved requests share, if it has come about.
    pub(crate) fn opened_session(&self) -> Option<&Session> {
        self.shared.now().opened()
    }

    /// Whether the server has ended the shared session.
    pub(crate) fn is_shared_session_dead(&self) -> bool {
        self.shared.now().is_dead()
    }

    /// Whether the server has ended the shared session, or another one from which something was learnt.
    pub(crate) fn is_shared_session_spoiled(&self) -> bool {
        self.is_shared_session_dead()
            || self.lost_sessions() > self.shared.lost_before.load(Ordering::Relaxed)
    }

    /// Ends the shared session: nobody needs it any more.
    pub(crate) async fn end_shared_session(&self) {
        let now = self.shared.now();
        if let Some(session) = now.opened() {
            now.is_ended.store(true, Ordering::Release);
            self.close_session(session).await;
        }
    }

    /// Forgets what was learnt, and opens the shared session again if the server has ended it. A process is not started again
    /// when that was done often enough. Its place among the processes stays taken meanwhile: nobody who holds one may have to
    /// wait for another.
    pub(crate) async fn restart_shared_session(&self) {
        let _opening = self.shared.opening.lock().await;
        self.shared.lost_before.store(self.lost_sessions(), Ordering::Relaxed);
        let now = self.shared.now();
        let Some(session) = now.opened() else { return };
        if !now.is_dead() {
            return self.shared.replace(Ok(session.clone()), Arc::default());
        }
        if self.via == Via::Pipe && self.shared.restarts.fetch_add(1, Ordering::Relaxed) >= RESTARTS {
            return;
        }
        session.close().await;
        let reopened = Box::pin(self.establish(self.take_slot(session))).await;
        let reopened = reopened.map_err(|finding| finding.into_obstacle_of(HANDSHAKE_CHECK));
        self.shared.replace(reopened, Arc::default());
    }

    /// The session to send a request on again that was sent on `session` and answered with `reply`: another one if that was the
    /// shared one and the server no longer knows it. The server is the same, so what was learnt stays.
    pub(crate) async fn renew(&self, session: &Session, reply: Option<&Reply>) -> Option<&Session> {
        if !self.shared.includes(session) {
            return None;
        }
        if !reply.is_some_and(Reply::is_session_unknown) || session.ended().is_none() {
            self.shared.in_vain.store(0, Ordering::Relaxed);
            return None;
        }
        let _opening = self.shared.opening.lock().await;
        let now = self.shared.now();
        if now.is_dead() {
            if self.shared.in_vain.fetch_add(1, Ordering::Relaxed) >= IN_VAIN {
                return None;
            }
            // Only the legacy era has sessions, where a handshake is all that it takes.
            let renewed = Box::pin(self.shake_hands(None)).await.ok()?;
            self.shared.replace(Ok(renewed), Arc::clone(&now.learnt));
        }
        self.opened_session()
    }
}
