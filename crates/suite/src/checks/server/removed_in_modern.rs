//! What 2026-07-28 removed from Streamable HTTP: GET, DELETE, sessions and resumption.

use protocol::{Era, Span, Version};
use server::fault::http as fault;
use transport::Transport;

use super::http::HeadReply;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, should};

pub(in crate::checks) const CHECKS: &[Check] = &[GET_DELETE_405, HEADERS_IGNORED];

const PLACE: &str = "basic/transports/streamable-http#earlier-streamable-http-revisions";

/// A server that supports only 2026-07-28 should answer GET and DELETE on the MCP endpoint with 405.
const GET_DELETE_405: Check = Check {
    id: "server/http/get-and-delete-405",
    title: "a server that speaks only 2026-07-28 answers GET and DELETE with 405",
    cites: &[should(PLACE, Span::MODERN)],
    aliases: &[],
    why: "405 is how a client of an earlier revision learns that there is nothing to listen to or to end",
    fix: "allow POST on the endpoint, and answer 405 to GET and DELETE",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(get_delete_405(cx))),
    fault: &fault::GET_IN_MODERN,
};

async fn get_delete_405(cx: &ServerCx) -> Verdict {
    let session = cx.another_session().await?;
    for verb in [http::Method::GET, http::Method::DELETE] {
        let name = verb.to_string();
        let reply = HeadReply::to(cx, &session, verb, &name, |request| request).await?;
        if reply.head.status != 405 {
            only_modern(cx).await?;
            let actual = format!("HTTP {}", reply.head.status);
            return Err(reply.violated(format!("HTTP 405 for {name}"), actual));
        }
    }
    Ok(())
}

/// A server that supports only 2026-07-28 should ignore `Mcp-Session-Id` and `Last-Event-ID`, and should not return a
/// session id.
const HEADERS_IGNORED: Check = Check {
    id: "server/sessions/header-ignored-in-modern",
    title: "Mcp-Session-Id and Last-Event-ID of earlier revisions are ignored",
    cites: &[should(PLACE, Span::MODERN)],
    aliases: &[],
    why: "a client that once had a session may still send its id; it must be served all the same",
    fix: "do not read Mcp-Session-Id and Last-Event-ID, and do not send a session id back",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(headers_ignored(cx))),
    fault: &fault::SESSION_HEADER_REFUSED,
};

async fn headers_ignored(cx: &ServerCx) -> Verdict {
    for (name, value) in [("mcp-session-id", "yardstick-left-over"), ("last-event-id", "1-1")] {
        let plain = cx.request("tools/list").await?.send().await?;
        let answer = cx.request("tools/list").await?.header(name, value).send().await?;
        let minted = answer.reply.header("mcp-session-id").is_some();
        if minted || answer.reply.status() != plain.reply.status() {
            only_modern(cx).await?;
            let actual = if minted { "a session id came back".to_owned() } else { answer.summary() };
            return Err(answer.violated(format!("the same answer with {name} as without"), actual));
        }
    }
    Ok(())
}

/// Not applicable to a server that speaks earlier revisions too: it may serve what belongs to them.
async fn only_modern(cx: &ServerCx) -> Verdict {
    let supported = cx.session().await?.server().supported;
    let legacy = |name: &String| name.parse::<Version>().is_ok_and(|version| version.era() == Era::Legacy);
    if supported.is_empty() || supported.iter().any(legacy) {
        return Err(Finding::not_applicable("the server speaks earlier revisions too"));
    }
    Ok(())
}
