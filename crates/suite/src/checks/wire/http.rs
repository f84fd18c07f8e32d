//! HTTP bodies: a JSON body is one message, and so is the data of every event.

use ::wire::{Direction, Entry, Kind, Payload, What};
use protocol::{Span, Version};
use server::fault::{framing, http as fault};
use transport::Transport;

use super::{frames, violated};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, advised, must};

pub(in crate::checks) const CHECKS: &[Check] = &[ONE_OBJECT, EVENT_MESSAGES, RESULT_STATUS];

/// A server answers a request with an event stream, or with `application/json` and one JSON object. Bodies that come for
/// notifications have a check of their own.
pub(crate) const ONE_OBJECT: Check = Check {
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
    why: "a client parses the whole body of application/json at once",
    fix: "send several messages as text/event-stream, and one as application/json",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Wire(Sides::Server, one_object),
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

/// All messages must follow JSON-RPC 2.0; the events of a stream carry messages.
const EVENT_MESSAGES: Check = Check {
    id: "wire/http/event-is-message",
    title: "the data of every event is a message",
    cites: &[must("basic/index#messages", Span::since(Version::V2025_03_26))],
    aliases: &[],
    why: "clients parse the data of every event, and give up the stream when that fails",
    fix: "send only JSON-RPC in data; use comments for anything meant for people or proxies",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Wire(Sides::Server, event_messages),
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

/// The page keeps 202 for notifications and responses, which get no body, and error statuses for what is not accepted. That
/// a result has neither is implied: no sentence gives its status.
const RESULT_STATUS: Check = Check {
    id: "wire/http/result-status",
    title: "a result comes with an HTTP status of success",
    cites: &[
        advised(
            "basic/transports#sending-messages-to-the-server",
            Span::between(Version::V2025_03_26, Version::V2025_11_25),
        ),
        advised("basic/transports/streamable-http#sending-messages", Span::MODERN),
    ],
    aliases: &[],
    why: "clients look at the status first: they drop the body of an error, and do not read that of 202",
    fix: "answer 200 to a request that has a result, whatever the result says",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Wire(Sides::Server, result_status),
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
        |entry| matches!(Payload::parse(&entry.bytes), Ok(Payload::Single(frame)) if frame.kind() == Kind::Request),
    )
}

fn head<'a>(cx: &'a WireCx<'_>, exchange: u32, direction: Direction) -> Option<&'a Entry> {
    let mut heads = cx.transcript.entries.iter().filter(|entry| entry.what == What::Head);
    heads.find(|entry| entry.exchange == exchange && entry.direction == direction)
}
