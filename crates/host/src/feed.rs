//! Everything that happens, in order, for whoever listens: the page follows it as a stream of events.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;
use transport::secrets::Secrets;

/// How many events are kept for those who come late.
const KEPT: usize = 20_000;

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

    fn hide(&self, text: &str) -> String {
        self.inner.secrets.hide(text).into_owned()
    }

    /// Tells everybody.
    pub(crate) fn tell(&self, event: &Value) {
        let event =
            if self.inner.secrets.is_empty() { event.to_string() } else { self.hidden(event).to_string() };
        let newest = {
            let mut events = self.lock();
            events.first = events.first.max(1);
            events.kept.push_back(event.into());
            if events.kept.len() > KEPT {
                events.kept.pop_front();
                events.first += 1;
            }
            events.first + events.kept.len() as u64 - 1
        };
        self.inner.newest.send_replace(newest);
    }

    /// Those after number `after`, with their numbers.
    pub(crate) fn since(&self, after: u64) -> Vec<(u64, Arc<str>)> {
        let events = self.lock();
        let skip = (after + 1).saturating_sub(events.first.max(1));
        let from = usize::try_from(skip).unwrap_or(usize::MAX);
        let numbered = events.kept.iter().enumerate().skip(from);
        numbered.map(|(at, event)| (events.first + at as u64, event.clone())).collect()
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
    use serde_json::json;

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
        assert_eq!((kept.len(), kept[0].0), (KEPT, 2));
    }
}
