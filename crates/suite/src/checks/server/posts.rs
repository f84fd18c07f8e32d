//! What is posted and is no request: responses, and what is no message at all.

use protocol::{Span, Version};
use serde_json::json;
use server::fault::http as fault;

use crate::{Check, Finding, On, Run, ServerCx, Verdict, advised, must};

pub(in crate::checks) const CHECKS: &[Check] = &[RESPONSE_ACCEPTED, BAD_JSON_STATUS];

const STREAMABLE: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const SENDING: &str = "basic/transports#sending-messages-to-the-server";

const RESPONSE_ACCEPTED: Check = Check {
    id: "server/http/response-accepted",
    title: "an accepted response gets 202 and no body",
    cites: &[must(SENDING, STREAMABLE)],
    aliases: &[],
    why: "the client has answered and waits for nothing; what else comes it cannot place",
    fix: "answer a posted response with 202 Accepted and nothing more, or refuse it with 4xx",
    on: On::Http,
    run: Run::Alone(|cx| Box::pin(response_accepted(cx))),
    fault: &fault::RESPONSE_200,
};

async fn response_accepted(cx: &ServerCx) -> Verdict {
    let session = cx.alone().await?;
    let response = json!({ "jsonrpc": "2.0", "id": "yardstick-never-asked", "result": {} });
    let answer = cx.on(&session, "a response").with(|r| r.body(response.to_string())).send().await?;
    match answer.reply.status() {
        Some(202) if answer.reply.body.is_empty() => Ok(()),
        // It answers nothing that was asked, so it may be refused.
        Some(status) if status >= 400 => Ok(()),
        Some(202) => Err(answer.violated("202 without a body", "202 with a body")),
        _ => Err(answer.violated("HTTP 202", answer.summary())),
    }
}

const BAD_JSON_STATUS: Check = Check {
    id: "server/http/bad-json-status",
    title: "what is not JSON is refused with an HTTP error",
    cites: &[
        advised(SENDING, STREAMABLE),
        advised("basic/transports/streamable-http#sending-messages", Span::MODERN),
    ],
    aliases: &["test_http_transport_requirements"],
    why: "those in between, and clients that look at the status first, take 200 for a success",
    fix: "answer 400, with error -32700 in the body",
    on: On::Http,
    run: Run::Alone(|cx| Box::pin(bad_json_status(cx))),
    fault: &fault::BAD_JSON_200,
};

async fn bad_json_status(cx: &ServerCx) -> Verdict {
    let session = cx.alone().await?;
    let answer =
        cx.on(&session, "broken JSON").with(|r| r.body("{\"jsonrpc\": \"2.0\", nope")).send().await?;
    match answer.reply.status() {
        Some(400..=499) => Ok(()),
        Some(_) => Err(answer.violated("HTTP 400", answer.summary())),
        None => Err(Finding::blocked("there was no HTTP response")),
    }
}
