//! What servers ask the person in front of the page. A request stays open until the person answers or the server cancels
//! it. A URL that an error requires stays open until the person declines it, the server says that it is complete, or
//! the tool is called again.

mod required;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use crate::feed::Feed;

pub(crate) use required::RefusedRequest;

/// How many inquiries may be open at a time; the host refuses more.
const MAX_OPEN_INQUIRIES: usize = 20;
/// How many bytes the open inquiries may take together. Every page that opens receives them all.
const MAX_OPEN_BYTES: usize = 32 * 1024 * 1024;

/// The open inquiries. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Inquiries {
    feed: Feed,
    open: Arc<Mutex<OpenInquiry>>,
    /// Changes whenever an inquiry is opened or closed.
    changes: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct OpenInquiry {
    last: u64,
    by_id: BTreeMap<u64, Inquiry>,
}

impl OpenInquiry {
    /// Adds an inquiry with the members that `shown` has, and returns it as the page reads it; none if there is no room.
    fn add(&mut self, server: &str, mut shown: Value, kind: InquiryKind) -> Option<(u64, Value)> {
        let bytes = shown.to_string().len();
        let taken: usize = self.by_id.values().map(|inquiry| inquiry.bytes).sum();
        if self.by_id.len() >= MAX_OPEN_INQUIRIES || taken + bytes > MAX_OPEN_BYTES {
            return None;
        }
        self.last += 1;
        shown["id"] = json!(self.last);
        shown["server"] = json!(server);
        let inquiry = Inquiry { server: server.to_owned(), shown: shown.clone(), bytes, kind };
        self.by_id.insert(self.last, inquiry);
        Some((self.last, shown))
    }

    /// Whether `server` waits for an answer to a request. Nobody waits for a URL that an error requires.
    fn is_asked_by(&self, server: &str) -> bool {
        self.by_id.values().any(|inquiry| inquiry.server == server && !inquiry.is_required_url())
    }
}

#[derive(Debug)]
struct Inquiry {
    server: String,
    /// The inquiry as the page reads it.
    shown: Value,
    /// The size of `shown`.
    bytes: usize,
    kind: InquiryKind,
}

#[derive(Debug)]
enum InquiryKind {
    /// A request of the server, and where its answer goes.
    Request(oneshot::Sender<InquiryAnswer>),
    /// A URL that the error of a request requires. The server gets no answer.
    RequiredUrl(required::RequiredUrl),
}

/// The person's answer to an inquiry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum InquiryAnswer {
    /// A result in the form that the method defines.
    Result(Value),
    /// The person refused.
    Refused,
    /// Too many inquiries are open; the person has not seen this one.
    NoRoom,
}

/// What became of the person's answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnswerOutcome {
    /// It goes to the server that asked.
    PassedOn,
    /// It concerns a URL that an error requires; this is the inquiry as the page reads it.
    Noted(Value),
    /// The inquiry is not open any more.
    TooLate,
}

/// Keeps an inquiry open; dropping it closes the inquiry.
#[derive(Debug)]
struct InquiryGuard<'a> {
    inquiries: &'a Inquiries,
    id: u64,
}

impl Drop for InquiryGuard<'_> {
    fn drop(&mut self) {
        self.inquiries.lock().by_id.remove(&self.id);
        self.inquiries.changes.send_replace(());
        self.inquiries.feed.publish(&json!({ "kind": "inquiry-closed", "id": self.id }));
    }
}

impl Inquiries {
    pub(crate) fn new(feed: Feed) -> Self {
        Self { feed, open: Arc::default(), changes: watch::Sender::new(()) }
    }

    /// Asks the person and waits for the answer without a time limit. Dropping the future closes the inquiry.
    pub(crate) async fn ask(
        &self,
        server: &str,
        run: Option<&str>,
        method: &str,
        params: &Value,
    ) -> InquiryAnswer {
        let (answer, answered) = oneshot::channel();
        let Some((ticket, shown)) = self.open(server, run, method, params, answer) else {
            return InquiryAnswer::NoRoom;
        };
        self.feed.publish(&json!({ "kind": "inquiry", "inquiry": shown }));
        let answer = answered.await;
        drop(ticket);
        answer.unwrap_or(InquiryAnswer::Refused)
    }

    fn open(
        &self,
        server: &str,
        run: Option<&str>,
        method: &str,
        params: &Value,
        answer: oneshot::Sender<InquiryAnswer>,
    ) -> Option<(InquiryGuard<'_>, Value)> {
        let shown = json!({ "run": run, "method": method, "params": params });
        let (id, shown) = self.lock().add(server, shown, InquiryKind::Request(answer))?;
        self.changes.send_replace(());
        Some((InquiryGuard { inquiries: self, id }, shown))
    }

    /// Whether no more inquiries are opened now.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().by_id.len() >= MAX_OPEN_INQUIRIES
    }

    /// Takes the person's answer.
    pub(crate) fn answer(&self, id: u64, answer: InquiryAnswer) -> AnswerOutcome {
        let mut open = self.lock();
        if open.by_id.get(&id).is_some_and(Inquiry::is_required_url) {
            drop(open);
            return self.answer_required(id, &answer);
        }
        let inquiry = open.by_id.remove(&id);
        drop(open);
        match inquiry.map(|inquiry| inquiry.kind) {
            Some(InquiryKind::Request(waiting)) => match waiting.send(answer) {
                Ok(()) => AnswerOutcome::PassedOn,
                // The task that asked has ended.
                Err(_) => AnswerOutcome::TooLate,
            },
            Some(InquiryKind::RequiredUrl(_)) | None => AnswerOutcome::TooLate,
        }
    }

    /// The open inquiries as the page reads them.
    pub(crate) fn to_values(&self) -> Vec<Value> {
        self.lock().by_id.values().map(|inquiry| inquiry.shown.clone()).collect()
    }

    /// Waits until `server` has an open inquiry.
    pub(crate) async fn wait_for_open(&self, server: &str) {
        self.wait_until(|open| open.is_asked_by(server)).await;
    }

    /// Waits until `server` has no open inquiry.
    pub(crate) async fn wait_for_none(&self, server: &str) {
        self.wait_until(|open| !open.is_asked_by(server)).await;
    }

    async fn wait_until(&self, is_so: impl Fn(&OpenInquiry) -> bool) {
        let mut changes = self.changes.subscribe();
        while !is_so(&self.lock()) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, OpenInquiry> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn an_inquiry_is_open_until_it_is_answered_or_dropped() {
        let inquiries = Inquiries::new(Feed::default());
        let asking = inquiries.clone();
        let first =
            tokio::spawn(async move { asking.ask("0", None, "elicitation/create", &json!({})).await });
        let params = json!({});
        let mut dropped = Box::pin(inquiries.ask("0", None, "elicitation/create", &params));
        assert!((&mut dropped).now_or_never().is_none());
        tokio::task::yield_now().await;
        assert_eq!(inquiries.to_values().len(), 2);
        drop(dropped);
        let left = inquiries.to_values();
        assert_eq!(left.len(), 1);
        let id = left[0]["id"].as_u64().unwrap();
        let declined = InquiryAnswer::Result(json!({ "action": "decline" }));
        assert_eq!(inquiries.answer(id, declined), AnswerOutcome::PassedOn);
        assert_eq!(inquiries.answer(id, InquiryAnswer::Refused), AnswerOutcome::TooLate);
        assert_eq!(first.await.unwrap(), InquiryAnswer::Result(json!({ "action": "decline" })));
        inquiries.wait_for_none("0").await;
    }

    #[tokio::test]
    async fn more_than_a_person_can_see_are_refused() {
        let inquiries = Inquiries::new(Feed::default());
        let params = json!({});
        let mut open: Vec<_> = (0..MAX_OPEN_INQUIRIES)
            .map(|_| Box::pin(inquiries.ask("0", None, "elicitation/create", &params)))
            .collect();
        for asking in &mut open {
            assert!(asking.now_or_never().is_none());
        }
        assert_eq!(inquiries.ask("0", None, "elicitation/create", &params).await, InquiryAnswer::NoRoom);
        assert!(inquiries.is_full());
        open.pop();
        assert!(!inquiries.is_full());
    }

    #[tokio::test]
    async fn the_open_inquiries_are_bounded_in_bytes() {
        let inquiries = Inquiries::new(Feed::default());
        let large = json!({ "message": "x".repeat(MAX_OPEN_BYTES / 3) });
        let mut open: Vec<_> =
            (0..2).map(|_| Box::pin(inquiries.ask("0", None, "elicitation/create", &large))).collect();
        for asking in &mut open {
            assert!(asking.now_or_never().is_none());
        }
        assert_eq!(inquiries.ask("0", None, "elicitation/create", &large).await, InquiryAnswer::NoRoom);
        open.clear();
        let again = Box::pin(inquiries.ask("0", None, "elicitation/create", &large)).now_or_never();
        assert_eq!(again, None, "what was closed leaves room");
    }
}
