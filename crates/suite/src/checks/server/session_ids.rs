//! Sessions of Streamable HTTP up to 2025-11-25: ids that cannot be guessed, sessions that are independent, and requests without
//! a version.

use protocol::{Span, Version};
use server::fault::streams as fault;
use transport::Transport;
use transport::client::Session;

use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised, defined, should};

pub(in crate::checks) const CHECKS: &[Check] = &[UNGUESSABLE, UNKNOWN_REFUSED, INDEPENDENT, VERSION_OPTIONAL];

const SESSIONS: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const PLACE: &str = "basic/transports#session-management";
/// Fewer characters than this cannot hold sixty-four random bits.
const MIN_ID_CHARS: usize = 11;

/// A session id should be globally unique and cryptographically secure, such as a random UUID.
const UNGUESSABLE: Check = Check {
    id: "server/sessions/id-unguessable",
    title: "session ids are unique and hard to guess",
    cites: &[should(PLACE, SESSIONS)],
    aliases: &[],
    why: "whoever guesses an id takes over the session",
    fix: "use a random UUID, made with a generator that is meant for secrets",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Server(|cx| Box::pin(unguessable(cx))),
    fault: &fault::COUNTED_SESSIONS,
};

async fn unguessable(cx: &ServerCx) -> Verdict {
    let (one, two) = (cx.another_session().await?, cx.another_session().await?);
    let (one, two) = (id(&one)?, id(&two)?);
    if one == two {
        return Err(Finding::violated("an id of its own for every session", "two sessions with one id"));
    }
    match one.len().min(two.len()) {
        length if length < MIN_ID_CHARS => {
            Err(Finding::violated("an id that cannot be guessed", format!("an id of {length} characters")))
        }
        _ => Ok(()),
    }
}

/// A terminated session must be answered with 404. The page does not speak of ids that were never assigned; that they
/// are refused too is implied.
const UNKNOWN_REFUSED: Check = Check {
    id: "server/sessions/unknown-refused",
    title: "a session id that was never assigned is refused",
    cites: &[advised(PLACE, SESSIONS)],
    aliases: &["test_http_session_management"],
    why: "a client must learn that its session is lost, and nobody may make one up",
    fix: "answer 404 to a session id that you do not know",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(unknown_refused(cx))),
    fault: &fault::ANY_SESSION,
};

async fn unknown_refused(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    id(&session)?;
    let made_up = "00000000-0000-4000-8000-79617264737469";
    let answer = cx.request_on(&session, "ping").header("mcp-session-id", made_up).send().await?;
    match answer.reply.status() {
        Some(400..=499) => Ok(()),
        _ => Err(answer.violated("HTTP 404", answer.summary())),
    }
}

/// DELETE terminates the session whose id it carries, and no other.
const INDEPENDENT: Check = Check {
    id: "server/sessions/independent",
    title: "the end of one session leaves the others alone",
    cites: &[defined(PLACE, SESSIONS)],
    aliases: &[],
    why: "one client that leaves would end the sessions of all others",
    fix: "keep what belongs to a session under its id, and remove only that",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Last(|cx| Box::pin(independent(cx))),
    fault: &fault::DELETE_ENDS_ALL,
};

async fn independent(cx: &ServerCx) -> Verdict {
    // On sessions of its own, so that the shared one survives.
    let (one, two) = (cx.another_session().await?, cx.another_session().await?);
    id(&one)?;
    let deleted = cx.request_on(&one, "DELETE").with(|r| r.verb(http::Method::DELETE)).send().await?;
    if deleted.reply.status() == Some(405) {
        return Err(Finding::not_applicable("the server does not let clients terminate sessions"));
    }
    cx.request_on(&two, "ping").send().await?.expect_result().map(drop)
}

/// If a request has no `MCP-Protocol-Version`, and the server cannot know the version otherwise, it should assume
/// 2025-03-26. That it serves the request is implied, unless it does not speak that revision, whose requests it may refuse.
const VERSION_OPTIONAL: Check = Check {
    id: "server/sessions/version-header-optional",
    title: "a request without MCP-Protocol-Version is served",
    cites: &[advised(
        "basic/transports#protocol-version-header",
        Span::between(Version::V2025_06_18, Version::V2025_11_25),
    )],
    aliases: &["test_versioning_requirements"],
    why: "clients of 2025-03-26 do not know the header",
    fix: "go by the version of the handshake, or assume 2025-03-26",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(version_optional(cx))),
    fault: &fault::VERSION_INSISTED,
};

async fn version_optional(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let ask = cx.request_on(&session, "ping").with(|r| r.without_header("mcp-protocol-version"));
    let verdict = ask.send().await?.expect_result().map(drop);
    if verdict.is_err() && !cx.run().speaks(Version::V2025_03_26).await? {
        return Err(Finding::not_applicable("the server does not speak 2025-03-26"));
    }
    verdict
}

fn id(session: &Session) -> Result<String, Finding> {
    session.server().session_id.ok_or_else(|| Finding::not_applicable("the server assigns no session ids"))
}
