//! Checks that only read a transcript: they send nothing, and work for live and for recorded sessions.

mod asks;
pub(super) mod caching;
pub(super) mod cancellation;
pub(super) mod client;
pub(super) mod elicitation;
pub(super) mod exchange;
pub(super) mod http;
mod http_exchange;
pub(super) mod http_replies;
pub(super) mod jsonrpc;
pub(super) mod lifecycle;
pub(super) mod logging;
pub(super) mod message;
mod message_parts;
pub(super) mod meta;
pub(super) mod mrtr;
pub(super) mod progress;
pub(super) mod resource_updates;
pub(super) mod response_ids;
pub(super) mod sampling;
pub(super) mod stdio;
mod subscription_events;
pub(super) mod subscriptions;
pub(super) mod tasks;
pub(super) mod ui;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ::wire::{Entry, Frame, Id, What};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{Evidence, Excerpt, Finding, WireCx};

/// Every frame of either side, in the order in which they were seen.
fn frames_of_both_sides<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = (&'a Entry, Frame<'a>)> {
    cx.all_frames().map(|(entry, frame)| (entry, frame.clone()))
}

/// Raw JSON as a value; null when there is none.
fn value(raw: Option<&RawValue>) -> Value {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// The ids that the judged side has answered.
fn answered_ids(cx: &WireCx<'_>) -> HashSet<Id> {
    cx.frames().filter(|(_, frame)| frame.method.is_none()).filter_map(|(_, frame)| frame.id()).collect()
}

/// The request that a frame cancels.
fn cancelled(frame: &Frame<'_>) -> Option<Id> {
    frame.method().filter(|name| name == "notifications/cancelled")?;
    Some(Id::from(&value(frame.params)["requestId"]))
}

/// The requests of the other side by their ids; if several have one id, the first.
struct Asked<'a>(HashMap<Id, Frame<'a>>);

impl<'a> Asked<'a> {
    fn on(cx: &'a WireCx<'_>) -> Self {
        let mut asked = HashMap::new();
        for request in requests(cx).filter(|request| request.method.is_some()) {
            if let Some(id) = request.id() {
                asked.entry(id).or_insert(request);
            }
        }
        Self(asked)
    }

    /// The request that a response answers.
    fn by(&self, response: &Frame<'_>) -> Option<&Frame<'a>> {
        self.0.get(&response.id()?)
    }

    /// The method of the request that a response answers.
    fn method(&self, response: &Frame<'_>) -> Option<Cow<'a, str>> {
        self.by(response)?.method()
    }
}

/// Whether raw JSON contains `words` anywhere, which is cheaper than parsing it.
fn mentions(raw: Option<&RawValue>, words: &str) -> bool {
    raw.is_some_and(|raw| raw.get().contains(words))
}

/// Every frame that the judged side sent, with its entry. Whatever is not a frame is left to other checks.
fn frames<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = (&'a Entry, Frame<'a>)> {
    cx.frames().map(|(entry, frame)| (entry, frame.clone()))
}

/// Every frame that the other side sent.
fn requests<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = Frame<'a>> {
    cx.requests().cloned()
}

/// A violation that one entry shows.
fn violated(entry: &Entry, expected: impl Into<String>, actual: impl Into<String>) -> Finding {
    Finding::Violated(Box::new(Evidence::new(expected, actual).showing(Excerpt::entry(entry))))
}

/// Every message or noise that the judged side sent where a message belongs.
fn sent<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = &'a Entry> {
    let kinds = |what| matches!(what, What::Message | What::Noise);
    cx.transcript.entries.iter().filter(move |e| e.direction == cx.judged_direction() && kinds(e.what))
}

/// A session on a pipe with these messages.
#[cfg(test)]
fn transcript_of(said: &[(::wire::Direction, Value)]) -> ::wire::Transcript {
    let recorder = ::wire::Recorder::new();
    for (direction, message) in said {
        recorder.record(*direction, What::Message, 0, message.to_string().into());
    }
    recorder.transcript()
}
