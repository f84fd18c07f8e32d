//! Answers that are longer than what a pipe or a socket takes at once.

use server::fault::framing as fault;
use transport::client::{Failure, Reply, Session};
use wire::Id;

use super::base::RESPONSES;
use crate::liveness::has_anonymous_error;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict};

pub(in crate::checks) const CHECKS: &[Check] = &[LONG_ANSWER];

/// How long the answer is made.
const LENGTH: usize = 1_000_000;

/// A response must have the id of its request, and no page allows to send a part of it. No page says how long a request or an id
/// may be, so a server may refuse them.
const LONG_ANSWER: Check = Check {
    id: "server/transport/long-answer-whole",
    title: "a long answer comes whole",
    cites: RESPONSES,
    aliases: &[],
    why: "a file or a picture makes a long result; one that is cut or dropped leaves its request open for ever",
    fix: "write until all bytes are written, however few the pipe or the socket takes at once, and drop nothing",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(long_answer(cx))),
    fault: &fault::LONG_ANSWER_DROPPED,
};

/// The id of a request comes back, so a long id makes a long answer. A request that is as long for another reason shows first
/// whether the server takes such requests.
async fn long_answer(cx: &ServerCx) -> Verdict {
    const EXPECTED: &str = "the answer to a request whose id has a million characters";
    let session = cx.exclusive_session().await?;
    // A reader that takes no long line may not survive it.
    for length in [100_000, LENGTH] {
        if !takes_request(cx, &session, length).await {
            let why = format!("the server takes no request of {length} bytes");
            return Err(Finding::not_applicable(why));
        }
    }
    let mark = session.recorder().mark();
    let long = "x".repeat(LENGTH);
    let request = session.request(cx.cheap_method()).id(format!("\"{long}\"")).timeout(cx.pace().limit());
    let id = Id::String(long.into());
    let refused = || Err(Finding::not_applicable("the server takes no id of that length"));
    match request.send().await {
        Ok(reply) if has_id(&reply, &id) => Ok(()),
        Ok(reply) if reply.is_error() || reply.status().is_some_and(|status| status >= 400) => refused(),
        Ok(reply) => {
            let status = reply.status().map(|status| format!(", with HTTP {status}")).unwrap_or_default();
            Err(Finding::violated(EXPECTED, format!("an answer without that id{status}")))
        }
        Err(Failure::TimedOut { .. }) if has_anonymous_error(&session, mark) => refused(),
        Err(failure @ Failure::TimedOut { .. }) if !cx.has_caught_up(&session).await => {
            Err(Finding::blocked(failure.to_string()))
        }
        Err(failure) => Err(Finding::violated(EXPECTED, failure.to_string())),
    }
}

/// Whether the server answers a request that is so long.
async fn takes_request(cx: &ServerCx, session: &Session, length: usize) -> bool {
    let request = session.request(cx.cheap_method()).meta("yardstick/padding", "x".repeat(length));
    request.timeout(cx.pace().limit()).send().await.is_ok_and(|reply| reply.result().is_some())
}

/// Whether it is the same id, however it is spelled.
fn has_id(reply: &Reply, id: &Id) -> bool {
    reply.frame().is_some_and(|frame| frame.id().as_ref() == Some(id))
}
