//! Whether a server that gives no answer is silent, or only slow.

use std::time::{Duration, Instant};

use protocol::Era;
use transport::client::{Failure, Session};
use wire::{Direction, What};

use crate::{Finding, ServerCx};

/// How long a server that is awake may take to refuse nonsense.
const MOMENT: Duration = Duration::from_secs(1);
/// A method that no server has.
const NONSENSE: &str = "yardstick/are-you-there";

impl ServerCx {
    /// A request that every server of the revision answers at once.
    pub const fn cheap(&self) -> &'static str {
        match self.version.era() {
            Era::Legacy => "ping",
            Era::Modern => "server/discover",
        }
    }

    /// What to make of a request that failed. Silence counts against a server only if it answers something else in the
    /// meantime; otherwise it may just be slow, as everything is on a busy machine. Tools may take as long as they like.
    pub(crate) async fn unanswered(&self, session: &Session, method: &str, failure: Failure) -> Finding {
        let silent = matches!(failure, Failure::TimedOut { .. });
        let why = failure.to_string();
        let finding = self.noted(method, failure);
        if silent && (method == "tools/call" || !self.is_awake(session).await) {
            return Finding::blocked(why);
        }
        finding
    }

    /// How long a request that costs nothing takes just now.
    pub(crate) async fn pulse(&self) -> Duration {
        let start = Instant::now();
        if let Some(session) = self.opened_session() {
            // It is the time that tells, whatever the answer.
            let _ = session.request(self.cheap()).timeout(MOMENT).send().await;
        }
        start.elapsed()
    }

    /// Whether the server answers on this session, or on the one that all share. That one is of no use where every session
    /// has a process of its own, and this one has not said anything yet: it may still be starting.
    pub(crate) async fn is_awake(&self, session: &Session) -> bool {
        let answers =
            async |session: &Session| session.request(NONSENSE).timeout(MOMENT).send().await.is_ok();
        if answers(session).await {
            return true;
        }
        let starting = self.starts_processes() && !has_spoken(session);
        match self.opened_session().filter(|_| !starting) {
            Some(shared) => answers(shared).await,
            None => false,
        }
    }
}

fn has_spoken(session: &Session) -> bool {
    let transcript = session.recorder().transcript();
    transcript
        .entries
        .iter()
        .any(|entry| entry.direction == Direction::ToClient && entry.what == What::Message)
}
