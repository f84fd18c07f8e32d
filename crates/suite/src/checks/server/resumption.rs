//! Resumable streams of Streamable HTTP up to 2025-11-25: event ids, replay, and connections that break.

use std::collections::HashSet;
use std::time::Duration;

use protocol::{Span, Version};
use serde_json::json;
use server::fault::streams as fault;
use transport::Transport;
use transport::client::{Message, PendingRequest, Reply, Session};
use wire::{Direction, What};

use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, must_not, should, should_not};

pub(in crate::checks) const CHECKS: &[Check] =
    &[IDS_UNIQUE, OWN_STREAM_ONLY, PRIMED, RETRY_SAID, DISCONNECT_NO_CANCEL];

const STREAMABLE: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const RESUMING: &str = "basic/transports#resumability-and-redelivery";
const SENDING: &str = "basic/transports#sending-messages-to-the-server";
/// How long we wait on a resumed stream.
const RESUMED_STREAM_TIMEOUT: Duration = Duration::from_secs(2);
/// The pause before a stream that the server has closed is resumed again.
const RECONNECT_PAUSE: Duration = Duration::from_millis(150);
/// A fixture of the official suite that closes its connection and answers when the client reconnects.
const RECONNECTS: &str = "test_reconnection";

/// Servers may give their events ids. An id must then be unique across all streams of the session, or of the client if
/// there are no sessions.
const IDS_UNIQUE: Check = Check {
    id: "server/streams/event-ids-unique",
    title: "event ids are unique across the streams of a session",
    cites: &[must(RESUMING, STREAMABLE)],
    aliases: &[],
    why: "if two streams share an id, a client that reconnects gets the wrong one",
    fix: "put the stream into the id, or number events per session",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(ids_unique(cx))),
    fault: &fault::EVENT_IDS_REPEAT,
};

async fn ids_unique(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let streaming_request = cx.streaming_request().await?;
    let mut seen = HashSet::new();
    for _ in 0..3 {
        let answer = streaming_request.ask(cx, &session).0.send().await?;
        for message in &answer.reply.messages {
            let Some(id) = id_of(message) else { continue };
            if !seen.insert(id.clone()) {
                return Err(Finding::violated_in(
                    &message.bytes,
                    "an id of its own for every event",
                    format!("id {id} again"),
                ));
            }
        }
    }
    if seen.is_empty() { Err(no_ids()) } else { Ok(()) }
}

/// A server may replay what a client missed, but must not replay messages that belong to another stream.
const OWN_STREAM_ONLY: Check = Check {
    id: "server/streams/replays-own-stream",
    title: "a resumed stream replays nothing from other streams",
    cites: &[must_not(RESUMING, STREAMABLE)],
    aliases: &[],
    why: "the client would take the response to one request for that to another",
    fix: "replay only the events of the stream that Last-Event-ID belongs to",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(own_stream_only(cx))),
    fault: &fault::REPLAYS_OTHERS,
};

async fn own_stream_only(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let streaming_request = cx.streaming_request().await?;
    let one = streaming_request.ask(cx, &session).0.send().await?.reply;
    let two = streaming_request.ask(cx, &session).0.send().await?.reply;
    let first = one.messages.first().and_then(id_of).ok_or_else(no_ids)?;
    let mut resumed = resume(&session, &first).await?;
    let mut replayed = 0;
    cx.has_caught_up(&session).await;
    let silence = cx.pace().benefit_of_doubt();
    while let Ok(Some(message)) = resumed.next_within(silence).await {
        let of = |reply: &Reply| reply.messages.iter().any(|known| known.bytes == message.bytes);
        if of(&two) && !of(&one) {
            return Err(Finding::violated_in(
                &message.bytes,
                "only messages of the broken stream",
                "a message of another stream",
            ));
        }
        replayed += 1;
    }
    if replayed == 0 { Err(Finding::not_applicable("nothing is replayed")) } else { Ok(()) }
}

/// 2025-11-25: a server that opens a stream should at once send an event with an id and empty data, so that the client
/// can reconnect. Streams without event ids are not judged.
const PRIMED: Check = Check {
    id: "server/streams/primed",
    title: "a resumable stream begins with an event that has an id and no data",
    cites: &[should(SENDING, Span::only(Version::V2025_11_25))],
    aliases: &[],
    why: "a connection that breaks before the first message cannot be resumed otherwise",
    fix: "send an event with an id and empty data as soon as the stream is open",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(primed(cx))),
    fault: &fault::NO_PRIMING,
};

async fn primed(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let reply = cx.streaming_request().await?.ask(cx, &session).0.send().await?.reply;
    if reply.messages.iter().all(|message| id_of(message).is_none()) {
        return Err(no_ids());
    }
    let record = session.recorder().transcript();
    let has_id = |bytes: &[u8]| bytes.split(|b| *b == b'\n').any(|line| line.starts_with(b"id:"));
    let first = record.entries.iter().find(|entry| {
        let here = entry.exchange == reply.exchange && entry.direction == Direction::ToClient;
        here && (entry.what == What::Message || (entry.what == What::Event && has_id(&entry.bytes)))
    });
    match first.map(|entry| entry.what) {
        Some(What::Event) => Ok(()),
        _ => Err(Finding::violated("an event with an id and no data first", "a message first")),
    }
}

/// 2025-11-25: a server that closes the connection before the stream has ended should first send an event with a
/// `retry` field.
const RETRY_SAID: Check = Check {
    id: "server/streams/retry-before-close",
    title: "a server that closes a connection early says when to reconnect",
    cites: &[should(SENDING, Span::only(Version::V2025_11_25))],
    aliases: &[],
    why: "clients that are not told reconnect at once, all of them",
    fix: "send an event with a retry field before the connection is closed",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(retry_said(cx))),
    fault: &fault::NO_RETRY,
};

async fn retry_said(cx: &ServerCx) -> Verdict {
    let there = cx.tools().await?.iter().any(|tool| tool["name"] == RECONNECTS);
    if !there {
        return Err(Finding::not_applicable(format!(
            "no tool is known to close its connection, like {RECONNECTS}"
        )));
    }
    let session = cx.another_session().await?;
    let call = cx.request_on(&session, "tools/call").params(json!({ "name": RECONNECTS, "arguments": {} }));
    let answer = call.within(cx.pace().limit()).send().await?;
    let stayed =
        answer.reply.response.as_ref().is_some_and(|response| response.exchange == answer.reply.exchange);
    match answer.reply.retry {
        _ if stayed => Err(Finding::not_applicable("the connection was not closed early")),
        Some(_) => Ok(()),
        None => Err(answer.violated("an event with retry before the connection is closed", "none")),
    }
}

/// A server should not take a broken connection for a cancellation. 2026-07-28 turned this around: there, closing the
/// stream cancels. A resumed stream may end before the response too, so we resume it again for as long as the work takes.
const DISCONNECT_NO_CANCEL: Check = Check {
    id: "server/streams/disconnect-is-no-cancel",
    title: "a connection that breaks does not cancel its request",
    cites: &[should_not(SENDING, STREAMABLE)],
    aliases: &[],
    why: "networks break; work that was begun would be lost, or done twice",
    fix: "let the request run on, and keep its response for a client that reconnects",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(disconnect_no_cancel(cx))),
    fault: &fault::DISCONNECT_CANCELS,
};

async fn disconnect_no_cancel(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    // Work that was nearly done when the connection broke would prove nothing.
    let (streaming_request, took) = cx.slow_streaming_request().await?;
    let mut pending = streaming_request.ask(cx, &session).0.start().await?;
    let first = pending.next().await?.ok_or_else(|| Finding::blocked("the stream ended at once"))?;
    let mut last = id_of(&first).ok_or_else(no_ids)?;
    if pending.is_settled() {
        return Err(Finding::not_applicable("the response came before the connection could break"));
    }
    drop(pending);
    let mut resumed = resume(&session, &last).await?;
    let deadline = tokio::time::Instant::now() + took + cx.pace().longest().max(RESUMED_STREAM_TIMEOUT);
    loop {
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        match resumed.next_within(left).await {
            Ok(Some(message)) if message.frames().iter().any(|frame| frame.method.is_none()) => return Ok(()),
            Ok(Some(message)) => last = id_of(&message).unwrap_or(last),
            Ok(None) if left <= RECONNECT_PAUSE => {
                return Err(Finding::violated(
                    "the response, to the client that reconnected",
                    "the end of the stream",
                ));
            }
            Ok(None) => {
                tokio::time::sleep(RECONNECT_PAUSE).await;
                resumed = resume(&session, &last).await?;
            }
            // A server may replay, but need not.
            Err(_) => return Err(Finding::not_applicable("nothing more is replayed")),
        }
    }
}

async fn resume(session: &Session, last: &str) -> Result<PendingRequest, Finding> {
    let resumed = session.listen(Some(last)).await?;
    let head = resumed.head().ok_or_else(|| Finding::blocked("GET got no HTTP response"))?;
    match (head.status, head.media_type().as_deref()) {
        (200, Some("text/event-stream")) => Ok(resumed),
        (status, _) => Err(Finding::not_applicable(format!("streams are not resumed: HTTP {status}"))),
    }
}

fn id_of(message: &Message) -> Option<String> {
    message.event.as_ref()?.id.clone()
}

fn no_ids() -> Finding {
    Finding::not_applicable("events have no ids, so nothing can be resumed")
}
