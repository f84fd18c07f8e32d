//! POSTs whose body is not a message.

use protocol::{Span, Version};
use server::fault::http as fault;
use transport::Transport;

use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised};

pub(in crate::checks) const CHECKS: &[Check] = &[BAD_JSON_STATUS];

const STREAMABLE: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const SENDING: &str = "basic/transports#sending-messages-to-the-server";

/// Streamable HTTP, sending messages: the body must be a JSON-RPC message, and a server that cannot accept a
/// notification must answer with an HTTP error. For a body that is not JSON the pages only imply it.
const BAD_JSON_STATUS: Check = Check {
    id: "server/http/bad-json-status",
    title: "a body that is not JSON is refused with an HTTP error",
    cites: &[
        advised(SENDING, STREAMABLE),
        advised("basic/transports/streamable-http#sending-messages", Span::MODERN),
    ],
    aliases: &["test_http_transport_requirements"],
    why: "proxies, and clients that look at the status first, take 200 for a success",
    fix: "answer 400, with error -32700 in the body",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Malformed(|cx| Box::pin(bad_json_status(cx))),
    fault: &fault::BAD_JSON_200,
};

async fn bad_json_status(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let answer =
        cx.request_on(&session, "broken JSON").with(|r| r.body("{\"jsonrpc\": \"2.0\", nope")).send().await?;
    match answer.reply.status() {
        Some(400..=499) => Ok(()),
        Some(_) => Err(answer.violated("HTTP 400", answer.summary())),
        None => Err(Finding::blocked("there was no HTTP response")),
    }
}
