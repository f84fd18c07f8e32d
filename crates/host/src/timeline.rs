//! Every message between View, proxy, host and server, in one order, with what is wrong with it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::apps::{self, Way};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::feed::Feed;
use crate::finding::Finding;

/// How many messages of views are kept for the trace.
const KEPT: usize = 20_000;
/// How many bytes they may have together.
const KEPT_BYTES: usize = 32 * 1024 * 1024;
/// Of longer texts in messages, the page sees the beginning.
const LONGEST: usize = 2_000;
/// Of longer messages too.
const SHOWN: usize = 64 * 1024;
/// How many requests may wait for their answers; of more, the oldest half is forgotten.
const OPEN: usize = 4_096;
/// A longer id is nobody's, and no answer is looked for.
const LONGEST_ID: usize = 256;

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

/// One message from or to a view. What is said to a server is in the record of its session.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: Duration,
    pub(crate) view: String,
    pub(crate) from: Party,
    pub(crate) to: Party,
    /// As JSON, which takes a fraction of the room that its tree would.
    pub(crate) message: Arc<str>,
}

/// The messages of views that are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// The newest, in order.
    pub(crate) entries: VecDeque<Entry>,
    /// How many of each view came before them.
    pub(crate) dropped: HashMap<String, u64>,
    bytes: usize,
}

impl Kept {
    fn push(&mut self, entry: Entry) {
        self.bytes += entry.message.len();
        self.entries.push_back(entry);
        while self.entries.len() > KEPT || self.bytes > KEPT_BYTES {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.message.len();
            *self.dropped.entry(oldest.view).or_default() += 1;
        }
    }
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
    /// When the last message came.
    at: Duration,
    kept: Kept,
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
        let at = said.at.unwrap_or(now).clamp(state.at.min(now), now);
        state.at = at;
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
            "method": abridged(&said.message["method"]),
            "id": abridged(&said.message["id"]),
            "message": abridged(&said.message),
            "answers": answers,
            "cause": said.cause,
            "findings": said.findings,
        }});
        if let Said { view: Some(view), server: None, from, to, message, .. } = said {
            state.kept.push(Entry { at, view, from, to, message: message.to_string().into() });
        }
        // Told under the lock: the order of the feed is that of the numbers.
        self.feed.tell(&shown);
        n
    }

    /// The time since the start of the host.
    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// What views said and were told so far.
    pub(crate) fn kept(&self) -> Kept {
        self.lock().kept.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Remembers a request; for a response, the number of its request.
    fn correlate(&mut self, n: u64, said: &Said) -> Option<u64> {
        let id = said.message.get("id")?;
        if id.as_str().is_some_and(|id| id.len() > LONGEST_ID) || id.is_object() || id.is_array() {
            return None;
        }
        let (id, channel) = (id.to_string(), (said.view.clone(), said.server.clone()));
        if said.message.get("method").is_some() {
            self.open.insert((channel, said.from, id), n);
            if self.open.len() > OPEN {
                let mut numbers: Vec<u64> = self.open.values().copied().collect();
                let (_, middle, _) = numbers.select_nth_unstable(OPEN / 2);
                let middle = *middle;
                self.open.retain(|_, asked| *asked > middle);
            }
            return None;
        }
        self.open.remove(&(channel, said.to, id))
    }
}

/// A time as the page reads it.
pub(crate) fn milliseconds(at: Duration) -> f64 {
    at.as_secs_f64() * 1000.0
}

/// The message with long texts cut, and what is too much left out.
fn abridged(message: &Value) -> Value {
    abridge(message, &mut { SHOWN })
}

/// What fits into the room that is left, which it takes up.
fn abridge(value: &Value, room: &mut usize) -> Value {
    match value {
        Value::String(text) => Value::String(beginning(text, room)),
        Value::Array(items) => {
            let mut shown = Vec::new();
            for (at, item) in items.iter().enumerate() {
                if *room == 0 {
                    shown.push(json!(format!("… ({} more)", items.len() - at)));
                    break;
                }
                shown.push(abridge(item, room));
            }
            Value::Array(shown)
        }
        Value::Object(members) => {
            let mut shown = Map::new();
            for (at, (name, value)) in members.iter().enumerate() {
                if *room == 0 {
                    shown.insert("…".to_owned(), json!(format!("{} more", members.len() - at)));
                    break;
                }
                let name = beginning(name, room);
                shown.insert(name, abridge(value, room));
            }
            Value::Object(shown)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            *room = room.saturating_sub(8);
            value.clone()
        }
    }
}

fn beginning(text: &str, room: &mut usize) -> String {
    let most = LONGEST.min(*room);
    *room = room.saturating_sub(text.len().min(most) + 4);
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    format!("{}… ({} bytes)", &text[..end], text.len())
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
        assert!(timeline.kept().entries[0].message.contains(&html));
    }

    #[test]
    fn a_message_of_many_parts_is_cut_for_the_page() {
        let feed = Feed::default();
        let timeline = Timeline::new(feed.clone());
        let items: Vec<Value> = (0..100_000).map(|n| json!({ "n": n })).collect();
        timeline.add(said(Party::View, Party::Host, json!({ "method": "m", "params": items })));
        let shown = &feed.since(0)[0].1;
        assert!(shown.len() < 4 * SHOWN && shown.contains(" more)"), "{}", shown.len());
        let named: Value = serde_json::from_str(shown).unwrap();
        assert_eq!(named["entry"]["method"], "m");
    }

    #[test]
    fn the_oldest_messages_are_dropped_and_counted() {
        let timeline = Timeline::new(Feed::default());
        let large = "x".repeat(KEPT_BYTES / 4);
        for _ in 0..10 {
            timeline.add(said(Party::View, Party::Host, json!({ "method": large })));
        }
        timeline.add(Said { server: Some("0".to_owned()), ..said(Party::Host, Party::Server, json!({})) });
        let kept = timeline.kept();
        assert_eq!((kept.entries.len(), kept.dropped["v"]), (3, 7));
    }

    #[test]
    fn requests_without_answers_are_forgotten() {
        let timeline = Timeline::new(Feed::default());
        for id in 0..3 * OPEN {
            timeline.add(said(Party::View, Party::Host, json!({ "id": id, "method": "ping" })));
        }
        assert!(timeline.lock().open.len() <= OPEN);
        let newest = json!({ "id": 3 * OPEN - 1, "result": {} });
        assert_eq!(
            timeline.lock().correlate(0, &said(Party::Host, Party::View, newest)),
            Some(3 * OPEN as u64)
        );
    }
}
