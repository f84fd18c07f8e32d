//! The standard request headers of 2026-07-28, which repeat parts of the body: `MCP-Protocol-Version` and `Mcp-Method`.

use protocol::{Span, Version, code, header};
use server::fault::{headers as names, http as fault};
use transport::Transport;
use transport::client::{Endpoint, RawReply};
use url::Position;

use super::header_names::{NAME_CHECKED, Named};
use crate::expect::Ask;
use crate::{Applies, Check, Evidence, Excerpt, Finding, Party, Run, ServerCx, Verdict, defined, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[MISMATCH_REFUSED, MISMATCH_CODE, VERSION_REQUIRED, ANY_CASE, VALUES_EXACT];

const VALIDATION: &str = "basic/transports/streamable-http#server-validation";

/// Streamable HTTP, server validation: a server that reads the body must refuse a request whose headers do not match
/// it, with 400. `Mcp-Method` is required for every request, and `MCP-Protocol-Version` must equal the version in
/// `_meta`.
const MISMATCH_REFUSED: Check = Check {
    id: "server/headers/mismatch-refused",
    title: "headers that contradict the body are refused with 400",
    cites: &[must(VALIDATION, Span::MODERN)],
    aliases: &["test_versioning_requirements"],
    why: "a gateway lets the request through for what its headers say, and the server runs what its body says",
    fix: "compare MCP-Protocol-Version, Mcp-Method and Mcp-Name with the body, and answer 400",
    applies: Applies::Over(Transport::StreamableHttp),
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

/// Every POST must have `MCP-Protocol-Version`. A server must refuse a request without it, or may treat it as
/// 2025-03-26 if it supports clients older than 2025-06-18.
const VERSION_REQUIRED: Check = Check {
    id: "server/headers/version-required",
    title: "a request without MCP-Protocol-Version is not served as 2026-07-28",
    cites: &[must("basic/transports/streamable-http#protocol-version-header", Span::MODERN)],
    aliases: &["test_versioning_requirements"],
    why: "a proxy that goes by the header takes it for a request of 2025-03-26",
    fix: "refuse it with 400, or treat it as 2025-03-26, which has no server/discover",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(version_required(cx))),
    fault: &fault::HEADER_MISMATCH_SERVED,
};

async fn version_required(cx: &ServerCx) -> Verdict {
    let bare = cx.request("server/discover").await?.with(|r| r.without_header("mcp-protocol-version"));
    let answer = bare.send().await?;
    let refused = answer.reply.status().is_some_and(|status| status >= 400);
    if refused { Ok(()) } else { answer.expect_any_error() }
}

/// When a server refuses a request because its headers do not match the body, the response must have a JSON-RPC error
/// with code -32020.
const MISMATCH_CODE: Check = Check {
    id: "server/headers/mismatch-code",
    title: "the error for headers that contradict the body is -32020",
    cites: &[must(VALIDATION, Span::MODERN)],
    aliases: &[],
    why: "the code tells a client to look at its headers, and to read the tool's schema again",
    fix: "answer error -32020, and say in the message which header disagrees",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(mismatch_code(cx))),
    fault: &fault::HEADER_MISMATCH_WRONG_CODE,
};

async fn mismatch_code(cx: &ServerCx) -> Verdict {
    let other = cx.request("server/discover").await?.header("mcp-method", "tools/list");
    other.send().await?.expect_error(&[code::HEADER_MISMATCH])
}

/// Clients and servers must compare the names of headers without regard to case.
const ANY_CASE: Check = Check {
    id: "server/headers/names-in-any-case",
    title: "header names are recognised in capitals too",
    cites: &[must("basic/transports/streamable-http#case-sensitivity", Span::MODERN)],
    aliases: &[],
    why: "clients and proxies spell names as they like; HTTP makes no difference",
    fix: "look headers up without regard to case",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(any_case(cx))),
    fault: &names::CAPITALS_LOST,
};

async fn any_case(cx: &ServerCx) -> Verdict {
    let reply = discover_raw(cx, str::to_ascii_uppercase).await?;
    let Some(status) = reply.status() else {
        return Err(Finding::blocked("there was no HTTP response in time"));
    };
    if status == 200 {
        return Ok(());
    }
    // The same request in lower case: what is refused as well is refused for another reason.
    match discover_raw(cx, str::to_ascii_lowercase).await?.status() {
        Some(200) => {}
        Some(other) => {
            let why = format!("the same request is refused with HTTP {other} in lower case too");
            return Err(Finding::blocked(why));
        }
        None => return Err(Finding::blocked("there was no HTTP response in lower case")),
    }
    let excerpt = Excerpt::from_bytes(Party::Server, reply.body());
    let evidence = Evidence::new("HTTP 200, as for headers in lower case", format!("HTTP {status}"));
    Err(Finding::Violated(Box::new(evidence.showing(excerpt))))
}

/// The values of headers are case-sensitive, such as the names of methods. A server that reads the body must refuse a request
/// whose headers do not match it.
const VALUES_EXACT: Check = Check {
    id: "server/headers/values-case-sensitive",
    title: "a header value that differs from the body in case is refused with 400",
    cites: &[
        must(VALIDATION, Span::MODERN),
        defined("basic/transports/streamable-http#case-sensitivity", Span::MODERN),
    ],
    aliases: &[],
    why: "a gateway that goes by the header sees another method or tool than the one that runs",
    fix: "compare the values of Mcp-Method and Mcp-Name with the body byte by byte",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(values_exact(cx))),
    fault: &names::VALUES_IN_ANY_CASE,
};

async fn values_exact(cx: &ServerCx) -> Verdict {
    let refused = async |ask: Ask<'_>| ask.send().await?.expect_status(&[400]);
    // A server that compares nothing is told so by other checks.
    let other = cx.request("server/discover").await?.header("mcp-method", "tools/list");
    refused(other).await.map_err(|finding| finding.into_obstacle_of(MISMATCH_REFUSED.id))?;
    refused(cx.request("server/discover").await?.header("mcp-method", "Server/Discover")).await?;
    for named in Named::all(cx).await.unwrap_or_default() {
        let Some(name) = named.in_other_case() else { continue };
        let other = named.ask(cx).await?.header("mcp-name", "yardstick-other");
        refused(other).await.map_err(|finding| finding.into_obstacle_of(NAME_CHECKED.id))?;
        refused(named.ask(cx).await?.header("mcp-name", &name)).await?;
    }
    Ok(())
}

/// The answer to a discovery whose header names are spelled as `spell` says.
async fn discover_raw(cx: &ServerCx, spell: fn(&str) -> String) -> Result<RawReply, Finding> {
    // The message is the usual one, with everything that servers may ask for in it.
    let message = cx.session().await?.request("server/discover").message();
    let mut socket = cx.raw_socket().await?;
    socket.write(&spell_request(cx.endpoint()?, cx.version, &message, spell)).await?;
    Ok(socket.response(cx.pace().limit()).await)
}

/// A POST of `message`, byte by byte.
fn spell_request(endpoint: &Endpoint, version: Version, message: &str, spell: fn(&str) -> String) -> Vec<u8> {
    let url = &endpoint.url;
    let (path, host) =
        (&url[Position::BeforePath..Position::AfterQuery], &url[Position::BeforeHost..Position::AfterPort]);
    let usual = [
        ("Host", host.to_owned()),
        ("Content-Type", "application/json".to_owned()),
        ("Accept", "application/json, text/event-stream".to_owned()),
        (header::PROTOCOL_VERSION, version.to_string()),
        (header::METHOD, "server/discover".to_owned()),
        ("Content-Length", message.len().to_string()),
    ];
    let mut head = format!("POST {path} HTTP/1.1\r\n");
    for (name, value) in usual {
        head.push_str(&format!("{}: {value}\r\n", spell(name)));
    }
    for (name, value) in &endpoint.headers {
        head.push_str(&format!("{}: {value}\r\n", spell(name)));
    }
    format!("{head}\r\n{message}").into_bytes()
}
