//! HTTP bodies: what calls itself JSON is one message.

use ::wire::{Direction, Entry, Payload, What};
use protocol::{Span, Version};
use server::fault::http as fault;

use super::violated;
use crate::{Check, Finding, On, Run, Verdict, WireCx, must};

pub(in crate::checks) const CHECKS: &[Check] = &[ONE_OBJECT];

const ONE_OBJECT: Check = Check {
    id: "wire/http/one-json-object",
    title: "a JSON body is one message",
    cites: &[
        must(
            "basic/transports#sending-messages-to-the-server",
            Span::between(Version::V2025_03_26, Version::V2025_11_25),
        ),
        must("basic/transports/streamable-http#sending-messages", Span::MODERN),
    ],
    aliases: &[],
    why: "a client that was told JSON parses the whole body at once",
    fix: "send several messages as text/event-stream, and one as application/json",
    on: On::Http,
    run: Run::Wire(one_object),
    fault: &fault::JSON_LINES,
};

fn one_object(cx: &WireCx<'_>) -> Verdict {
    let mut judged = 0;
    for entry in &cx.transcript.entries {
        let body =
            entry.direction == Direction::ToClient && matches!(entry.what, What::Message | What::Noise);
        if !body || !answers_with_json(cx, entry) || !asked_for_one(cx, entry.exchange) {
            continue;
        }
        judged += 1;
        match Payload::parse(&entry.bytes) {
            Ok(Payload::Single(_)) => {}
            Ok(Payload::Batch(_)) => return Err(violated(entry, "one JSON object", "an array")),
            Err(why) => return Err(violated(entry, "one JSON object", why.to_string())),
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no answer came as JSON")) } else { Ok(()) }
}

/// Whether the response is a success that calls itself JSON.
fn answers_with_json(cx: &WireCx<'_>, entry: &Entry) -> bool {
    head(cx, entry.exchange, Direction::ToClient).is_some_and(|head| {
        let head = String::from_utf8_lossy(&head.bytes).to_ascii_lowercase();
        let json = |line: &str| {
            line.strip_prefix("content-type:").is_some_and(|kind| kind.trim().starts_with("application/json"))
        };
        head.split(' ').nth(1).is_some_and(|status| status.starts_with('2')) && head.lines().any(json)
    })
}

/// Whether what was posted is one request.
fn asked_for_one(cx: &WireCx<'_>, exchange: u32) -> bool {
    let posted =
        cx.transcript.messages().find(|e| e.exchange == exchange && e.direction == Direction::ToServer);
    posted.is_some_and(
        |entry| matches!(Payload::parse(&entry.bytes), Ok(Payload::Single(frame)) if frame.method.is_some()),
    )
}

fn head<'a>(cx: &'a WireCx<'_>, exchange: u32, direction: Direction) -> Option<&'a Entry> {
    let mut heads = cx.transcript.entries.iter().filter(|entry| entry.what == What::Head);
    heads.find(|entry| entry.exchange == exchange && entry.direction == direction)
}
