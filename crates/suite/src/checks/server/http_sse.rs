//! The HTTP+SSE transport of 2024-11-05, which later revisions replaced by Streamable HTTP.

use std::time::Duration;

use protocol::{Span, Version};
use server::fault::{http, streams as fault};
use transport::Transport;
use wire::{Direction, What};

use crate::formats::is_uri_reference;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised, defined, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[ENDPOINT_SENT, ENDPOINT_URI, ENDPOINT_SAME_ORIGIN, ANSWERS_ON_STREAM, FOREIGN_ORIGIN];

const OLD: Span = Span::only(Version::V2024_11_05);
const PLACE: &str = "basic/transports#security-warning";
/// How long we wait for the first event.
const FIRST_EVENT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often we look for it.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// HTTP with SSE: when a client connects, the server must send an `endpoint` event with a URI to which the client posts
/// its messages. Other events may come before it.
const ENDPOINT_SENT: Check = Check {
    id: "server/sse/endpoint-sent",
    title: "the stream says where to post, in an endpoint event",
    cites: &[must(PLACE, OLD)],
    aliases: &[],
    why: "without an endpoint event the client has nowhere to send its first message",
    fix: "send an event named endpoint, whose data is the URI to post to, as soon as the stream is open",
    applies: Applies::Over(Transport::HttpSse),
    run: Run::Server(|cx| Box::pin(endpoint_sent(cx))),
    fault: &fault::SSE_NO_ENDPOINT,
};

async fn endpoint_sent(cx: &ServerCx) -> Verdict {
    let event = endpoint_event(cx).await?;
    match (field(&event, "event"), field(&event, "data")) {
        (Some("endpoint"), Some(uri)) if !uri.is_empty() => Ok(()),
        (name, _) => {
            let actual = format!("an event named {}", name.unwrap_or("message"));
            Err(Finding::violated("an endpoint event with a URI", actual))
        }
    }
}

/// The `endpoint` event must contain a URI. We read that as: its data is the bare URI.
const ENDPOINT_URI: Check = Check {
    id: "server/sse/endpoint-uri",
    title: "the endpoint is a bare URI, not JSON",
    cites: &[must(PLACE, OLD)],
    aliases: &[],
    why: "clients resolve the data of the event as it is; anything but a URI leads nowhere",
    fix: "send the bare URI as the data of the event, without quotes or an object around it",
    applies: Applies::Over(Transport::HttpSse),
    run: Run::Server(|cx| Box::pin(endpoint_uri(cx))),
    fault: &fault::SSE_JSON_ENDPOINT,
};

async fn endpoint_uri(cx: &ServerCx) -> Verdict {
    let event = endpoint_event(cx).await?;
    match (field(&event, "event"), field(&event, "data")) {
        (Some("endpoint"), Some(data)) if !data.is_empty() => match is_uri_reference(data.trim()) {
            true => Ok(()),
            false => Err(Finding::violated("a URI", format!("data: {data}"))),
        },
        _ => Err(Finding::blocked("the stream names no endpoint")),
    }
}

/// One server provides both endpoints of HTTP with SSE. No sentence asks for the same origin, but SDKs refuse any
/// other.
const ENDPOINT_SAME_ORIGIN: Check = Check {
    id: "server/sse/endpoint-same-origin",
    title: "the endpoint has the same origin as the stream",
    cites: &[advised("basic/transports#http-with-sse", OLD)],
    aliases: &[],
    why: "clients refuse to send what may hold credentials to another origin",
    fix: "send a path, such as /messages?sessionId=1",
    applies: Applies::Over(Transport::HttpSse),
    run: Run::Server(|cx| Box::pin(endpoint_same_origin(cx))),
    fault: &fault::SSE_FOREIGN_ENDPOINT,
};

async fn endpoint_same_origin(cx: &ServerCx) -> Verdict {
    let event = endpoint_event(cx).await?;
    let (Some("endpoint"), Some(uri)) = (field(&event, "event"), field(&event, "data")) else {
        return Err(Finding::blocked("the stream names no endpoint"));
    };
    let base = &cx.endpoint()?.url;
    match base.join(uri.trim()) {
        Ok(url) if url.origin() == base.origin() => Ok(()),
        Ok(_) | Err(_) => {
            Err(Finding::violated(format!("a URI on {}", base.origin().ascii_serialization()), uri))
        }
    }
}

/// HTTP with SSE: what the server sends comes as `message` events on the stream, with the message as JSON in the data.
const ANSWERS_ON_STREAM: Check = Check {
    id: "server/sse/answers-on-stream",
    title: "responses come as message events on the stream",
    cites: &[defined("basic/transports#http-with-sse", OLD)],
    aliases: &[],
    why: "that is where clients of this transport look for them",
    fix: "answer the POST without a body, and send the response as an event named message",
    applies: Applies::Over(Transport::HttpSse),
    run: Run::Server(|cx| Box::pin(answers_on_stream(cx))),
    fault: &fault::SSE_ANSWERS_POST,
};

async fn answers_on_stream(cx: &ServerCx) -> Verdict {
    let answer = cx.request("ping").await?.send().await?;
    let Some(response) = &answer.reply.response else {
        return Err(answer.violated("an answer on the stream", answer.summary()));
    };
    match response.event.as_ref().map(|event| event.event.as_deref().unwrap_or("message")) {
        Some("message") => Ok(()),
        Some(other) => Err(answer.violated("an event named message", format!("an event named {other}"))),
        None => Err(answer.violated("an answer on the stream", "an answer in the body of the POST")),
    }
}

/// Servers must validate `Origin` on every incoming connection, against DNS rebinding: for the POST and for the stream.
const FOREIGN_ORIGIN: Check = Check {
    id: "server/sse/foreign-origin-refused",
    title: "a request from a foreign Origin is refused",
    cites: &[must(PLACE, OLD)],
    aliases: &[],
    why: "any web page can reach a server on localhost through DNS rebinding",
    fix: "compare Origin with an allow-list before anything else",
    applies: Applies::Over(Transport::HttpSse),
    run: Run::Server(|cx| Box::pin(foreign_origin(cx))),
    fault: &http::ACCEPT_ANY_ORIGIN,
};

async fn foreign_origin(cx: &ServerCx) -> Verdict {
    let abroad = "https://attacker.example";
    let posted = cx.request("ping").await?.header("origin", abroad).send().await?;
    if posted.reply.status().is_none_or(|status| status < 400) {
        return Err(posted.violated("an HTTP error for the POST", posted.summary()));
    }
    let plain = cx.plain_http().await?;
    let ask = cx
        .request_on(&plain, "GET")
        .with(|r| r.verb(::http::Method::GET).header("accept", "text/event-stream"));
    let opened = ask.header("origin", abroad).start().await?;
    match opened.head().map(|head| head.status) {
        Some(status) if status >= 400 => Ok(()),
        status => Err(Finding::violated(
            "an HTTP error for the GET",
            format!("HTTP {}", status.unwrap_or_default()),
        )),
    }
}

/// The `endpoint` event of a fresh stream, as it is on the wire; if there is none, the first event.
async fn endpoint_event(cx: &ServerCx) -> Result<String, Finding> {
    let session = cx.plain_http().await?;
    let ask = cx
        .request_on(&session, "GET")
        .with(|r| r.verb(::http::Method::GET).header("accept", "text/event-stream"));
    let mut stream = ask.start().await?;
    match stream.head().map(|head| (head.status, head.media_type())) {
        Some((200, Some(kind))) if kind == "text/event-stream" => {}
        _ => return Err(Finding::violated("an event stream", "GET does not open one")),
    }
    let deadline = tokio::time::Instant::now() + cx.pace().longest().max(FIRST_EVENT_TIMEOUT);
    let mut first = None;
    while tokio::time::Instant::now() < deadline {
        // The transcript has every event, whether it is a message or not.
        let next = stream.next_within(POLL_INTERVAL).await;
        let record = session.recorder().transcript();
        let said = record.entries.iter().filter(|entry| {
            let kinds = matches!(entry.what, What::Event | What::Message);
            entry.direction == Direction::ToClient && kinds && !entry.bytes.starts_with(b":")
        });
        let mut said = said.map(|entry| String::from_utf8_lossy(&entry.bytes).into_owned()).peekable();
        first = first.or_else(|| said.peek().cloned());
        match said.find(|event| field(event, "event") == Some("endpoint")) {
            Some(event) => return Ok(event),
            None if matches!(next, Ok(None)) => break,
            None => {}
        }
    }
    first.ok_or_else(|| Finding::violated("an endpoint event", "nothing was sent on the stream"))
}

/// The value of a field of an event.
fn field<'e>(event: &'e str, name: &str) -> Option<&'e str> {
    event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim_start)
}
