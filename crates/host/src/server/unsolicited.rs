//! Limits what a server sends on its own. It may send messages faster than anybody can read, and each costs the timeline
//! and the page work. Beyond the limit requests are refused and notifications are dropped; the timeline says how many.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use transport::client::Session;

use super::SupervisedServer;
use crate::Shared;
use crate::finding::PageFinding;
use crate::timeline::{NewEntry, TimelineParty};

/// How many messages are accepted at once.
const BURST: f64 = 2_000.0;
/// How many more are accepted each second.
const PER_SECOND: f64 = 200.0;
/// How often the timeline says what was left out.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// The kind of a message that a server sends on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsolicited {
    Request,
    Notification,
}

/// How many more messages are accepted, and how many were left out.
#[derive(Debug)]
pub(super) struct UnsolicitedLimit {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    room: f64,
    refilled: Instant,
    left_out: LeftOut,
}

/// How many messages were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    requests: u64,
    notifications: u64,
}

impl Default for UnsolicitedLimit {
    fn default() -> Self {
        let state = State { room: BURST, refilled: Instant::now(), left_out: LeftOut::default() };
        Self { state: Mutex::new(state) }
    }
}

impl UnsolicitedLimit {
    /// Whether the next message is accepted. If not, it is counted.
    pub(super) fn admit(&self, kind: Unsolicited) -> bool {
        let mut state = self.lock();
        let now = Instant::now();
        let refill = now.duration_since(state.refilled).as_secs_f64() * PER_SECOND;
        (state.room, state.refilled) = ((state.room + refill).min(BURST), now);
        let is_admitted = state.room >= 1.0;
        if is_admitted {
            state.room -= 1.0;
        } else {
            state.left_out.add(kind, 1);
        }
        is_admitted
    }

    /// Counts messages that were left out for another reason.
    pub(super) fn leave_out(&self, kind: Unsolicited, count: u64) {
        self.lock().left_out.add(kind, count);
    }

    fn take_left_out(&self) -> LeftOut {
        std::mem::take(&mut self.lock().left_out)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeftOut {
    const fn add(&mut self, kind: Unsolicited, count: u64) {
        match kind {
            Unsolicited::Request => self.requests += count,
            Unsolicited::Notification => self.notifications += count,
        }
    }

    /// What the person is told.
    fn text(self) -> String {
        let parts = [
            (self.requests, "requests were refused or answered at once"),
            (self.notifications, "notifications were dropped"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        format!("the server sends faster than the host records: {}, and are missing here", parts.join(", "))
    }
}

/// Reports what was left out, until the session ends.
pub(super) async fn report(server: &SupervisedServer, shared: &Shared, session: &Session) {
    loop {
        tokio::time::sleep(REPORT_INTERVAL).await;
        server.unsolicited.leave_out(Unsolicited::Notification, session.take_dropped());
        let left_out = server.unsolicited.take_left_out();
        if left_out == LeftOut::default() {
            continue;
        }
        let count = left_out.requests + left_out.notifications;
        shared.timeline.add(NewEntry {
            server: Some(server.id.clone()),
            findings: vec![PageFinding::note(left_out.text())],
            ..NewEntry::new(
                TimelineParty::Server,
                TimelineParty::Host,
                json!({ "yardstick": "dropped", "count": count }),
            )
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_limit_is_counted() {
        let limit = UnsolicitedLimit::default();
        let admitted = (0..100_000).filter(|_| limit.admit(Unsolicited::Request)).count() as u64;
        assert!((2_000..10_000).contains(&admitted), "{admitted}");
        limit.leave_out(Unsolicited::Notification, 7);
        let left_out = limit.take_left_out();
        assert_eq!(left_out, LeftOut { requests: 100_000 - admitted, notifications: 7 });
        assert_eq!(limit.take_left_out(), LeftOut::default());
        assert!(left_out.text().contains("7 notifications were dropped"), "{}", left_out.text());
    }
}
