//! Every message between View, proxy, host and server, in one order, with what is wrong with it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::apps::{self, Way};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::feed::Feed;
use crate::finding::Finding;

/// How many entries are kept for the trace.
const KEPT: usize = 20_000;
/// Of longer texts in messages, the page sees the beginning.
const LONGEST: usize = 2_000;

/// Who says something, or is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Party {
    /// The app's document.
    View,
    /// The document around it.
    Proxy,
    /// This host.
    Host,
    /// The MCP server.
    Server,
    /// Who sits before it.
    Person,
}

impl Party {
    /// Which end of the bridge it is, if it is one.
    const fn end(self) -> Option<apps::Party> {
        match self {
            Self::View => Some(apps::Party::View),
            Self::Proxy => Some(apps::Party::Proxy),
            Self::Host => Some(apps::Party::Host),
            Self::Server | Self::Person => None,
        }
    }

    /// The way of a message over the bridge, if it goes over it.
    pub(crate) fn way(self, to: Self) -> Option<Way> {
        Way::between(self.end()?, to.end()?)
    }
}

/// One message.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: Duration,
    pub(crate) view: Option<String>,
    pub(crate) server: Option<String>,
    pub(crate) from: Party,
    pub(crate) to: Party,
    pub(crate) message: Value,
}

/// What is added to the timeline.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) view: Option<String>,
    /// The run of a tool that it is part of, by the name that the page gave it.
    pub(crate) run: Option<String>,
    pub(crate) server: Option<String>,
    pub(crate) from: Party,
    pub(crate) to: Party,
    pub(crate) message: Value,
    /// When, counted from the start of the host; now unless told.
    pub(crate) at: Option<Duration>,
    /// The entry that led to it.
    pub(crate) cause: Option<u64>,
    pub(crate) findings: Vec<Finding>,
}

impl Said {
    /// A message of nobody in particular, now.
    pub(crate) const fn new(from: Party, to: Party, message: Value) -> Self {
        Self {
            view: None,
            run: None,
            server: None,
            from,
            to,
            message,
            at: None,
            cause: None,
            findings: Vec::new(),
        }
    }
}

/// The messages so far.
#[derive(Debug)]
pub(crate) struct Timeline {
    start: Instant,
    feed: Feed,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    entries: Vec<Entry>,
    /// Requests that have not been answered: who asked whom, where, under which id.
    open: HashMap<(Channel, Party, String), u64>,
}

/// Where ids are unique.
type Channel = (Option<String>, Option<String>);

impl Timeline {
    pub(crate) fn new(feed: Feed) -> Self {
        Self { start: Instant::now(), feed, state: Mutex::default() }
    }

    /// Appends a message: its number.
    pub(crate) fn add(&self, said: Said) -> u64 {
        let mut state = self.lock();
        // Clocks of two programs differ by more than messages take; the order in which they arrived does not lie.
        let now = self.now();
        let before = state.entries.last().map_or(Duration::ZERO, |entry| entry.at);
        let at = said.at.unwrap_or(now).clamp(before.min(now), now);
        state.last += 1;
        let n = state.last;
        let answers = state.correlate(n, &said);
        let shown = json!({ "kind": "entry", "entry": {
            "n": n,
            "at": milliseconds(at),
            "view": said.view,
            "run": said.run,
            "server": said.server,
            "from": said.from,
            "to": said.to,
            "method": said.message["method"],
            "id": said.message["id"],
            "message": abridged(&said.message),
            "answers": answers,
            "cause": said.cause,
            "findings": said.findings,
        }});
        let Said { view, server, from, to, message, .. } = said;
        state.entries.push(Entry { at, view, server, from, to, message });
        if state.entries.len() > KEPT {
            let surplus = state.entries.len() - KEPT;
            state.entries.drain(..surplus);
        }
        // Told under the lock: the order of the feed is that of the numbers.
        self.feed.tell(&shown);
        n
    }

    /// The time since the start of the host.
    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// What was said so far.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.lock().entries.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Remembers a request; for a response, the number of its request.
    fn correlate(&mut self, n: u64, said: &Said) -> Option<u64> {
        let id = said.message.get("id")?.to_string();
        let channel = (said.view.clone(), said.server.clone());
        if said.message.get("method").is_some() {
            self.open.insert((channel, said.from, id), n);
            return None;
        }
        self.open.remove(&(channel, said.to, id))
    }
}

/// A time as the page reads it.
pub(crate) fn milliseconds(at: Duration) -> f64 {
    at.as_secs_f64() * 1000.0
}

/// The message with long texts cut.
fn abridged(message: &Value) -> Value {
    match message {
        Value::String(text) if text.len() > LONGEST => {
            let end = text.floor_char_boundary(LONGEST);
            Value::String(format!("{}… ({} bytes)", &text[..end], text.len()))
        }
        Value::Array(items) => items.iter().map(abridged).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), abridged(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(from: Party, to: Party, message: Value) -> Said {
        Said { view: Some("v".to_owned()), ..Said::new(from, to, message) }
    }

    #[test]
    fn a_response_names_its_request() {
        let feed = Feed::default();
        let timeline = Timeline::new(feed.clone());
        timeline.add(said(Party::View, Party::Host, json!({ "id": 0, "method": "ping" })));
        timeline.add(said(Party::Host, Party::View, json!({ "id": 0, "method": "ping" })));
        timeline.add(said(Party::Host, Party::View, json!({ "id": 0, "result": {} })));
        timeline.add(said(Party::View, Party::Host, json!({ "id": "0", "result": {} })));
        let answers: Vec<Value> = feed
            .since(0)
            .iter()
            .map(|(_, text)| serde_json::from_str::<Value>(text).unwrap()["entry"]["answers"].clone())
            .collect();
        assert_eq!(answers, [Value::Null, Value::Null, json!(1), Value::Null]);
    }

    #[test]
    fn long_texts_are_cut_for_the_page_alone() {
        let feed = Feed::default();
        let timeline = Timeline::new(feed.clone());
        let html = "ä".repeat(LONGEST);
        timeline.add(said(Party::Host, Party::Proxy, json!({ "params": { "html": html } })));
        assert!(feed.since(0)[0].1.len() < LONGEST + 500);
        assert_eq!(timeline.entries()[0].message["params"]["html"], html);
    }
}
