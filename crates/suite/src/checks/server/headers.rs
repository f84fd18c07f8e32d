//! Headers that repeat the body, in 2026-07-28.

use protocol::{Span, code};
use server::fault::http as fault;

use crate::{Check, On, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[MISMATCH_REFUSED, MISMATCH_CODE];

const VALIDATION: &str = "basic/transports/streamable-http#server-validation";

const MISMATCH_REFUSED: Check = Check {
    id: "server/headers/mismatch-refused",
    title: "headers that contradict the body are refused with 400",
    cites: &[must(VALIDATION, Span::MODERN)],
    aliases: &[],
    why: "a gateway lets the request through for what its headers say, and the server runs what its body says",
    fix: "compare MCP-Protocol-Version, Mcp-Method and Mcp-Name with the body, and answer 400",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(mismatch_refused(cx))),
    fault: &fault::HEADER_MISMATCH_SERVED,
};

async fn mismatch_refused(cx: &ServerCx) -> Verdict {
    let other = cx.request("server/discover").await?.header("mcp-method", "tools/list");
    other.send().await?.expect_status(&[400])?;
    let missing = cx.request("server/discover").await?.with(|r| r.without_header("mcp-method"));
    missing.send().await?.expect_status(&[400])?;
    let version = cx.request("server/discover").await?.header("mcp-protocol-version", "2025-11-25");
    version.send().await?.expect_status(&[400])
}

const MISMATCH_CODE: Check = Check {
    id: "server/headers/mismatch-code",
    title: "the error for headers that contradict the body is -32020",
    cites: &[must(VALIDATION, Span::MODERN)],
    aliases: &[],
    why: "the code tells a client to look at its headers, and to read the tool's schema again",
    fix: "answer error -32020, and say in the message which header disagrees",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(mismatch_code(cx))),
    fault: &fault::HEADER_MISMATCH_WRONG_CODE,
};

async fn mismatch_code(cx: &ServerCx) -> Verdict {
    let other = cx.request("server/discover").await?.header("mcp-method", "tools/list");
    other.send().await?.expect_error(&[code::HEADER_MISMATCH])
}
