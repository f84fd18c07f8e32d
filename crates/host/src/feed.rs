//! The numbered events that the page follows as a stream. Every text passes the secrets filter before it is stored.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::watch;
use transport::secrets::Secrets;

/// How many events are kept for pages that connect later.
const MAX_EVENTS: usize = 20_000;
/// How many bytes the kept events may take together.
const MAX_EVENT_BYTES: usize = 32 * 1024 * 1024;

/// All events in order. Clones share one feed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feed {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Values that the page must not show.
    secrets: Secrets,
    events: Mutex<FeedEvents>,
    newest: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct FeedEvents {
    /// The number of the oldest event that is kept; numbers start at 1.
    first: u64,
    kept: VecDeque<Arc<str>>,
    bytes: usize,
}

impl FeedEvents {
    fn push(&mut self, event: String) {
        self.first = self.first.max(1);
        self.bytes += event.len();
        self.kept.push_back(event.into());
        while self.kept.len() > MAX_EVENTS || self.bytes > MAX_EVENT_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.len();
            self.first += 1;
        }
    }
}

impl Feed {
    /// Creates a feed that masks `secrets`.
    pub(crate) fn masking(secrets: Secrets) -> Self {
        Self { inner: Arc::new(Inner { secrets, ..Inner::default() }) }
    }

    /// `value` with the secrets masked in every text.
    pub(crate) fn masked(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.mask(text)),
            Value::Array(items) => items.iter().map(|item| self.masked(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| (self.mask(name), self.masked(value))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// A JSON message with the secrets masked.
    pub(crate) fn masked_json(&self, message: &str) -> String {
        if self.inner.secrets.is_empty() {
            return message.to_owned();
        }
        serde_json::from_str(message)
            .map_or_else(|_| self.mask(message), |value| self.masked(&value).to_string())
    }

    fn mask(&self, text: &str) -> String {
        self.inner.secrets.hide(text).into_owned()
    }

    /// Appends an event and wakes all listeners.
    pub(crate) fn publish(&self, event: &Value) {
        let event =
            if self.inner.secrets.is_empty() { event.to_string() } else { self.masked(event).to_string() };
        let newest = {
            let mut events = self.lock();
            events.push(event);
            events.first + events.kept.len() as u64 - 1
        };
        self.inner.newest.send_replace(newest);
    }

    /// The events after number `after`, with their numbers. If older ones are no longer kept, the first item says how
    /// many are missing.
    pub(crate) fn since(&self, after: u64) -> Vec<(u64, Arc<str>)> {
        let events = self.lock();
        let (first, next) = (events.first.max(1), after.saturating_add(1));
        let gone = first.saturating_sub(next);
        let told =
            (gone > 0).then(|| (first - 1, json!({ "kind": "dropped", "count": gone }).to_string().into()));
        let from = usize::try_from(next.saturating_sub(first)).unwrap_or(usize::MAX);
        let numbered = events.kept.iter().enumerate().skip(from);
        told.into_iter().chain(numbered.map(|(at, event)| (first + at as u64, event.clone()))).collect()
    }

    /// The number of the newest event.
    pub(crate) fn newest(&self) -> u64 {
        *self.inner.newest.borrow()
    }

    /// A receiver that changes whenever an event is added.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.inner.newest.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, FeedEvents> {
        self.inner.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_reach_the_page() {
        let feed = Feed::masking(Secrets::new(["s3cret-value".to_owned()]));
        feed.publish(&json!({ "a": ["x s3cret-value y", { "s3cret-value": 1 }] }));
        assert_eq!(&*feed.since(0)[0].1, r#"{"a":["x *** y",{"***":1}]}"#);
    }

    #[test]
    fn who_comes_late_reads_what_was_kept() {
        let feed = Feed::default();
        assert!(feed.since(0).is_empty());
        for n in 0..3 {
            feed.publish(&json!(n));
        }
        let all: Vec<_> = feed.since(0).into_iter().map(|(n, text)| (n, text.to_string())).collect();
        assert_eq!(all, [(1, "0".into()), (2, "1".into()), (3, "2".into())]);
        assert_eq!(feed.since(2).len(), 1);
        assert!(feed.since(3).is_empty() && feed.since(99).is_empty());
        assert_eq!(feed.newest(), 3);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let feed = Feed::default();
        for n in 0..=MAX_EVENTS {
            feed.publish(&json!(n));
        }
        let kept = feed.since(0);
        assert_eq!((kept.len(), kept[1].0), (MAX_EVENTS + 1, 2));
        assert_eq!((kept[0].0, &*kept[0].1), (1, r#"{"kind":"dropped","count":1}"#));
        assert_eq!(feed.since(1).len(), MAX_EVENTS);
    }

    #[test]
    fn large_events_push_out_more() {
        let feed = Feed::default();
        let large = json!("x".repeat(MAX_EVENT_BYTES / 4));
        for _ in 0..10 {
            feed.publish(&large);
        }
        let kept = feed.since(0);
        assert_eq!((kept.len(), kept[0].0, feed.newest()), (4, 7, 10));
        assert!(kept[0].1.contains("\"count\":7"), "{}", kept[0].1);
    }
}
