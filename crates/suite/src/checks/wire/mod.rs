//! Checks that read what was said, whoever said it.

pub(super) mod jsonrpc;
pub(super) mod message;
pub(super) mod stdio;

use ::wire::{Entry, Frame, Payload, What};

use crate::{Check, Evidence, Excerpt, Finding, WireCx};

/// Checks that bind whoever sends: ids, and beginnings of them.
const EITHER_SIDE: [&str; 6] = [
    "wire/jsonrpc/",
    "wire/stdio/",
    "wire/message/members-unique",
    "wire/message/utf8",
    "wire/message/schema",
    "wire/message/progress-increases",
];

/// Whether a check judges the messages of a client as well as those of a server.
pub(crate) fn suits_clients(check: &Check) -> bool {
    EITHER_SIDE.iter().any(|id| check.id.starts_with(id))
}

/// Every frame that the judged side sent, with the entry that carried it; what is no frame is another check's business.
fn frames<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = (&'a Entry, Frame<'a>)> {
    let sent = cx.transcript.messages().filter(|entry| entry.direction == cx.judged());
    sent.flat_map(|entry| split(entry).into_iter().map(move |frame| (entry, frame)))
}

/// Every frame that the other side sent.
fn requests<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = Frame<'a>> {
    let sent = cx.transcript.messages().filter(|entry| entry.direction == cx.answered());
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

/// Every message or noise that the judged side sent where a message belongs.
fn sent<'a>(cx: &'a WireCx<'_>) -> impl Iterator<Item = &'a Entry> {
    let kinds = |what| matches!(what, What::Message | What::Noise);
    cx.transcript.entries.iter().filter(move |e| e.direction == cx.judged() && kinds(e.what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_binds_either_side_is_there() {
        for id in EITHER_SIDE {
            assert!(crate::registry().any(|check| check.id.starts_with(id)), "{id}");
        }
    }
}
