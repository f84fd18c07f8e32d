//! JSON-RPC on any transport: unknown methods, request ids, notifications, and input that is not JSON.
//!
//! Nothing here depends on what the server offers: every server has to pass.

use protocol::{Era, Span, Version, code};
use serde_json::{Value, json};
use server::fault::{base, framing as fault};
use transport::Transport;
use transport::client::Request;

use crate::expect::{Answer, NO_CODE};
use crate::unsolicited::{drain, expect_no_response};
use crate::{
    Applies, Check, Cite, Evidence, Excerpt, Finding, Party, Run, ServerCx, Verdict, advised, defined, must,
    must_not,
};

pub(in crate::checks) const CHECKS: &[Check] = &[
    UNKNOWN_METHOD,
    UNKNOWN_METHOD_CODE,
    ID_ECHOED,
    NOTIFICATION_UNANSWERED,
    STRAYS_IGNORED,
    PARSE_ERROR,
    PARSE_ERROR_CODE,
    BATCH_ANSWERED,
];

const MESSAGES: &[Cite] = &[
    must("basic/index#", Span::only(Version::V2024_11_05)),
    must("basic/index#messages", Span::since(Version::V2025_03_26)),
];

/// The pages say what a message looks like, but not how to answer one that is malformed, so these places only imply it.
/// The schema of 2026-07-28 defines the errors. Before 2025-11-25 no schema allowed an error without an id. On stdio,
/// clients must not send such bytes at all.
pub(super) const BROKEN: &[Cite] = &[
    advised("basic/index#", Span::only(Version::V2024_11_05)),
    advised("basic/index#messages", Span::since(Version::V2025_03_26)),
];

/// 2025-03-26 and later forbid a response to a notification. 2024-11-05 only says that a notification expects none; there
/// it is JSON-RPC 2.0, which all messages must follow, that forbids it.
const NOTIFICATIONS: &[Cite] = &[
    must("basic/index#", Span::only(Version::V2024_11_05)),
    defined("basic/messages#notifications", Span::only(Version::V2024_11_05)),
    must_not("basic/index#notifications", Span::since(Version::V2025_03_26)),
];

/// All messages must follow JSON-RPC 2.0, in which every request gets a response, and one for an unknown method gets an
/// error.
pub(super) const UNKNOWN_METHOD: Check = Check {
    id: "server/base/unknown-method-refused",
    title: "a request for a method that does not exist is answered with an error",
    cites: MESSAGES,
    aliases: &["test_error_handling"],
    why: "a client that tries a newer method would believe that it worked",
    fix: "answer every request whose method you do not know with error -32601",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(unknown_method(cx))),
    fault: &fault::UNKNOWN_METHOD_ANSWERED,
};

async fn unknown_method(cx: &ServerCx) -> Verdict {
    cx.request("yardstick/no-such-method").await?.send().await?.expect_any_error()
}

/// All messages must follow JSON-RPC 2.0, which reserves -32601 for a method that does not exist.
const UNKNOWN_METHOD_CODE: Check = Check {
    id: "server/base/unknown-method-code",
    title: "the error for a method that does not exist is -32601",
    cites: MESSAGES,
    aliases: &["test_error_handling"],
    why: "clients probe for optional features and tell \"not there\" from \"broken\" by this code",
    fix: "use -32601 for an unknown method, and for nothing else",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(unknown_method_code(cx))),
    fault: &fault::UNKNOWN_METHOD_WRONG_CODE,
};

async fn unknown_method_code(cx: &ServerCx) -> Verdict {
    let owned = |finding: Finding| finding.into_obstacle_of(UNKNOWN_METHOD.id);
    let answer = cx.request("yardstick/no-such-method").await?.send().await.map_err(owned)?;
    answer.expect_any_error().map_err(owned)?;
    answer.expect_error(&[code::METHOD_NOT_FOUND])
}

pub(super) const RESPONSES: &[Cite] = &[
    must("basic/messages#responses", Span::only(Version::V2024_11_05)),
    must("basic/index#responses", Span::between(Version::V2025_03_26, Version::V2025_06_18)),
    must("basic/index#result-responses", Span::since(Version::V2025_11_25)),
];

/// A response must have the id of its request. JSON-RPC ids are strings or integers, so 0, negative numbers and the
/// empty string count too. Since 2025-11-25 the cited section speaks of responses with a result. No page says how long an id
/// may be, so a server may refuse a long one.
pub(super) const ID_ECHOED: Check = Check {
    id: "server/base/id-echoed",
    title: "a response has the id of its request, unchanged",
    cites: RESPONSES,
    aliases: &["test_unique_request_ids"],
    why: "ids start at 0 in some clients and are strings in others; an id that comes back changed matches nothing",
    fix: "send the id back as the JSON value that you received, 0 and empty strings included",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(id_echoed(cx))),
    fault: &fault::ID_STRINGIFIED,
};

async fn id_echoed(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let long = format!("\"{}\"", "yardstick-".repeat(100));
    // Larger numbers are left to the passive checks.
    for id in ["0", "\"yardstick-id\"", "9007199254740991", "-7", "\"0\"", "\"\"", &long] {
        let answer = cx.request_on(&session, cx.cheap_method()).with(|r| r.id(id)).send().await?;
        if id == long && answer.reply.is_error() {
            continue;
        }
        let echoed = answer.reply.frame().and_then(|frame| frame.id());
        if echoed != serde_json::from_str(id).ok().map(::wire::Id::from_raw) {
            let actual = echoed.map_or("no id".to_owned(), |id| format!("id {id}"));
            return Err(answer.violated(format!("id {id}"), actual));
        }
        // Whether the server knows the method is another check's business.
        if answer.reply.is_error() && answer.reply.code() != Some(code::METHOD_NOT_FOUND) {
            return Err(answer.violated(format!("a result for id {id}, as for others"), answer.summary()));
        }
    }
    Ok(())
}

/// Whoever receives a notification must not send a response.
const NOTIFICATION_UNANSWERED: Check = Check {
    id: "server/base/notification-unanswered",
    title: "a notification gets no response",
    cites: NOTIFICATIONS,
    aliases: &["test_notification_format"],
    why: "the client has no request that the response could belong to",
    fix: "never answer a message without an id, not even when its method is unknown",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(notification_unanswered(cx))),
    fault: &fault::NOTIFICATION_ANSWERED,
};

async fn notification_unanswered(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let since = drain(&session).await;
    let answer = cx.notification_on(&session, "notifications/yardstick-unknown").send().await?;
    if answer.reply.frame().is_some_and(|frame| frame.result.is_some()) {
        return Err(answer.violated("no response", answer.summary()));
    }
    if cx.transport != Transport::Stdio {
        return cx.request_on(&session, cx.cheap_method()).send().await?.expect_response();
    }
    // On a pipe a response would arrive as a message of its own.
    expect_no_response(cx, &session, since).await
}

/// A notification must not be answered, whatever it is about: progress for a token that the server never got, an
/// unknown method, or a second `notifications/initialized`. The session goes on as before.
const STRAYS_IGNORED: Check = Check {
    id: "server/base/strays-ignored",
    title: "unexpected notifications are ignored, and the next request is answered",
    cites: NOTIFICATIONS,
    aliases: &[],
    why: "messages cross on the way; a late one must neither be answered nor break what follows",
    fix: "ignore notifications about what you do not know, and go on reading",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(strays_ignored(cx))),
    fault: &base::STRAY_DEAFENS,
};

async fn strays_ignored(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let since = drain(&session).await;
    let progress = json!({ "progressToken": "yardstick-never-asked", "progress": 1 });
    let mut strays = vec![
        ("notifications/progress", progress),
        ("notifications/yardstick/nested", json!({ "deep": { "er": [1, null, "x"] } })),
    ];
    if cx.version.era() == Era::Legacy {
        // The handshake has sent one already.
        strays.push(("notifications/initialized", json!({})));
    }
    for (method, params) in strays {
        let answer = cx.notification_on(&session, method).params(params).send().await?;
        if answer.reply.frame().is_some_and(|frame| frame.result.is_some()) {
            return Err(answer.violated("no response", answer.summary()));
        }
    }
    if cx.transport == Transport::Stdio {
        return expect_no_response(cx, &session, since).await;
    }
    cx.request_on(&session, cx.cheap_method()).send().await?.expect_response()
}

/// Messages follow JSON-RPC 2.0, which answers invalid JSON with an error. Over HTTP an error status without a body is
/// enough. The pages imply this rather than state it.
const PARSE_ERROR: Check = Check {
    id: "server/base/parse-error-answered",
    title: "input that is not JSON is answered with an error",
    cites: BROKEN,
    aliases: &[],
    why: "one broken message must not take the connection down, nor vanish without a trace",
    fix: "catch the parser's error, answer -32700, and go on reading",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(parse_error(cx))),
    fault: &fault::PARSE_ERROR_SWALLOWED,
};

async fn parse_error(cx: &ServerCx) -> Verdict {
    match broken_json(cx).await? {
        Some(_) => Ok(()),
        None => Err(shown_broken(Evidence::new("an error", "silence, or a success"))),
    }
}

/// JSON-RPC 2.0 reserves -32700 for invalid JSON. Judged only where the server answers with an error object.
const PARSE_ERROR_CODE: Check = Check {
    id: "server/base/parse-error-code",
    title: "the error for input that is not JSON is -32700",
    cites: BROKEN,
    aliases: &[],
    why: "the code tells the client that its own encoder is broken, and not the request",
    fix: "use -32700 when the message cannot be parsed",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(parse_error_code(cx))),
    fault: &fault::PARSE_ERROR_WRONG_CODE,
};

async fn parse_error_code(cx: &ServerCx) -> Verdict {
    match broken_json(cx).await? {
        None => Err(Finding::not_applicable("the server does not answer invalid JSON with an error")),
        // Over HTTP the status alone may say it: the body is optional.
        Some(Value::Null) => Err(Finding::not_applicable("the refusal has no JSON-RPC body")),
        Some(error) if ::wire::integer_of(&error["code"]) == Some(code::PARSE_ERROR) => Ok(()),
        Some(error) if ::wire::integer_of(&error["code"]).is_none() => Err(Finding::blocked(NO_CODE)),
        Some(error) => Err(shown_broken(Evidence::new("error -32700", error.to_string()))),
    }
}

/// A line that is not JSON.
const BROKEN_JSON: &[u8] = b"{\"jsonrpc\": \"2.0\", nope";

fn shown_broken(evidence: Evidence) -> Finding {
    Finding::Violated(Box::new(evidence.showing(Excerpt::from_bytes(Party::Client, BROKEN_JSON))))
}

/// Sends broken JSON: the error object, null for a refusal without one, `None` for silence.
pub(super) async fn broken_json(cx: &ServerCx) -> Result<Option<Value>, Finding> {
    cx.known.facts().broken.get_or_init(|| send_broken(cx)).await.clone()
}

async fn send_broken(cx: &ServerCx) -> Result<Option<Value>, Finding> {
    let session = cx.exclusive_session().await?;
    if let Some(reply) = session.send_bytes([BROKEN_JSON, b"\n"].concat()).await? {
        let refused = reply.status().is_some_and(|status| status >= 400);
        let error = reply.error().map(|e| json!({ "code": e.code, "message": e.message }));
        return Ok(error.or_else(|| refused.then_some(Value::Null)));
    }
    if !cx.has_caught_up(&session).await {
        return match session.ended() {
            Some(end) => Err(Finding::blocked_by(super::stdio::LIVES_ON.id, end.to_string())),
            None => Ok(None),
        };
    }
    while let Some(message) = session.incoming(cx.pace().moment()).await? {
        if let Some(error) = message.frame().and_then(|f| f.error.map(|raw| raw.get().to_owned())) {
            return Ok(serde_json::from_str(&error).ok());
        }
    }
    Ok(None)
}

/// 2025-03-26 lets clients send JSON-RPC batches, and servers must accept them. Each request in a batch gets its
/// response, also where one of them fails.
pub(super) const BATCH_ANSWERED: Check = Check {
    id: "server/base/batch-answered",
    title: "a JSON-RPC batch is accepted, and every request in it is answered",
    cites: &[must("basic/index#batching", Span::only(Version::V2025_03_26))],
    aliases: &["test_jsonrpc_batch_support"],
    why: "2025-03-26 lets clients send batches, so some do",
    fix: "handle each element of an array as a message of its own, and answer with an array",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(batch_answered(cx))),
    fault: &fault::BATCH_REFUSED,
};

pub(super) async fn batch_answered(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let one = |request: Request| serde_json::from_str::<Value>(&request.message()).unwrap_or_default();
    // A notification that every server knows: unknown ones have checks of their own.
    let params = json!({ "requestId": "yardstick-never-sent" });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    let unknown = one(session.request("yardstick/no-such-method"));
    let batch = json!([one(session.request("ping")), note, unknown, one(session.request("ping"))]);
    let ids = [0, 2, 3].map(|at: usize| batch[at]["id"].clone());
    let line = format!("{batch}\n");
    let mut answered: Vec<Value> = Vec::new();
    let mut summary = None;
    let take = |answered: &mut Vec<Value>, frames: Vec<wire::Frame<'_>>| {
        let responses = frames.into_iter().filter(|f| f.result.is_some() || f.error.is_some());
        let named = responses.filter_map(|f| serde_json::from_str::<Value>(f.id?.get()).ok());
        answered.extend(named.filter(|id| !id.is_null()));
    };
    match session.send_bytes(line.clone()).await? {
        Some(reply) => {
            take(&mut answered, reply.responses());
            summary = Some(Answer::new(reply, session.clone()).summary());
        }
        None if !cx.has_caught_up(&session).await => match session.ended() {
            Some(end) => summary = Some(end.to_string()),
            None => return Err(Finding::blocked("the server no longer answers")),
        },
        None => {
            let deadline = tokio::time::Instant::now() + cx.pace().benefit_of_doubt();
            while answered.len() < ids.len() {
                let left = deadline.saturating_duration_since(tokio::time::Instant::now());
                let Some(message) = session.incoming(left).await? else { break };
                if message.frames().iter().any(wire::Frame::is_anonymous_error) {
                    summary = Some("an error without an id".to_owned());
                }
                take(&mut answered, message.frames());
            }
        }
    }
    if ids.iter().all(|id| answered.contains(id)) {
        return Ok(());
    }
    let found: Vec<_> = answered.iter().map(ToString::to_string).collect();
    let actual = if found.is_empty() {
        summary.unwrap_or_else(|| "no response at all".to_owned())
    } else {
        format!("responses to {}", found.join(", "))
    };
    let evidence = Evidence::new(format!("responses to {}, {} and {}", ids[0], ids[1], ids[2]), actual);
    let sent = Excerpt::from_bytes(Party::Client, line.as_bytes());
    Err(Finding::Violated(Box::new(evidence.showing(sent))))
}
