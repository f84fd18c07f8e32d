//! Every message between View, proxy, host and server in one order, with its findings. Memory is bounded: old entries
//! are dropped, and long messages are abridged for the page.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::apps::{self, BridgeDirection};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::feed::Feed;
use crate::finding::PageFinding;

/// How many messages of Views are kept for the trace.
const MAX_ENTRIES: usize = 20_000;
/// How many bytes they may take together.
const MAX_ENTRY_BYTES: usize = 32 * 1024 * 1024;
/// The page sees the first bytes of a longer text.
const MAX_TEXT_BYTES: usize = 2_000;
/// How many bytes of a message the page sees.
const MAX_SHOWN_BYTES: usize = 64 * 1024;
/// How many requests may be open; beyond that the older half is forgotten.
const MAX_OPEN_REQUESTS: usize = 4_096;
/// Responses to longer ids are not matched with their requests.
const MAX_ID_BYTES: usize = 256;

/// The sender or the receiver of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TimelineParty {
    /// The app's document.
    View,
    /// The sandbox proxy, which is the document around the View.
    Proxy,
    /// This host.
    Host,
    /// The MCP server.
    Server,
    /// The person in front of the page.
    Person,
}

impl TimelineParty {
    /// The party's end of the bridge, if it has one.
    const fn end(self) -> Option<apps::BridgeParty> {
        match self {
            Self::View => Some(apps::BridgeParty::View),
            Self::Proxy => Some(apps::BridgeParty::Proxy),
            Self::Host => Some(apps::BridgeParty::Host),
            Self::Server | Self::Person => None,
        }
    }

    /// The direction of a message on the bridge, if it passes the bridge.
    pub(crate) fn direction(self, to: Self) -> Option<BridgeDirection> {
        // A message of a View that the proxy stopped was meant for the host.
        let to = if (self, to) == (Self::View, Self::Proxy) { Self::Host } else { to };
        BridgeDirection::between(self.end()?, to.end()?)
    }
}

/// One message from or to a View. Messages to servers are in the records of their sessions.
#[derive(Clone, Debug)]
pub(crate) struct TimelineEntry {
    pub(crate) at: Duration,
    pub(crate) view: String,
    pub(crate) from: TimelineParty,
    pub(crate) to: TimelineParty,
    /// JSON text, which takes far less memory than its tree.
    pub(crate) message: Arc<str>,
}

/// The recorded messages of Views.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptMessages {
    /// The newest messages, in order.
    pub(crate) entries: VecDeque<TimelineEntry>,
    /// How many older messages of each View were dropped.
    pub(crate) dropped: HashMap<String, u64>,
    bytes: usize,
}

impl KeptMessages {
    fn push(&mut self, entry: TimelineEntry) {
        self.bytes += entry.message.len();
        self.entries.push_back(entry);
        while self.entries.len() > MAX_ENTRIES || self.bytes > MAX_ENTRY_BYTES {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.message.len();
            *self.dropped.entry(oldest.view).or_default() += 1;
        }
    }
}

/// A message for the timeline.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) view: Option<String>,
    /// The run of a tool that the message belongs to; the page named it.
    pub(crate) run: Option<String>,
    pub(crate) server: Option<String>,
    pub(crate) from: TimelineParty,
    pub(crate) to: TimelineParty,
    pub(crate) message: Value,
    /// The time since the start of the host; now if it is not given.
    pub(crate) at: Option<Duration>,
    /// The entry that caused the message.
    pub(crate) cause: Option<u64>,
    pub(crate) findings: Vec<PageFinding>,
}

impl NewEntry {
    /// A message that belongs to no View, run or server, sent now.
    pub(crate) const fn new(from: TimelineParty, to: TimelineParty, message: Value) -> Self {
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

/// The timeline.
#[derive(Debug)]
pub(crate) struct Timeline {
    start: Instant,
    feed: Feed,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    last: u64,
    /// The time of the last message.
    at: Duration,
    kept: KeptMessages,
    /// The open requests: the channel, the sender and the id.
    open: HashMap<(Channel, TimelineParty, String), u64>,
}

/// The scope in which ids are unique: the View and the server.
type Channel = (Option<String>, Option<String>);

impl Timeline {
    pub(crate) fn new(feed: Feed) -> Self {
        Self { start: Instant::now(), feed, state: Mutex::default() }
    }

    /// Appends a message and returns its number.
    pub(crate) fn add(&self, said: NewEntry) -> u64 {
        let mut state = self.lock();
        // The clocks of page and host differ by more than a message takes. So times never go back in the order of
        // arrival.
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
            "method": shorten_for_page(&said.message["method"]),
            "id": shorten_for_page(&said.message["id"]),
            "message": shorten_for_page(&said.message),
            "answers": answers,
            "cause": said.cause,
            "findings": said.findings,
        }});
        if let NewEntry { view: Some(view), server: None, from, to, message, .. } = said {
            state.kept.push(TimelineEntry { at, view, from, to, message: message.to_string().into() });
        }
        // Sent under the lock, so that the feed has the order of the numbers.
        self.feed.publish(&shown);
        n
    }

    /// The time since the start of the host.
    pub(crate) fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// The recorded messages of Views.
    pub(crate) fn kept_messages(&self) -> KeptMessages {
        self.lock().kept.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Remembers a request. For a response, returns the number of its request.
    fn correlate(&mut self, n: u64, said: &NewEntry) -> Option<u64> {
        let id = said.message.get("id")?;
        if id.as_str().is_some_and(|id| id.len() > MAX_ID_BYTES) || id.is_object() || id.is_array() {
            return None;
        }
        let (id, channel) = (id.to_string(), (said.view.clone(), said.server.clone()));
        if said.message.get("method").is_some() {
            self.open.insert((channel, said.from, id), n);
            if self.open.len() > MAX_OPEN_REQUESTS {
                let mut numbers: Vec<u64> = self.open.values().copied().collect();
                let (_, middle, _) = numbers.select_nth_unstable(MAX_OPEN_REQUESTS / 2);
                let middle = *middle;
                self.open.retain(|_, asked| *asked > middle);
            }
            return None;
        }
        self.open.remove(&(channel, said.to, id))
    }
}

/// A time in milliseconds, as the page reads it.
pub(crate) fn milliseconds(at: Duration) -> f64 {
    at.as_secs_f64() * 1000.0
}

/// Shortens long texts, and leaves out what exceeds the limit.
fn shorten_for_page(message: &Value) -> Value {
    shorten_to_room(message, &mut { MAX_SHOWN_BYTES })
}

/// Returns the part of `value` that fits into `room`, and subtracts its size from `room`.
fn shorten_to_room(value: &Value, room: &mut usize) -> Value {
    match value {
        Value::String(text) => Value::String(shorten_text(text, room)),
        Value::Array(items) => {
            let mut shown = Vec::new();
            for (at, item) in items.iter().enumerate() {
                if *room == 0 {
                    shown.push(json!(format!("… ({} more)", items.len() - at)));
                    break;
                }
                shown.push(shorten_to_room(item, room));
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
                let name = shorten_text(name, room);
                shown.insert(name, shorten_to_room(value, room));
            }
            Value::Object(shown)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            *room = room.saturating_sub(8);
            value.clone()
        }
    }
}

fn shorten_text(text: &str, room: &mut usize) -> String {
    let most = MAX_TEXT_BYTES.min(*room);
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

    fn message_entry(from: TimelineParty, to: TimelineParty, message: Value) -> NewEntry {
        NewEntry { view: Some("v".to_owned()), ..NewEntry::new(from, to, message) }
    }

    #[test]
    fn a_response_names_its_request() {
        let feed = Feed::default();
        let timeline = Timeline::new(feed.clone());
        timeline.add(message_entry(
            TimelineParty::View,
            TimelineParty::Host,
            json!({ "id": 0, "method": "ping" }),
        ));
        timeline.add(message_entry(
            TimelineParty::Host,
            TimelineParty::View,
            json!({ "id": 0, "method": "ping" }),
        ));
        timeline.add(message_entry(
            TimelineParty::Host,
            TimelineParty::View,
            json!({ "id": 0, "result": {} }),
        ));
        timeline.add(message_entry(
            TimelineParty::View,
            TimelineParty::Host,
            json!({ "id": "0", "result": {} }),
        ));
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
        let html = "ä".repeat(MAX_TEXT_BYTES);
        timeline.add(message_entry(
            TimelineParty::Host,
            TimelineParty::Proxy,
            json!({ "params": { "html": html } }),
        ));
        assert!(feed.since(0)[0].1.len() < MAX_TEXT_BYTES + 500);
        assert!(timeline.kept_messages().entries[0].message.contains(&html));
    }

    #[test]
    fn a_message_of_many_parts_is_cut_for_the_page() {
        let feed = Feed::default();
        let timeline = Timeline::new(feed.clone());
        let items: Vec<Value> = (0..100_000).map(|n| json!({ "n": n })).collect();
        timeline.add(message_entry(
            TimelineParty::View,
            TimelineParty::Host,
            json!({ "method": "m", "params": items }),
        ));
        let shown = &feed.since(0)[0].1;
        assert!(shown.len() < 4 * MAX_SHOWN_BYTES && shown.contains(" more)"), "{}", shown.len());
        let named: Value = serde_json::from_str(shown).unwrap();
        assert_eq!(named["entry"]["method"], "m");
    }

    #[test]
    fn the_oldest_messages_are_dropped_and_counted() {
        let timeline = Timeline::new(Feed::default());
        let large = "x".repeat(MAX_ENTRY_BYTES / 4);
        for _ in 0..10 {
            timeline.add(message_entry(TimelineParty::View, TimelineParty::Host, json!({ "method": large })));
        }
        timeline.add(NewEntry {
            server: Some("0".to_owned()),
            ..message_entry(TimelineParty::Host, TimelineParty::Server, json!({}))
        });
        let kept = timeline.kept_messages();
        assert_eq!((kept.entries.len(), kept.dropped["v"]), (3, 7));
    }

    #[test]
    fn requests_without_answers_are_forgotten() {
        let timeline = Timeline::new(Feed::default());
        for id in 0..3 * MAX_OPEN_REQUESTS {
            timeline.add(message_entry(
                TimelineParty::View,
                TimelineParty::Host,
                json!({ "id": id, "method": "ping" }),
            ));
        }
        assert!(timeline.lock().open.len() <= MAX_OPEN_REQUESTS);
        let newest = json!({ "id": 3 * MAX_OPEN_REQUESTS - 1, "result": {} });
        assert_eq!(
            timeline.lock().correlate(0, &message_entry(TimelineParty::Host, TimelineParty::View, newest)),
            Some(3 * MAX_OPEN_REQUESTS as u64)
        );
    }
}
