//! The HTTP+SSE transport of 2024-11-05.

use std::time::Duration;

use protocol::{Span, Version};
use server::fault::{http, streams as fault};
use wire::{Direction, What};

use crate::formats::is_uri_reference;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, advised, defined, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[ENDPOINT_SENT, ENDPOINT_URI, ENDPOINT_SAME_ORIGIN, ANSWERS_ON_STREAM, FOREIGN_ORIGIN];

const OLD: Span = Span::only(Version::V2024_11_05);
const PLACE: &str = "basic/transports#security-warning";
/// How long the first event is waited for.
const FIRST: Duration = Duration::from_secs(2);
/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(20);

const ENDPOINT_SENT: Check = Check {
    id: "server/sse/endpoint-sent",
    title: "the stream begins by saying where to post",
    cites: &[must(PLACE, OLD)],
    aliases: &[],
    why: "without an endpoint event the client has nowhere to send its first message",
    fix: "send an event named endpoint, whose data is the URI to post to, as soon as the stream is open",
    on: On::HttpSse,
    run: Run::Server(|cx| Box::pin(endpoint_sent(cx))),
    fault: &fault::SSE_NO_ENDPOINT,
};

async fn endpoint_sent(cx: &ServerCx) -> Verdict {
    let event = first_event(cx).await?;
    match (field(&event, "event"), field(&event, "data")) {
        (Some("endpoint"), Some(uri)) if !uri.is_empty() => Ok(()),
        (name, _) => {
            let actual = format!("an event named {}", name.unwrap_or("message"));
            Err(Finding::violated("an endpoint event with a URI", actual))
        }
    }
}

const ENDPOINT_URI: Check = Check {
    id: "server/sse/endpoint-uri",
    title: "the endpoint is a URI, and not JSON",
    cites: &[must(PLACE, OLD)],
    aliases: &[],
    why: "clients resolve the data of the event as it is; what is not a URI leads nowhere",
    fix: "send the bare URI as the data of the event, without quotes or an object around it",
    on: On::HttpSse,
    run: Run::Server(|cx| Box::pin(endpoint_uri(cx))),
    fault: &fault::SSE_JSON_ENDPOINT,
};

async fn endpoint_uri(cx: &ServerCx) -> Verdict {
    let event = first_event(cx).await?;
    match (field(&event, "event"), field(&event, "data")) {
        (Some("endpoint"), Some(data)) if !data.is_empty() => match is_uri_reference(data.trim()) {
            true => Ok(()),
            false => Err(Finding::violated("a URI", format!("data: {data}"))),
        },
        _ => Err(Finding::blocked("the stream names no endpoint")),
    }
}

const ENDPOINT_SAME_ORIGIN: Check = Check {
    id: "server/sse/endpoint-same-origin",
    title: "the endpoint is on the origin of the stream",
    cites: &[advised("basic/transports#http-with-sse", OLD)],
    aliases: &[],
    why: "clients refuse to send what may hold credentials to another origin",
    fix: "send a path, such as /messages?sessionId=1",
    on: On::HttpSse,
    run: Run::Server(|cx| Box::pin(endpoint_same_origin(cx))),
    fault: &fault::SSE_FOREIGN_ENDPOINT,
};

async fn endpoint_same_origin(cx: &ServerCx) -> Verdict {
    let event = first_event(cx).await?;
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

const ANSWERS_ON_STREAM: Check = Check {
    id: "server/sse/answers-on-stream",
    title: "answers come as message events on the stream",
    cites: &[defined("basic/transports#http-with-sse", OLD)],
    aliases: &[],
    why: "that is where clients of this transport look for them",
    fix: "accept the POST without a body, and send the answer as an event named message",
    on: On::HttpSse,
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

const FOREIGN_ORIGIN: Check = Check {
    id: "server/sse/foreign-origin-refused",
    title: "a request from a foreign Origin is refused",
    cites: &[must(PLACE, OLD)],
    aliases: &[],
    why: "any web page can reach a server on localhost through DNS rebinding",
    fix: "compare Origin with an allow-list before anything else",
    on: On::HttpSse,
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
    let ask =
        cx.on(&plain, "GET").with(|r| r.verb(::http::Method::GET).header("accept", "text/event-stream"));
    let opened = ask.header("origin", abroad).start().await?;
    match opened.head().map(|head| head.status) {
        Some(status) if status >= 400 => Ok(()),
        status => Err(Finding::violated(
            "an HTTP error for the GET",
            format!("HTTP {}", status.unwrap_or_default()),
        )),
    }
}

/// The first event of a fresh stream, as it is on the wire.
async fn first_event(cx: &ServerCx) -> Result<String, Finding> {
    let session = cx.plain_http().await?;
    let ask =
        cx.on(&session, "GET").with(|r| r.verb(::http::Method::GET).header("accept", "text/event-stream"));
    let mut stream = ask.start().await?;
    match stream.head().map(|head| (head.status, head.media_type())) {
        Some((200, Some(kind))) if kind == "text/event-stream" => {}
        _ => return Err(Finding::violated("a stream of events", "GET opens none")),
    }
    let deadline = tokio::time::Instant::now() + cx.pace().longest().max(FIRST);
    while tokio::time::Instant::now() < deadline {
        // What it brings is on the record, be it a message or not.
        let next = stream.next_within(LOOK).await;
        let record = session.recorder().transcript();
        let said = record.entries.iter().find(|entry| {
            let kinds = matches!(entry.what, What::Event | What::Message);
            entry.direction == Direction::ToClient && kinds && !entry.bytes.starts_with(b":")
        });
        match said {
            Some(entry) => return Ok(String::from_utf8_lossy(&entry.bytes).into_owned()),
            None if matches!(next, Ok(None)) => break,
            None => {}
        }
    }
    Err(Finding::violated("an endpoint event", "nothing was sent on the stream"))
}

/// The value of a field of an event.
fn field<'e>(event: &'e str, name: &str) -> Option<&'e str> {
    event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim_start)
}
