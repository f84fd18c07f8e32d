//! Headers that repeat the body, in 2026-07-28.

use protocol::{Span, code, meta};
use serde_json::json;
use server::fault::{headers as names, http as fault};
use url::Position;

use super::header_names::Named;
use crate::{Check, Evidence, Excerpt, Finding, On, Party, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[MISMATCH_REFUSED, MISMATCH_CODE, VERSION_REQUIRED, ANY_CASE];

const VALIDATION: &str = "basic/transports/streamable-http#server-validation";

const MISMATCH_REFUSED: Check = Check {
    id: "server/headers/mismatch-refused",
    title: "headers that contradict the body are refused with 400",
    cites: &[must(VALIDATION, Span::MODERN)],
    aliases: &["test_versioning_requirements"],
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
    version.send().await?.expect_status(&[400])?;
    for named in Named::all(cx).await.unwrap_or_default() {
        named.ask(cx).await?.header("mcp-method", "server/discover").send().await?.expect_status(&[400])?;
        let version = named.ask(cx).await?.header("mcp-protocol-version", "2025-11-25");
        version.send().await?.expect_status(&[400])?;
    }
    Ok(())
}

const VERSION_REQUIRED: Check = Check {
    id: "server/headers/version-required",
    title: "a request without MCP-Protocol-Version is not served as one of this revision",
    cites: &[must("basic/transports/streamable-http#protocol-version-header", Span::MODERN)],
    aliases: &["test_versioning_requirements"],
    why: "whoever stands in between and goes by the header takes it for a request of 2025-03-26",
    fix: "refuse it with 400, or treat it as 2025-03-26, which has no server/discover",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(version_required(cx))),
    fault: &fault::HEADER_MISMATCH_SERVED,
};

async fn version_required(cx: &ServerCx) -> Verdict {
    let bare = cx.request("server/discover").await?.with(|r| r.without_header("mcp-protocol-version"));
    let answer = bare.send().await?;
    let refused = answer.reply.status().is_some_and(|status| status >= 400);
    if refused { Ok(()) } else { answer.expect_any_error() }
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

const ANY_CASE: Check = Check {
    id: "server/headers/names-in-any-case",
    title: "the names of headers may be in capitals",
    cites: &[must("basic/transports/streamable-http#case-sensitivity", Span::MODERN)],
    aliases: &[],
    why: "clients and proxies spell names as they like; HTTP makes no difference",
    fix: "look headers up without regard to case",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(any_case(cx))),
    fault: &names::CAPITALS_LOST,
};

async fn any_case(cx: &ServerCx) -> Verdict {
    cx.session().await?;
    let mut socket = cx.raw_socket().await?;
    socket.write(&in_capitals(cx)?).await?;
    let reply = socket.response(cx.pace().limit()).await;
    match reply.status() {
        Some(200) => Ok(()),
        Some(status) => {
            let excerpt = Excerpt::of(Party::Server, reply.body());
            let evidence = Evidence::new("HTTP 200, as for headers in lower case", format!("HTTP {status}"));
            Err(Finding::Violated(Box::new(evidence.showing(excerpt))))
        }
        None => Err(Finding::blocked("there was no HTTP response in time")),
    }
}

/// A discovery whose headers are all in capitals, byte by byte.
fn in_capitals(cx: &ServerCx) -> Result<Vec<u8>, Finding> {
    let endpoint = cx.endpoint()?;
    let meta = json!({ meta::PROTOCOL_VERSION: cx.version, meta::CLIENT_CAPABILITIES: {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": meta } });
    let body = body.to_string();
    let url = &endpoint.url;
    let (path, host) =
        (&url[Position::BeforePath..Position::AfterQuery], &url[Position::BeforeHost..Position::AfterPort]);
    let mut head = format!(
        "POST {path} HTTP/1.1\r\nHOST: {host}\r\nCONTENT-TYPE: application/json\r\n\
         ACCEPT: application/json, text/event-stream\r\nMCP-PROTOCOL-VERSION: {}\r\nMCP-METHOD: server/discover\r\n\
         CONTENT-LENGTH: {}\r\n",
        cx.version,
        body.len()
    );
    for (name, value) in &endpoint.headers {
        head.push_str(&format!("{}: {value}\r\n", name.to_ascii_uppercase()));
    }
    Ok(format!("{head}\r\n{body}").into_bytes())
}
