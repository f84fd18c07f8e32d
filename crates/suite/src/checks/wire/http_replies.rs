//! Every HTTP response of a session: media types, the status for notifications and responses, and streams that end early.

use ::wire::{Frame, Id, Kind, What};
use protocol::{Span, Version};
use server::fault::{http as fault, streams};
use transport::Transport;

use super::http_exchange::{Exchange, exchanges};
use super::{cancelled, requests};
use crate::{Applies, Check, Cite, Finding, Run, Sides, Verdict, WireCx, advised, must, should, should_not};

pub(in crate::checks) const CHECKS: &[Check] =
    &[MEDIA_TYPE, NOTIFICATION_ACCEPTED, RESPONSE_ACCEPTED, STREAM_ANSWERED];

const STREAMABLE: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const SENDING: [Cite; 2] = [
    must("basic/transports#sending-messages-to-the-server", STREAMABLE),
    must("basic/transports/streamable-http#sending-messages", Span::MODERN),
];

/// A server must answer a request with `application/json` or with `text/event-stream`. Refusals such as 400, 401 and 403
/// are not judged: the paragraphs on them name no media type.
const MEDIA_TYPE: Check = Check {
    id: "server/http/media-type",
    title: "every request is answered with application/json or text/event-stream",
    cites: &SENDING,
    aliases: &["test_http_transport_requirements"],
    why: "clients choose their parser by the media type, and refuse any other",
    fix: "send Content-Type: application/json with a JSON body, text/event-stream with a stream",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Wire(Sides::Server, media_type),
    fault: &fault::CONTENT_TYPE_TEXT,
};

fn media_type(cx: &WireCx<'_>) -> Verdict {
    let mut judged = false;
    for exchange in exchanges(cx) {
        let asked = exchange.posted().iter().any(|frame| frame.kind() == Kind::Request);
        if !asked || !is_accepted(&exchange) {
            continue;
        }
        judged = true;
        let media = exchange.media_type();
        if !matches!(media.as_deref(), Some("application/json" | "text/event-stream")) {
            let actual = format!("content-type {}", media.as_deref().unwrap_or("missing"));
            return Err(exchange.violated("application/json or text/event-stream", actual));
        }
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable("no request was answered")) }
}

/// Whether this answers a request that the server has accepted.
fn is_accepted(exchange: &Exchange<'_>) -> bool {
    matches!(exchange.status(), 200 | 201 | 203 | 205..=299)
}

/// A server that accepts a notification must answer 202 without a body. If it does not accept it, it must answer with
/// an error status.
const NOTIFICATION_ACCEPTED: Check = Check {
    id: "server/http/notification-accepted",
    title: "an accepted notification gets 202 and no body",
    cites: &SENDING,
    aliases: &["test_initialization_order", "test_http_transport_requirements"],
    why: "clients wait for a response to anything else, or fail to parse the empty body",
    fix: "answer notifications with 202 Accepted and nothing more",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Wire(Sides::Server, |cx| {
        accepted(cx, "no notification was posted", |frame| {
            frame.kind() == Kind::Notification && frame.is_2_0()
        })
    }),
    fault: &fault::NOTIFICATION_200,
};

/// A server that accepts a response must answer 202 without a body. If it does not accept it, it must answer with an
/// error status. In 2026-07-28 clients send no responses.
const RESPONSE_ACCEPTED: Check = Check {
    id: "server/http/response-accepted",
    title: "an accepted response gets 202 and no body",
    cites: &[SENDING[0]],
    aliases: &[],
    why: "the client has answered and waits for nothing; it cannot use anything else",
    fix: "answer a posted response with 202 Accepted and nothing more, or refuse it with 4xx",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Wire(Sides::Server, |cx| {
        accepted(cx, "no response was posted", |frame| matches!(frame.kind(), Kind::Result | Kind::Error))
    }),
    fault: &fault::RESPONSE_200,
};

/// Judges the response to every POST that has only such frames.
fn accepted(cx: &WireCx<'_>, absent: &str, is_such: impl Fn(&Frame<'_>) -> bool) -> Verdict {
    let mut judged = false;
    for exchange in exchanges(cx) {
        let posted = exchange.posted();
        if posted.is_empty() || !posted.iter().all(&is_such) {
            continue;
        }
        // What comes back for a batch of notifications has a check of its own.
        if exchange.is_batch() && !exchange.body.is_empty() {
            continue;
        }
        judged = true;
        match exchange.status() {
            202 if exchange.body.is_empty() => {}
            // A server may refuse, with an error status.
            400.. => {}
            202 => return Err(exchange.violated("202 without a body", "202 with a body")),
            status => return Err(exchange.violated("HTTP 202", format!("HTTP {status}"))),
        }
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable(absent)) }
}

/// A server should not close a stream before it has sent the response, unless the session expires. Since 2025-11-25 the
/// stream should carry the response in the end, but the connection may close before. In 2026-07-28 the response should end
/// the stream; that the stream does not end before is implied.
const STREAM_ANSWERED: Check = Check {
    id: "wire/http/stream-answered",
    title: "a stream does not end before the response to its request",
    cites: &[
        should_not(SENDING[0].place, Span::between(Version::V2025_03_26, Version::V2025_06_18)),
        should(SENDING[0].place, Span::only(Version::V2025_11_25)),
        advised("basic/transports/streamable-http#receiving-messages", Span::MODERN),
    ],
    aliases: &[],
    why: "the client sees the end of the stream and never learns what became of its request",
    fix: "close the stream when the response has been written, and not before",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Wire(Sides::Server, stream_answered),
    fault: &streams::ENDS_UNANSWERED,
};

fn stream_answered(cx: &WireCx<'_>) -> Verdict {
    let mut heads = cx.transcript.entries.iter().filter(|entry| entry.what == What::Head);
    let deleted = heads.find(|entry| entry.bytes.starts_with(b"DELETE ")).map(|entry| entry.at);
    // Streams end with their session.
    let ended_alone = |exchange: &&Exchange<'_>| {
        exchange.end.is_some_and(|end| deleted.is_none_or(|deleted| end.at < deleted))
    };
    let given_up: Vec<Id> = requests(cx).filter_map(|frame| cancelled(&frame)).collect();
    let answered: Vec<Id> =
        cx.frames().filter(|(_, frame)| frame.method.is_none()).filter_map(|(_, frame)| frame.id()).collect();
    let mut judged = false;
    for exchange in exchanges(cx).iter().filter(ended_alone).filter(|exchange| is_stream(exchange)) {
        let asked = exchange.posted().into_iter().find(|frame| frame.kind() == Kind::Request);
        let Some((id, method)) = asked.and_then(|frame| Some((frame.id()?, frame.method()?))) else {
            continue;
        };
        // A subscription may end at any time, and a stream that can be resumed has not ended.
        if method == "subscriptions/listen" || given_up.contains(&id) || may_go_on(cx, exchange) {
            continue;
        }
        judged = true;
        // A response with another id is the business of the checks of ids.
        if !answered.contains(&id) && !has_response(exchange) {
            let expected = format!("a response to request {id} on its stream");
            return Err(exchange.violated(expected, "the end of the stream without one"));
        }
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable("no request was answered with a stream")) }
}

fn has_response(exchange: &Exchange<'_>) -> bool {
    exchange.body.iter().any(|entry| Frame::parse(&entry.bytes).is_ok_and(|frame| frame.is_response()))
}

fn is_stream(exchange: &Exchange<'_>) -> bool {
    exchange.status() == 200 && exchange.media_type().as_deref() == Some("text/event-stream")
}

/// In 2025-11-25 a server may close the connection once it has sent an event with an id, and the client reconnects for the
/// rest. The transcript has ids only for events without a message.
fn may_go_on(cx: &WireCx<'_>, exchange: &Exchange<'_>) -> bool {
    let has_id = |bytes: &[u8]| bytes.starts_with(b"id:") || bytes.windows(4).any(|at| at == b"\nid:");
    let resumable = exchange.events.iter().any(|event| has_id(&event.bytes)) || !exchange.body.is_empty();
    cx.version == Version::V2025_11_25 && resumable
}
