//! JSON-RPC batches: 2025-03-26 added them, and 2025-06-18 removed them. 2024-11-05 does not speak of them, so nothing is
//! checked there.

use protocol::{Span, Version};
use serde_json::json;
use server::fault::{base as fault, framing};
use transport::Transport;
use transport::client::{Failure, Session};

use super::base::{BATCH_ANSWERED, batch_answered};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised, must};

pub(in crate::checks) const CHECKS: &[Check] = &[NOTIFICATIONS_UNANSWERED, EMPTY_REFUSED, NOT_SERVED];

const WITH_BATCHES: Span = Span::only(Version::V2025_03_26);

/// 2025-03-26: servers must accept JSON-RPC batches, and all messages must follow JSON-RPC 2.0, which wants no response
/// at all, not even an empty array, to a batch that has only notifications.
const NOTIFICATIONS_UNANSWERED: Check = Check {
    id: "server/base/batch-of-notifications-unanswered",
    title: "a batch of notifications gets no response",
    cites: &[must("basic/index#messages", WITH_BATCHES), must("basic/index#batching", WITH_BATCHES)],
    aliases: &["test_jsonrpc_batch_support"],
    why: "the client has no request that an empty list, or a response to a notification, could belong to",
    fix: "send nothing when a batch has no requests in it; over HTTP answer 202",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(notifications_unanswered(cx))),
    fault: &framing::NOTIFICATION_ANSWERED,
};

async fn notifications_unanswered(cx: &ServerCx) -> Verdict {
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/yardstick-unknown" });
    match answer_among_batches(cx, &json!([note, note]).to_string()).await? {
        // That the whole batch is refused is another check's finding.
        Some(answer) if answer.is_refusal() => {
            Err(Finding::not_applicable("the server does not accept batches"))
        }
        Some(BatchAnswer { bytes, .. }) if !bytes.is_empty() => {
            Err(Finding::violated_in(&bytes, "no response", "a response"))
        }
        Some(_) | None => Ok(()),
    }
}

/// The first message that came back or, over HTTP, the whole body.
struct BatchAnswer {
    bytes: Vec<u8>,
    /// Whether it came with an HTTP status of an error. What the server does not accept has to have one.
    is_http_error: bool,
}

impl BatchAnswer {
    /// Whether it refuses the whole batch: by its status, or because it is not JSON-RPC, or an error that has no legal id.
    fn is_refusal(&self) -> bool {
        self.is_http_error
            || match wire::Payload::parse(&self.bytes) {
                Ok(wire::Payload::Single(frame)) => {
                    frame.error.is_some() && !frame.id().is_some_and(|id| id.is_legal())
                }
                Ok(wire::Payload::Batch(_)) => false,
                Err(_) => !self.bytes.is_empty(),
            }
    }
}

/// JSON-RPC 2.0 answers an empty batch with a single error, code -32600. The page only says that batches must be
/// accepted.
const EMPTY_REFUSED: Check = Check {
    id: "server/base/batch-empty-refused",
    title: "an empty batch is answered with one error",
    // The error that JSON-RPC asks for has no id, and the schema of this revision defines no such error.
    cites: &[advised("basic/index#batching", WITH_BATCHES)],
    aliases: &[],
    why: "JSON-RPC counts an empty batch among invalid requests; a client that sends one would wait for ever",
    fix: "answer [] with a single error object, code -32600, not with a list",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(empty_refused(cx))),
    fault: &fault::BATCH_EMPTY_IGNORED,
};

async fn empty_refused(cx: &ServerCx) -> Verdict {
    match answer_among_batches(cx, "[]").await? {
        Some(BatchAnswer { bytes, .. }) => match wire::Frame::parse(&bytes) {
            Ok(frame) if frame.error.is_some() => Ok(()),
            Ok(_) | Err(_) => Err(Finding::violated_in(&bytes, "one error", "something else")),
        },
        None => Err(Finding::violated("one error", "nothing")),
    }
}

/// 2025-06-18 removed JSON-RPC batches: a transport carries one message at a time. No page says how to answer a batch,
/// so anything passes that is not a batch itself.
const NOT_SERVED: Check = Check {
    id: "server/base/batch-not-served",
    title: "a JSON-RPC batch is not answered with a batch, as the revision has none",
    cites: &[advised("basic/index#messages", Span::since(Version::V2025_06_18))],
    aliases: &["test_2025_06_18", "test_batch_request_rejection"],
    why: "clients of this revision read one message at a time, and cannot read a list of them",
    fix: "refuse a batch with a single error, code -32600",
    applies: Applies::Everywhere,
    run: Run::Malformed(|cx| Box::pin(not_served(cx))),
    fault: &fault::BATCH_SERVED,
};

async fn not_served(cx: &ServerCx) -> Verdict {
    let method = cx.cheap_method();
    let one = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": method });
    let batch = json!([one(70_001), one(70_002)]).to_string();
    let answer = match cx.transport {
        Transport::Stdio => answer_to(cx, &batch).await?,
        // On a session that the passive checks do not read: they would report the same list again.
        Transport::StreamableHttp | Transport::HttpSse => {
            answer_on(cx, &cx.unjudged_session().await?, &batch).await?
        }
    };
    match answer {
        Some(BatchAnswer { bytes, .. }) if bytes.trim_ascii_start().starts_with(b"[") => {
            Err(Finding::violated_in(&bytes, "a single error, or nothing", "a list of messages"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Like [`answer_to`], in the revision that has batches. If the server accepts no batch at all, [`BATCH_ANSWERED`] reports
/// it, and the finding is blocked.
async fn answer_among_batches(cx: &ServerCx, batch: &str) -> Result<Option<BatchAnswer>, Finding> {
    let answer = answer_to(cx, batch).await;
    let why = match &answer {
        Err(Finding::Violated(evidence)) => evidence.actual.clone(),
        Err(Finding::Blocked(obstacle)) if obstacle.because.is_none() => obstacle.why.clone(),
        Ok(_) | Err(_) => return answer,
    };
    match batch_answered(cx).await {
        Err(Finding::Violated(_)) => Err(Finding::blocked_by(BATCH_ANSWERED.id, why)),
        Ok(()) | Err(_) => answer,
    }
}

/// Sends `batch` on a session of its own.
async fn answer_to(cx: &ServerCx, batch: &str) -> Result<Option<BatchAnswer>, Finding> {
    let session = cx.exclusive_session().await?;
    answer_on(cx, &session, batch).await
}

async fn answer_on(cx: &ServerCx, session: &Session, batch: &str) -> Result<Option<BatchAnswer>, Finding> {
    let line = format!("{batch}\n");
    if cx.transport != Transport::Stdio {
        return match session.request("ping").body(line).timeout(cx.pace().limit()).send().await {
            Ok(reply) => {
                let is_http_error = reply.status().is_some_and(|status| status >= 400);
                let first = reply.messages.first().map(|message| message.bytes.to_vec());
                let bytes = first.or_else(|| (!reply.body.is_empty()).then(|| reply.body.to_vec()));
                Ok(bytes.map(|bytes| BatchAnswer { bytes, is_http_error }))
            }
            Err(Failure::TimedOut { .. }) => Ok(None),
            Err(failure) => Err(failure.into()),
        };
    }
    session.send_bytes(line).await?;
    if !cx.has_caught_up(session).await {
        return Err(match session.ended() {
            Some(end) => Finding::violated("an answer to the request after the batch", end.to_string()),
            None => Finding::blocked("the server no longer answers"),
        });
    }
    while let Some(message) = session.incoming(cx.pace().moment()).await? {
        let response = message.frames().iter().any(|frame| frame.method.is_none());
        if response || message.frame().is_none() {
            return Ok(Some(BatchAnswer { bytes: message.bytes.to_vec(), is_http_error: false }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_is_refused_is_told_from_notifications_that_are_answered() {
        let answer = |text: &str, is_http_error| BatchAnswer { bytes: text.into(), is_http_error };
        for refusal in [
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no list"}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}}"#,
            "fail to deserialize request body",
        ] {
            assert!(answer(refusal, false).is_refusal(), "{refusal}");
        }
        for response in [
            r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"unknown"}}"#,
            r#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"unknown"}}]"#,
        ] {
            assert!(!answer(response, false).is_refusal(), "{response}");
        }
        let made_up = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no list"}}"#;
        assert!(answer(made_up, true).is_refusal() && !answer(made_up, false).is_refusal());
    }
}
