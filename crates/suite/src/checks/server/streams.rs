//! Event streams of Streamable HTTP: which messages belong on which, and when they end.

use std::time::Duration;

use protocol::{Span, Version};
use serde_json::json;
use server::fault::streams as fault;
use transport::Transport;
use transport::client::{Failure, Message, PendingRequest, Profile, Session};

use super::fixture::{call, fixture};
use crate::expect::Answer;
use crate::knowledge::Overheard;
use crate::unsolicited::has_response;
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[ENDS, RELATED, GET_WITHOUT_RESPONSES, NOT_BROADCAST, ONE_GET_STREAM];

const STREAMABLE: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const SENDING: &str = "basic/transports#sending-messages-to-the-server";
/// How long a stream may take to end after its response.
const STREAM_END_TIMEOUT: Duration = Duration::from_secs(1);
/// How many tools that ask are called while the GET stream is open.
const MAX_ASKING_TOOLS: usize = 2;

/// After it has sent the response, the server should close the event stream.
const ENDS: Check = Check {
    id: "server/streams/end-with-response",
    title: "a stream ends after its response",
    cites: &[
        should(SENDING, STREAMABLE),
        should("basic/transports/streamable-http#receiving-messages", Span::MODERN),
    ],
    aliases: &[],
    why: "every stream that stays open holds a connection, and clients that may open only a few run out of them",
    fix: "close the response body when the response has been written",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(ends(cx))),
    fault: &fault::STAYS_OPEN,
};

async fn ends(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let mut pending = cx.streaming_request().await?.ask(cx, &session).0.start().await?;
    while !pending.is_settled() {
        if pending.next().await?.is_none() {
            return Err(Finding::blocked("the stream ended without a response"));
        }
    }
    let end = cx.pace().longest().max(STREAM_END_TIMEOUT);
    match pending.next_within(end).await {
        Ok(None) => Ok(()),
        Ok(Some(message)) => {
            Err(Finding::violated_in(&message.bytes, "the end of the stream", "another message"))
        }
        Err(Failure::TimedOut { .. }) => {
            let actual = format!("it is still open {} ms later", end.as_millis());
            Err(Finding::violated("the end of the stream", actual))
        }
        Err(failure) => Err(failure.into()),
    }
}

/// What a server sends on the stream of a request, before the response, should relate to that request. 2026-07-28 makes
/// it a MUST, and allows only notifications.
const RELATED: Check = Check {
    id: "server/streams/related-only",
    title: "a stream carries only messages that belong to its request",
    cites: &[
        should(SENDING, STREAMABLE),
        must("basic/transports/streamable-http#receiving-messages", Span::MODERN),
    ],
    aliases: &[],
    why: "clients tell requests apart by their streams; a stray message is lost, or shown to the wrong user",
    fix: "send progress and log messages on the stream of the request that caused them",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(related(cx))),
    fault: &fault::FOREIGN_PROGRESS,
};

/// Two concurrent requests: each stream has its own response and its own progress, and no other.
async fn related(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let streaming_request = cx.streaming_request().await?;
    let ((one, first), (two, second)) =
        (streaming_request.ask(cx, &session), streaming_request.ask(cx, &session));
    let (one, two) = tokio::join!(one.send(), two.send());
    let (one, two) = (one?, two?);
    own(&one, &first)?;
    own(&two, &second)
}

fn own(answer: &Answer, token: &str) -> Verdict {
    let Some(id) = answer.reply.frame().and_then(|frame| frame.id()) else {
        return Err(Finding::blocked("the stream ended without a response"));
    };
    if answer.reply.responses().iter().any(|frame| frame.id().as_ref() != Some(&id)) {
        return Err(answer.violated("one response, to the request of the stream", "another response besides"));
    }
    for message in answer.reply.notifications("notifications/progress") {
        let other = message.params().map(|params| params["progressToken"].clone()).unwrap_or_default();
        if other != token {
            return Err(
                answer.violated(format!("progress for {token:?} alone"), format!("progress for {other}"))
            );
        }
    }
    Ok(())
}

/// A server must not send responses on the stream that a GET opens, unless the GET resumes the stream of an earlier
/// request. 2026-07-28 has no GET.
const GET_WITHOUT_RESPONSES: Check = Check {
    id: "server/streams/get-without-responses",
    title: "the GET stream carries no responses",
    cites: &[must_not("basic/transports#listening-for-messages-from-the-server", STREAMABLE)],
    aliases: &[],
    why: "a client waits for the response on the stream of its POST, and does not look for it elsewhere",
    fix: "answer a request on the stream, or in the body, of its own POST",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(get_without_responses(cx))),
    fault: &fault::RESPONDS_ON_GET,
};

async fn get_without_responses(cx: &ServerCx) -> Verdict {
    let (_, beside) = call_while_listening(cx).await?;
    expect_none(beside.iter().find(|message| has_response(message)), |message| {
        Finding::violated_in(&message.bytes, "no response on the GET stream", "a response")
    })
}

/// A client may have several streams open. The server must send each message on only one of them.
const NOT_BROADCAST: Check = Check {
    id: "server/streams/not-broadcast",
    title: "each message is sent on only one stream",
    cites: &[must("basic/transports#multiple-connections", STREAMABLE)],
    aliases: &[],
    why: "a client with two streams would take one message for two",
    fix: "choose one stream for each message: that of its request, or the GET stream",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(not_broadcast(cx))),
    fault: &fault::BROADCASTS,
};

async fn not_broadcast(cx: &ServerCx) -> Verdict {
    let (said, beside) = call_while_listening(cx).await?;
    let twice = |message: &&Message| said.iter().any(|other| other.bytes == message.bytes);
    expect_none(beside.iter().find(twice), |message| {
        Finding::violated_in(&message.bytes, "each message on one stream", "one on two streams")
    })
}

/// A client may have several streams open, also several that it opened by GET. The server must send each message on only one of
/// them. It may refuse a second GET.
const ONE_GET_STREAM: Check = Check {
    id: "server/streams/one-get-stream",
    title: "with two GET streams open, a message is sent on one of them",
    cites: &[must("basic/transports#multiple-connections", STREAMABLE)],
    aliases: &[],
    why: "a client that has reconnected has two streams for a while, and would take one message for two",
    fix: "choose one of the GET streams of the session for each message, or refuse a second one with 409",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Last(|cx| Box::pin(one_get_stream(cx))),
    fault: &fault::GETS_BROADCAST,
};

/// A list is changed and changed back. Each change is told once, so a message that comes on both streams each time is one that
/// was sent twice.
async fn one_get_stream(cx: &ServerCx) -> Verdict {
    let Some(trigger) = find_trigger(cx).await? else {
        return Err(Finding::not_applicable("nothing that the server tells of can be made to happen"));
    };
    // A new session: the server may still write to a stream that another check has closed.
    let session = cx.as_client(Profile::bare()).await?;
    let mut first = listen(&session).await?;
    let mut second = listen(&session).await?;
    let mut twice = Vec::new();
    for _ in 0..2 {
        call(cx, &session, trigger, &json!({})).send().await.map_err(Finding::into_obstacle)?;
        let silence = wait_for_other_streams(cx, &session).await;
        let (one, other) = (read_all(&mut first, silence).await, read_all(&mut second, silence).await);
        if one.is_empty() && other.is_empty() {
            return Err(Finding::not_applicable("the server told of nothing on its GET streams"));
        }
        twice.extend(one.into_iter().find(|message| other.iter().any(|copy| copy.bytes == message.bytes)));
    }
    first.close();
    second.close();
    match &twice[..] {
        [message, _] => {
            Err(Finding::violated_in(&message.bytes, "each message on one GET stream", "one on both of them"))
        }
        _ => Ok(()),
    }
}

/// A fixture that changes a list whose changes are told.
async fn find_trigger(cx: &ServerCx) -> Result<Option<&serde_json::Value>, Finding> {
    for name in ["test_trigger_prompt_change", "test_trigger_tool_change"] {
        match fixture(cx, name).await {
            Ok(trigger) => return Ok(Some(trigger)),
            Err(Finding::NotApplicable(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(None)
}

/// What comes on a stream until it has been silent for so long.
async fn read_all(stream: &mut PendingRequest, silence: Duration) -> Vec<Message> {
    let mut messages = Vec::new();
    while let Ok(Some(message)) = stream.next_within(silence).await {
        messages.push(message);
    }
    messages
}

/// What came on the streams of requests while the GET stream was open, and what came on the latter.
async fn call_while_listening(cx: &ServerCx) -> Result<Overheard, Finding> {
    cx.known.facts().overheard.get_or_init(|| overhear(cx)).await.clone()
}

async fn overhear(cx: &ServerCx) -> Result<Overheard, Finding> {
    let (mut replies, mut beside) = overhear_streaming(cx).await?;
    let (more_replies, more_beside) = overhear_asking(cx).await?;
    replies.extend(more_replies);
    beside.extend(more_beside);
    Ok((replies, beside))
}

/// A request that is answered with a stream. The client declares nothing, so it has no other GET stream. Its session is a new
/// one: a server that allows one GET stream may not have noticed yet that another check has closed its own.
async fn overhear_streaming(cx: &ServerCx) -> Result<Overheard, Finding> {
    let streaming = cx.streaming_request().await?;
    let session = cx.as_client(Profile::bare()).await?;
    let mut get_stream = listen(&session).await?;
    let replies = streaming.ask(cx, &session).0.send().await?.reply.messages;
    let silence = wait_for_other_streams(cx, &session).await;
    let beside = read_all(&mut get_stream, silence).await;
    get_stream.close();
    Ok((replies, beside))
}

/// Calls of tools that ask the client for something. The client declares that it answers, and listens on its own GET stream.
async fn overhear_asking(cx: &ServerCx) -> Result<Overheard, Finding> {
    let called = cx.calls().await.unwrap_or_default();
    let asking: Vec<_> =
        called.iter().filter(|called| called.has_server_request()).take(MAX_ASKING_TOOLS).collect();
    let (mut replies, mut beside) = (Vec::new(), Vec::new());
    if asking.is_empty() {
        return Ok((replies, beside));
    }
    let session = cx.another_session().await?;
    if !session.open_get_stream().await? {
        return Ok((replies, beside));
    }
    for called in asking {
        let arguments = cx.arguments_for(&called.tool).await.unwrap_or_else(|| json!({}));
        // What stands in the way of a call is told by the checks of calls.
        if let Ok(answer) = cx.call_on(&session, &called.tool, &arguments).send().await {
            replies.extend(answer.reply.messages);
        }
    }
    let silence = wait_for_other_streams(cx, &session).await;
    while let Ok(Some(message)) = session.incoming(silence).await {
        beside.push(message);
    }
    Ok((replies, beside))
}

/// What comes on another stream has been sent once the server answers what was asked after it. Returns how long to
/// listen for it.
async fn wait_for_other_streams(cx: &ServerCx, session: &Session) -> Duration {
    cx.has_caught_up(session).await;
    cx.pace().benefit_of_doubt()
}

/// The GET stream; not applicable where there is none.
async fn listen(session: &Session) -> Result<PendingRequest, Finding> {
    let listening = session.listen(None).await?;
    let head = listening.head().ok_or_else(|| Finding::blocked("GET got no HTTP response"))?;
    match (head.status, head.media_type().as_deref()) {
        (200, Some("text/event-stream")) => Ok(listening),
        (status, _) => Err(Finding::not_applicable(format!("GET opens no stream: HTTP {status}"))),
    }
}
