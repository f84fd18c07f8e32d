//! HTTP bodies: what calls itself JSON is one message, and so is every event.

use ::wire::{Direction, Entry, Kind, Payload, What};
use protocol::{Span, Version};
use server::fault::{framing, http as fault};

use super::{frames, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, defined, must};

pub(in crate::checks) const CHECKS: &[Check] = &[ONE_OBJECT, EVENT_MESSAGES, RESULT_STATUS];

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
        if !body || !answers_with(cx, entry, "application/json") || !asked_for_one(cx, entry.exchange) {
            continue;
        }
        judged += 1;
        match Payload::parse(&entry.bytes) {
            Ok(Payload::Single(_)) => {}
            Ok(Payload::Batch(_)) => return Err(violated(entry, "one JSON object", "an array")),
            Err(_) if ::wire::sse::is_stream(&entry.bytes) => {
                return Err(violated(entry, "one JSON object", "an event stream, called application/json"));
            }
            Err(why) => return Err(violated(entry, "one JSON object", why.to_string())),
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no answer came as JSON")) } else { Ok(()) }
}

const EVENT_MESSAGES: Check = Check {
    id: "wire/http/event-is-message",
    title: "what an event of a stream carries is a message",
    cites: &[must("basic/index#messages", Span::since(Version::V2025_03_26))],
    aliases: &[],
    why: "clients parse the data of every event, and give up the stream when that fails",
    fix: "send JSON-RPC in data, and what is meant for people or proxies as a comment",
    on: On::Http,
    run: Run::Wire(event_messages),
    fault: &framing::EVENT_NOISE,
};

fn event_messages(cx: &WireCx<'_>) -> Verdict {
    let mut judged = 0;
    for entry in cx.transcript.messages().filter(|entry| entry.direction == Direction::ToClient) {
        if !answers_with(cx, entry, "text/event-stream") {
            continue;
        }
        judged += 1;
        if let Err(why) = Payload::parse(&entry.bytes) {
            return Err(violated(entry, "a JSON-RPC message", why.to_string()));
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no answer came as a stream")) } else { Ok(()) }
}

const RESULT_STATUS: Check = Check {
    id: "wire/http/result-status",
    title: "a result comes with the HTTP status of a success",
    cites: &[
        defined(
            "basic/transports#sending-messages-to-the-server",
            Span::between(Version::V2025_03_26, Version::V2025_11_25),
        ),
        defined("basic/transports/streamable-http#message-flow", Span::MODERN),
    ],
    aliases: &[],
    why: "clients look at the status first: they drop the body of an error, and do not read that of 202",
    fix: "answer 200 to a request that has a result, whatever the result says",
    on: On::Http,
    run: Run::Wire(result_status),
    fault: &fault::RESULT_500,
};

fn result_status(cx: &WireCx<'_>) -> Verdict {
    let mut judged = 0;
    for (entry, _) in frames(cx).filter(|(_, frame)| frame.kind() == Kind::Result) {
        let Some(head) = head(cx, entry.exchange, Direction::ToClient) else { continue };
        let head = String::from_utf8_lossy(&head.bytes);
        let status = head.split(' ').nth(1).unwrap_or_default();
        judged += 1;
        if !status.starts_with('2') || status == "202" {
            return Err(violated(entry, "HTTP 200", format!("a result with HTTP {status}")));
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no request had a result")) } else { Ok(()) }
}

/// Whether the response is a success of this media type.
fn answers_with(cx: &WireCx<'_>, entry: &Entry, media: &str) -> bool {
    head(cx, entry.exchange, Direction::ToClient).is_some_and(|head| {
        let head = String::from_utf8_lossy(&head.bytes).to_ascii_lowercase();
        let same = |line: &str| {
            line.strip_prefix("content-type:").is_some_and(|kind| kind.trim().starts_with(media))
        };
        head.split(' ').nth(1).is_some_and(|status| status.starts_with('2')) && head.lines().any(same)
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
