//! What servers ask the person before the page: open until the person answers, or the server no longer wants to know.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use crate::feed::Feed;

/// How many may be open at a time; more are refused.
const MOST_OPEN: usize = 20;

/// The inquiries that are open; clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Inquiries {
    feed: Feed,
    open: Arc<Mutex<Open>>,
    /// Told whenever one is opened or closed.
    changes: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    by_id: BTreeMap<u64, Inquiry>,
}

impl Open {
    fn is_asked_by(&self, server: &str) -> bool {
        self.by_id.values().any(|inquiry| inquiry.server == server)
    }
}

#[derive(Debug)]
struct Inquiry {
    server: String,
    /// As the page reads it.
    shown: Value,
    answer: oneshot::Sender<Answer>,
}

/// What the person made of an inquiry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// A result, as the method has it.
    Result(Value),
    /// The person does not want it.
    Refused,
}

/// Keeps an inquiry open.
#[derive(Debug)]
struct Ticket<'a> {
    inquiries: &'a Inquiries,
    id: u64,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.inquiries.lock().by_id.remove(&self.id);
        self.inquiries.changes.send_replace(());
        self.inquiries.feed.tell(&json!({ "kind": "inquiry-closed", "id": self.id }));
    }
}

impl Inquiries {
    pub(crate) fn new(feed: Feed) -> Self {
        Self { feed, open: Arc::default(), changes: watch::Sender::new(()) }
    }

    /// Asks the person, for as long as that takes. Dropping the future closes the inquiry.
    pub(crate) async fn ask(&self, server: &str, run: Option<&str>, method: &str, params: &Value) -> Answer {
        let (answer, answered) = oneshot::channel();
        let Some((ticket, shown)) = self.open(server, run, method, params, answer) else {
            return Answer::Refused;
        };
        self.feed.tell(&json!({ "kind": "inquiry", "inquiry": shown }));
        let answer = answered.await;
        drop(ticket);
        answer.unwrap_or(Answer::Refused)
    }

    fn open(
        &self,
        server: &str,
        run: Option<&str>,
        method: &str,
        params: &Value,
        answer: oneshot::Sender<Answer>,
    ) -> Option<(Ticket<'_>, Value)> {
        let mut open = self.lock();
        if open.by_id.len() >= MOST_OPEN {
            return None;
        }
        open.last += 1;
        let id = open.last;
        let shown = json!({ "id": id, "server": server, "run": run, "method": method, "params": params });
        open.by_id.insert(id, Inquiry { server: server.to_owned(), shown: shown.clone(), answer });
        self.changes.send_replace(());
        Some((Ticket { inquiries: self, id }, shown))
    }

    /// Gives the person's answer: whether the inquiry was open.
    pub(crate) fn answer(&self, id: u64, answer: Answer) -> bool {
        let inquiry = self.lock().by_id.remove(&id);
        // Whoever asked may be gone by now.
        inquiry.is_some_and(|inquiry| inquiry.answer.send(answer).is_ok())
    }

    /// Those that are open, as the page reads them.
    pub(crate) fn shown(&self) -> Vec<Value> {
        self.lock().by_id.values().map(|inquiry| inquiry.shown.clone()).collect()
    }

    /// Waits until `server` asks something.
    pub(crate) async fn opened(&self, server: &str) {
        self.until(|open| open.is_asked_by(server)).await;
    }

    /// Waits until `server` asks nothing any more.
    pub(crate) async fn closed(&self, server: &str) {
        self.until(|open| !open.is_asked_by(server)).await;
    }

    async fn until(&self, is_so: impl Fn(&Open) -> bool) {
        let mut changes = self.changes.subscribe();
        while !is_so(&self.lock()) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_inquiry_is_open_until_it_is_answered_or_dropped() {
        let inquiries = Inquiries::new(Feed::default());
        let asking = inquiries.clone();
        let first =
            tokio::spawn(async move { asking.ask("0", None, "elicitation/create", &json!({})).await });
        let params = json!({});
        let mut dropped = Box::pin(inquiries.ask("0", None, "elicitation/create", &params));
        assert!(futures_util::poll!(&mut dropped).is_pending());
        tokio::task::yield_now().await;
        assert_eq!(inquiries.shown().len(), 2);
        drop(dropped);
        let left = inquiries.shown();
        assert_eq!(left.len(), 1);
        let id = left[0]["id"].as_u64().unwrap();
        assert!(inquiries.answer(id, Answer::Result(json!({ "action": "decline" }))));
        assert!(!inquiries.answer(id, Answer::Refused));
        assert_eq!(first.await.unwrap(), Answer::Result(json!({ "action": "decline" })));
        inquiries.closed("0").await;
    }

    #[tokio::test]
    async fn more_than_a_person_can_see_are_refused() {
        let inquiries = Inquiries::new(Feed::default());
        let params = json!({});
        let mut open: Vec<_> = (0..MOST_OPEN)
            .map(|_| Box::pin(inquiries.ask("0", None, "elicitation/create", &params)))
            .collect();
        for asking in &mut open {
            assert!(futures_util::poll!(asking).is_pending());
        }
        assert_eq!(inquiries.ask("0", None, "elicitation/create", &params).await, Answer::Refused);
    }
}
