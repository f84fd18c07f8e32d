//! Progress of a tool that is known to report it.

use protocol::Span;
use serde_json::json;
use server::fault::cancellation as fault;

use super::fixture::call;

use crate::verdict::expect_none;
use crate::{Applies, Check, Cite, Finding, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[TOKEN_ECHOED, ONLY_WHEN_ASKED];

const BEHAVIOUR: &[Cite] = &[
    must("basic/utilities/progress#behavior-requirements", Span::LEGACY),
    must("basic/patterns/progress#behavior-requirements", Span::MODERN),
];

/// A progress notification must refer to a token that the client provided in an active request. Tokens are strings or
/// integers, so "0" and 0 are different tokens.
const TOKEN_ECHOED: Check = Check {
    id: "server/progress/token-echoed",
    title: "progress carries the token of its request, with the same JSON type",
    cites: BEHAVIOUR,
    aliases: &["test_async_long_running_tool"],
    why: "clients find the progress bar by the token, and 0 is not \"0\"",
    fix: "keep the token as the JSON value that you received, and send exactly that back",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(token_echoed(cx))),
    fault: &fault::PROGRESS_TOKEN_CHANGED,
};

async fn token_echoed(cx: &ServerCx) -> Verdict {
    let (tool, arguments) = cx.progressing_call().await?;
    let session = cx.session().await?;
    let mut seen = false;
    for token in [json!("0"), json!(0)] {
        let ask = call(cx, session, &tool, &arguments).with(|r| r.meta("progressToken", token.clone()));
        let answer = ask.send().await?;
        for note in answer.reply.notifications("notifications/progress") {
            seen = true;
            let carried = note.params().map(|params| params["progressToken"].clone()).unwrap_or_default();
            if ::wire::Id::from(&carried) != ::wire::Id::from(&token) {
                return Err(
                    answer.violated(format!("progressToken {token}"), format!("progressToken {carried}"))
                );
            }
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no progress was reported")) }
}

/// A progress notification must refer to a token that the client provided, so a request without one gets none.
const ONLY_WHEN_ASKED: Check = Check {
    id: "server/progress/only-when-asked",
    title: "a request without a progress token gets no progress",
    cites: BEHAVIOUR,
    aliases: &[],
    why: "a client that did not ask has nothing to attach it to",
    fix: "report progress only where _meta has a progressToken",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(only_when_asked(cx))),
    fault: &fault::PROGRESS_UNASKED,
};

async fn only_when_asked(cx: &ServerCx) -> Verdict {
    let (tool, arguments) = cx.progressing_call().await?;
    let session = cx.exclusive_session().await?;
    let answer = call(cx, &session, &tool, &arguments).send().await?;
    expect_none(answer.reply.notifications("notifications/progress").next(), |_| {
        answer.violated("no progress", "notifications/progress")
    })
}
