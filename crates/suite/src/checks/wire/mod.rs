//! Checks that read what was said, whoever said it.

pub(super) mod cancellation;
pub(super) mod exchange;
pub(super) mod jsonrpc;
pub(super) mod lifecycle;
pub(super) mod message;
pub(super) mod meta;
pub(super) mod mrtr;
pub(super) mod progress;
pub(super) mod stdio;
pub(super) mod subscriptions;
pub(super) mod tasks;

use ::wire::{Direction, Entry, Frame, Payload, What};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::{Evidence, Excerpt, Finding, WireCx};

/// Every frame of either side, in the order in which they were seen.
fn said<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = (&'a Entry, Frame<'a>)> {
    cx.transcript.messages().flat_map(|entry| split(entry).into_iter().map(move |frame| (entry, frame)))
}

/// A span as a value; null when there is none.
fn value(raw: Option<&RawValue>) -> Value {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// The request of ours that a response answers.
fn asked<'a>(cx: &'a WireCx<'_>, response: &Frame<'_>) -> Option<Frame<'a>> {
    let id = response.id()?;
    requests(cx).find(|request| request.method.is_some() && request.id().as_ref() == Some(&id))
}

/// Every frame that the server sent, with the entry that carried it; what is no frame is another check's business.
fn frames<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = (&'a Entry, Frame<'a>)> {
    let sent = cx.transcript.messages().filter(|entry| entry.direction == Direction::ToClient);
    sent.flat_map(|entry| split(entry).into_iter().map(move |frame| (entry, frame)))
}

/// Every frame that we sent.
fn requests<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = Frame<'a>> {
    let sent = cx.transcript.messages().filter(|entry| entry.direction == Direction::ToServer);
    sent.flat_map(split)
}

fn split(entry: &Entry) -> Vec<Frame<'_>> {
    match Payload::parse(&entry.bytes) {
        Ok(Payload::Single(frame)) => vec![frame],
        Ok(Payload::Batch(items)) => items.into_iter().flatten().collect(),
        Err(_) => Vec::new(),
    }
}

/// A violation that one entry shows.
fn violated(entry: &Entry, expected: impl Into<String>, actual: impl Into<String>) -> Finding {
    Finding::Violated(Box::new(Evidence::new(expected, actual).showing(Excerpt::entry(entry))))
}

/// Every message or noise that the server sent where a message belongs.
fn sent<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = &'a Entry> {
    let kinds = |what| matches!(what, What::Message | What::Noise);
    cx.transcript.entries.iter().filter(move |e| e.direction == Direction::ToClient && kinds(e.what))
}
