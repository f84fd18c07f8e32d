//! Everything that happens, in order, for whoever listens: the page follows it as a stream of events.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::watch;
use transport::secrets::Secrets;

/// How many events are kept for those who come late.
const KEPT: usize = 20_000;
/// How many bytes they may have together.
const KEPT_BYTES: usize = 32 * 1024 * 1024;

/// What happened, in order; clones are the same feed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feed {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// What the page must not show.
    secrets: Secrets,
    events: Mutex<Events>,
    newest: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Events {
    /// The number of the oldest one that is kept, from 1.
    first: u64,
    kept: VecDeque<Arc<str>>,
    bytes: usize,
}

impl Events {
    fn push(&mut self, event: String) {
        self.first = self.first.max(1);
        self.bytes += event.len();
        self.kept.push_back(event.into());
        while self.kept.len() > KEPT || self.bytes > KEPT_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.len();
            self.first += 1;
        }
    }
}

impl Feed {
    /// A feed in which `secrets` do not appear.
    pub(crate) fn without(secrets: Secrets) -> Self {
        Self { inner: Arc::new(Inner { secrets, ..Inner::default() }) }
    }

    /// `value` as the page may have it: every text in it without secrets.
    pub(crate) fn hidden(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.hide(text)),
            Value::Array(items) => items.iter().map(|item| self.hidden(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(name, value)| (self.hide(name), self.hidden(value))).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    /// A message as the page may have it.
    pub(crate) fn hidden_json(&self, message: &str) -> String {
        if self.inner.secrets.is_empty() {
            return message.to_owned();
        }
        serde_json::from_str(message)
            .map_or_else(|_| self.hide(message), |value| self.hidden(&value).to_string())
    }

    fn hide(&self, text: &str) -> String {
        self.inner.secrets.hide(text).into_owned()
    }

    /// Tells everybody.
    pub(crate) fn tell(&self, event: &Value) {
        let event =
            if self.inner.secrets.is_empty() { event.to_string() } else { self.hidden(event).to_string() };
        let newest = {
            let mut events = self.lock();
            events.push(event);
            events.first + events.kept.len() as u64 - 1
        };
        self.inner.newest.send_replace(newest);
    }

    /// Those after number `after`, with their numbers. What is no longer kept of them is told first.
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

    /// The number of the newest one.
    pub(crate) fn newest(&self) -> u64 {
        *self.inner.newest.borrow()
    }

    /// Says when there is something new.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.inner.newest.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Events> {
        self.inner.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_reach_the_page() {
        let feed = Feed::without(Secrets::new(["s3cret-value".to_owned()]));
        feed.tell(&json!({ "a": ["x s3cret-value y", { "s3cret-value": 1 }] }));
        assert_eq!(&*feed.since(0)[0].1, r#"{"a":["x *** y",{"***":1}]}"#);
    }

    #[test]
    fn who_comes_late_reads_what_was_kept() {
        let feed = Feed::default();
        assert!(feed.since(0).is_empty());
        for n in 0..3 {
            feed.tell(&json!(n));
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
        for n in 0..=KEPT {
            feed.tell(&json!(n));
        }
        let kept = feed.since(0);
        assert_eq!((kept.len(), kept[1].0), (KEPT + 1, 2));
        assert_eq!((kept[0].0, &*kept[0].1), (1, r#"{"kind":"dropped","count":1}"#));
        assert_eq!(feed.since(1).len(), KEPT);
    }

    #[test]
    fn large_events_push_out_more() {
        let feed = Feed::default();
        let large = json!("x".repeat(KEPT_BYTES / 4));
        for _ in 0..10 {
            feed.tell(&large);
        }
        let kept = feed.since(0);
        assert_eq!((kept.len(), kept[0].0, feed.newest()), (4, 7, 10));
        assert!(kept[0].1.contains("\"count\":7"), "{}", kept[0].1);
    }
}
