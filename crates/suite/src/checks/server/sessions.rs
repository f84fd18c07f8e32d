//! Sessions of Streamable HTTP, which 2026-07-28 removed: their ids, their end, and the version of their requests.

use protocol::{Span, Version};
use server::fault::http as fault;
use transport::Transport;
use transport::client::{Request, Session};

use super::http::{expect_notification_refused, expect_refused};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advice, advised, must};

pub(in crate::checks) const CHECKS: &[Check] = &[ID_VISIBLE, REQUIRED, TERMINATED, VERSION_HEADER, STATELESS];

const SESSIONS: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const PLACE: &str = "basic/transports#session-management";

/// A session id must have only visible ASCII characters, from 0x21 to 0x7E.
const ID_VISIBLE: Check = Check {
    id: "server/sessions/id-visible-ascii",
    title: "session ids are visible ASCII",
    cites: &[must(PLACE, SESSIONS)],
    aliases: &["test_http_session_management"],
    why: "anything else is changed or dropped on its way through HTTP libraries",
    fix: "use a random UUID, or hexadecimal digits",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(id_visible(cx))),
    fault: &fault::SESSION_ID_NOT_ASCII,
};

async fn id_visible(cx: &ServerCx) -> Verdict {
    let session = cx.session().await?;
    let id = session_id(session)?;
    if id.bytes().all(|b| (0x21..=0x7e).contains(&b)) && !id.is_empty() {
        return Ok(());
    }
    Err(Finding::violated("only characters from ! to ~", format!("Mcp-Session-Id: {id:?}")))
}

fn session_id(session: &Session) -> Result<String, Finding> {
    session.server().session_id.ok_or_else(|| Finding::not_applicable("the server assigns no session ids"))
}

/// A server that requires a session id should answer 400 to a request without one, unless it is the handshake. No
/// server has to require it, so this is advice.
const REQUIRED: Check = Check {
    id: "server/sessions/id-required",
    title: "a request without the session id is refused with 400",
    cites: &[advice(PLACE, SESSIONS)],
    aliases: &["test_http_session_management"],
    why: "served without its session, a request gets somebody else's state, or none",
    fix: "answer 400 when the header is missing, unless the request is initialize",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(required(cx))),
    fault: &fault::SESSION_OPTIONAL,
};

async fn required(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    session_id(&session)?;
    let anonymous = |request: Request| request.without_header("mcp-session-id");
    cx.request_on(&session, "ping").with(anonymous).send().await?.expect_status(&[400])?;
    expect_notification_refused(cx, &session, "without a session id", anonymous).await?;
    expect_refused(cx, &session, http::Method::GET, "GET without a session id", anonymous).await
}

/// A server must answer 404 to requests of a session that was terminated. It may refuse DELETE with 405, in which case
/// there is nothing to judge.
const TERMINATED: Check = Check {
    id: "server/sessions/terminated-404",
    title: "requests of a terminated session are answered with 404",
    cites: &[must(PLACE, SESSIONS)],
    aliases: &["test_shutdown_sequence", "test_http_session_management"],
    why: "404 is what makes a client start a new session; on anything else it goes on with a dead one",
    fix: "forget the session on DELETE, and answer 404 to its id from then on",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Last(|cx| Box::pin(terminated(cx))),
    fault: &fault::SESSION_IMMORTAL,
};

async fn terminated(cx: &ServerCx) -> Verdict {
    let session = cx.another_session().await?;
    session_id(&session)?;
    let deleted = cx.request_on(&session, "DELETE").with(|r| r.verb(http::Method::DELETE)).send().await?;
    // Many servers have no route for DELETE, and refuse it with another status than 405. The session goes on.
    if deleted.reply.status().is_none_or(|status| !(200..300).contains(&status)) {
        return Err(Finding::not_applicable("the server does not let clients terminate sessions"));
    }
    cx.request_on(&session, "ping").send().await?.expect_status(&[404])?;
    expect_refused(cx, &session, http::Method::GET, "GET in a terminated session", |request| request).await
}

/// A server must answer 400 to a request with an `MCP-Protocol-Version` that is invalid or that it does not support.
/// 2025-03-26 has no such header; 2026-07-28 has checks of its own.
const VERSION_HEADER: Check = Check {
    id: "server/sessions/version-header-checked",
    title: "a request with an unknown MCP-Protocol-Version is refused with 400",
    cites: &[must(
        "basic/transports#protocol-version-header",
        Span::between(Version::V2025_06_18, Version::V2025_11_25),
    )],
    aliases: &["test_versioning_requirements", "test_2025_06_18"],
    why: "the header is how a server of several revisions knows what the client will understand",
    fix: "answer 400 when the header names a version that you do not support",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(version_header(cx))),
    fault: &fault::VERSION_HEADER_IGNORED,
};

async fn version_header(cx: &ServerCx) -> Verdict {
    let ancient = |request: Request| request.header("mcp-protocol-version", "1999-12-31");
    cx.request("ping").await?.with(ancient).send().await?.expect_status(&[400])?;
    let session = cx.another_session().await?;
    expect_notification_refused(cx, &session, "in a version that does not exist", ancient).await?;
    for verb in [http::Method::GET, http::Method::DELETE] {
        let about = format!("{verb} in a version that does not exist");
        expect_refused(cx, &session, verb, &about, ancient).await?;
    }
    Ok(())
}

/// 2026-07-28 has no sessions. A server that supports only this revision should not assign session ids. A server that speaks
/// earlier revisions too serves a request with modern `_meta` statelessly; that it assigns none for it is implied.
const STATELESS: Check = Check {
    id: "server/sessions/none-in-modern",
    title: "no session id is assigned for a modern request",
    cites: &[
        advised("basic/transports/streamable-http#earlier-streamable-http-revisions", Span::MODERN),
        advised("basic/versioning#compatibility-matrix", Span::MODERN),
    ],
    aliases: &["test_http_session_management"],
    why: "clients that see the header stick to one instance, and the revision removed sessions to avoid that",
    fix: "do not send Mcp-Session-Id in answer to a modern request",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(stateless(cx))),
    fault: &fault::STATELESS_SESSION,
};

async fn stateless(cx: &ServerCx) -> Verdict {
    let answer = cx.request("server/discover").await?.send().await?;
    expect_none(answer.reply.header("mcp-session-id"), |id| {
        answer.violated("no Mcp-Session-Id", format!("Mcp-Session-Id: {id}"))
    })
}
