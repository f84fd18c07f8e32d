//! The sessions of a server: how many there may be, which one is evicted, and when an unused one ends.
//!
//! There are two classes. A session is fresh until a message follows its `initialize`. Fresh sessions are evicted for
//! others, oldest first. A used one never is, so that nobody can push out a client by opening sessions.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};
use tokio::time::Instant;

use super::session::Session;
use super::{Response, reply};
use crate::Transport;
use crate::serve::{Budget, Limits};

/// When the list is full, unused sessions end sooner, by this factor.
const FULL_LIST_FACTOR: u32 = 6;
/// How long to wait after a search for idle sessions that found none.
const SEARCH_INTERVAL: Duration = Duration::from_secs(1);

/// The sessions of one server.
pub(super) struct Sessions<P> {
    known: Mutex<SessionTable<P>>,
    most: usize,
    idle: Duration,
}

struct SessionTable<P> {
    by_id: HashMap<Arc<str>, Arc<Session<P>>>,
    /// Those that were fresh when they were opened, oldest first. Some are used or gone by now.
    fresh: VecDeque<Arc<str>>,
    /// When all of them were last searched for an idle one.
    last_search: Option<Instant>,
}

/// Why a session is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionRefusal {
    /// The system gave no random bytes for an id.
    NoRandomness,
    /// There are as many as there may be, and all of them are used.
    Full,
}

/// A session that was opened.
pub(super) struct Opened<P> {
    pub(super) id: String,
    /// The sessions that were evicted, which the caller has to end.
    pub(super) ended: Vec<Arc<Session<P>>>,
}

impl<P: Send + Sync + 'static> Sessions<P> {
    pub(super) fn new(limits: &Limits) -> Self {
        let known = SessionTable { by_id: HashMap::new(), fresh: VecDeque::new(), last_search: None };
        Self { known: Mutex::new(known), most: limits.sessions.max(1), idle: limits.session_idle }
    }

    /// Gives a session its id. If `kept` is more than half used, a fresh session is evicted as well.
    pub(super) fn insert(
        &self,
        session: Arc<Session<P>>,
        kept: &Budget,
    ) -> Result<Opened<P>, SessionRefusal> {
        let id = random_id().ok_or(SessionRefusal::NoRandomness)?;
        let mut known = self.lock();
        let mut ended = Vec::new();
        if known.by_id.len() >= self.most {
            ended.push(known.take_fresh().or_else(|| known.take_idle(self.idle / FULL_LIST_FACTOR)));
        } else if kept.is_half_used() {
            ended.push(known.take_fresh());
        }
        if known.by_id.len() >= self.most {
            return Err(SessionRefusal::Full);
        }
        known.tidy();
        let key: Arc<str> = id.as_str().into();
        known.fresh.push_back(key.clone());
        known.by_id.insert(key, session);
        Ok(Opened { id, ended: ended.into_iter().flatten().collect() })
    }

    /// The session of that id, if it was opened on that transport. It counts as used from now on.
    pub(super) fn get(&self, id: &str, transport: Transport) -> Option<Arc<Session<P>>> {
        let session = self.lock().by_id.get(id).filter(|session| session.transport == transport).cloned()?;
        session.touch();
        Some(session)
    }

    /// The one that was used last.
    pub(super) fn latest(&self) -> Option<Arc<Session<P>>> {
        let known = self.lock();
        known
            .by_id
            .values()
            .filter(|s| s.transport == Transport::StreamableHttp)
            .max_by_key(|s| s.last_use())
            .cloned()
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<Session<P>>> {
        self.lock().by_id.remove(id)
    }

    /// Removes the sessions that nobody has used for long. Where memory is short, the streams drop the events that they
    /// keep.
    pub(super) fn sweep(&self, kept: &Budget) -> Vec<Arc<Session<P>>> {
        let mut known = self.lock();
        let mut ended = Vec::new();
        known.by_id.retain(|_, session| {
            let is_idle = session.is_idle_for(self.idle);
            if is_idle {
                ended.push(session.clone());
            } else if kept.is_half_used() {
                session.forget_replays();
            }
            !is_idle
        });
        known.tidy();
        ended
    }

    fn lock(&self) -> MutexGuard<'_, SessionTable<P>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Send + Sync + 'static> SessionTable<P> {
    /// Removes the oldest fresh session.
    fn take_fresh(&mut self) -> Option<Arc<Session<P>>> {
        while let Some(id) = self.fresh.pop_front() {
            if self.by_id.get(&id).is_some_and(|session| session.is_fresh()) {
                return self.by_id.remove(&id);
            }
        }
        None
    }

    /// Removes the session that has been unused for longest, if that is at least `idle`.
    fn take_idle(&mut self, idle: Duration) -> Option<Arc<Session<P>>> {
        // The list is not searched for each of many requests.
        if self.last_search.is_some_and(|last_search| last_search.elapsed() < SEARCH_INTERVAL) {
            return None;
        }
        self.last_search = Some(Instant::now());
        let (id, session) = self.by_id.iter().min_by_key(|(_, session)| session.last_use())?;
        let id = session.is_idle_for(idle).then(|| id.clone())?;
        self.by_id.remove(&id)
    }

    /// Drops the ids of sessions that are no longer fresh, once there are many.
    fn tidy(&mut self) {
        if self.fresh.len() > 64 + 2 * self.by_id.len() {
            let Self { by_id, fresh, .. } = self;
            fresh.retain(|id| by_id.get(id).is_some_and(|session| session.is_fresh()));
        }
    }
}

impl SessionRefusal {
    /// The response that refuses the session.
    pub(super) fn response(self) -> Response {
        match self {
            Self::NoRandomness => reply::refused(500, "no randomness for a session id"),
            Self::Full => reply::refused(503, "there are as many sessions as there may be: try again later"),
        }
    }
}

fn random_id() -> Option<String> {
    let mut bytes = [0_u8; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::Budgets;

    fn limits() -> Limits {
        Limits { sessions: 3, ..Limits::default() }
    }

    fn open(sessions: &Sessions<()>, transport: Transport) -> Result<Opened<()>, SessionRefusal> {
        let budgets = Budgets::of_process(&limits());
        let session = Session::bare((), transport, &limits(), &budgets);
        sessions.insert(session, &budgets.kept)
    }

    fn opened(sessions: &Sessions<()>) -> String {
        open(sessions, Transport::StreamableHttp).ok().unwrap().id
    }

    #[tokio::test(start_paused = true)]
    async fn fresh_sessions_make_room_and_used_ones_do_not() {
        let sessions = Sessions::new(&limits());
        let get = |id: &str| sessions.get(id, Transport::StreamableHttp).is_some();
        let idle = opened(&sessions);
        assert!(get(&idle), "used once");
        let fresh: Vec<_> = (0..20).map(|_| opened(&sessions)).collect();
        assert!(get(&idle), "it was never pushed out");
        assert_eq!(fresh.iter().filter(|id| get(id)).count(), 2, "the newest two are there, and used now");
        assert_eq!(open(&sessions, Transport::StreamableHttp).err(), Some(SessionRefusal::Full));
        tokio::time::advance(limits().session_idle / FULL_LIST_FACTOR).await;
        assert_eq!(open(&sessions, Transport::StreamableHttp).ok().map(|opened| opened.ended.len()), Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_is_not_heard_of_for_long_is_forgotten() {
        let sessions = Sessions::new(&limits());
        let kept = Budget::new(1000);
        let (quiet, busy) = (opened(&sessions), opened(&sessions));
        tokio::time::advance(limits().session_idle / 2).await;
        sessions.get(&busy, Transport::StreamableHttp).unwrap();
        assert!(sessions.sweep(&kept).is_empty());
        tokio::time::advance(limits().session_idle / 2).await;
        assert_eq!(sessions.sweep(&kept).len(), 1);
        assert!(sessions.get(&quiet, Transport::StreamableHttp).is_none());
        assert!(sessions.get(&busy, Transport::StreamableHttp).is_some());
    }

    #[tokio::test]
    async fn a_session_belongs_to_its_transport() {
        let sessions = Sessions::new(&limits());
        let id = open(&sessions, Transport::HttpSse).ok().unwrap().id;
        assert!(sessions.get(&id, Transport::StreamableHttp).is_none());
        assert!(sessions.get(&id, Transport::HttpSse).is_some());
    }

    #[tokio::test]
    async fn ids_of_ended_sessions_do_not_pile_up() {
        let sessions = Sessions::new(&limits());
        for _ in 0..1000 {
            let id = opened(&sessions);
            sessions.remove(&id);
        }
        assert!(sessions.lock().fresh.len() < 100);
    }
}
