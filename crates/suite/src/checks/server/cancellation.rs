//! Cancellation of requests that are in progress, and cancellations that match no request.

use std::time::{Duration, Instant};

use protocol::{Era, Span, Version};
use serde_json::{Value, json};
use server::fault::cancellation as fault;
use transport::Transport;
use transport::client::{Failure, PendingRequest, Session};

use crate::sweep::SlowCall;
use crate::unsolicited::{drain, expect_no_response, has_response};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must, should};

/// How often two calls are tried that are to be under way at the same time.
const MAX_ROUNDS: usize = 3;

pub(in crate::checks) const CHECKS: &[Check] = &[CANCELLED_UNANSWERED, OTHERS_ANSWERED, STRAY_IGNORED];

/// Whoever receives a cancellation should stop the work and send no response to that request. It may ignore one that
/// comes too late, or one for a request that cannot be cancelled. Over HTTP, 2026-07-28 cancels by closing the stream
/// instead. Its page on stdio forbids further messages by MUST NOT; as the two pages differ, this stays a recommendation.
const CANCELLED_UNANSWERED: Check = Check {
    id: "server/cancellation/cancelled-unanswered",
    title: "a request that was cancelled is not answered",
    cites: &[
        should("basic/utilities/cancellation#behavior-requirements", Span::LEGACY),
        should("basic/patterns/cancellation#behavior-requirements", Span::MODERN),
    ],
    aliases: &["test_async_tool_cancellation", "test_cancellation_validation"],
    why: "the work goes on at the user's expense, and the client has forgotten the request",
    fix: "stop the work when notifications/cancelled names its request, and send nothing for it",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(cancelled_unanswered(cx))),
    fault: &fault::CANCEL_IGNORED,
};

/// Cancels a call once it reports progress, or, if it reports none, after a part of the time that it took before. Later it
/// may already have been answered.
async fn cancelled_unanswered(cx: &ServerCx) -> Verdict {
    if cx.version.era() == Era::Modern && cx.transport != Transport::Stdio {
        return Err(Finding::not_applicable("over HTTP a request is cancelled by closing its stream"));
    }
    let slow = cx.slow_call().await?;
    let session = cx.exclusive_session().await?;
    let mut verdict = Err(Finding::not_applicable("the call ended before it could be cancelled"));
    // Each try cancels earlier, because calls do not always take the same time. Over HTTP a response that was already on
    // its way may also arrive late. A server that ignores cancellations does so on every try.
    for part in [4, 16, 64] {
        match cancel_call(cx, &session, &slow, slow.took / part).await {
            Ok(Cancelled::InTime) => return Ok(()),
            Ok(Cancelled::TooLate) => {}
            Err(finding @ Finding::Violated(_)) => verdict = Err(finding),
            Err(other) => return Err(other),
        }
    }
    verdict
}

/// Whether a cancellation came before the call had ended.
enum Cancelled {
    InTime,
    TooLate,
}

/// Calls a tool and cancels the call when it is under way.
async fn cancel_call(
    cx: &ServerCx,
    session: &Session,
    slow: &SlowCall,
    after: Duration,
) -> Result<Cancelled, Finding> {
    // `call_on` adds a progress token.
    let ask = cx.call_on(session, &slow.tool, &slow.arguments);
    let mut pending = ask.start().await?;
    if let Cancelled::TooLate = await_progress(cx, &mut pending, slow, after).await? {
        return Ok(Cancelled::TooLate);
    }
    pending.cancel("measured by yardstick").await?;
    // A response that was already on its way crosses the cancellation, and is not a violation.
    if !cx.has_caught_up(session).await {
        return Err(Finding::violated("an answer to the request after the cancellation", "none"));
    }
    while let Ok(Some(message)) = pending.next_within(Duration::ZERO).await {
        if has_response(&message) {
            return Ok(Cancelled::TooLate);
        }
    }
    // A server that goes on with the work would be done by then.
    let deadline = Instant::now() + slow.took + cx.pace().benefit_of_doubt();
    loop {
        match pending.next_within(deadline.saturating_duration_since(Instant::now())).await {
            Ok(Some(message)) if has_response(&message) => {
                let actual = format!("a response of the tool {}", slow.tool["name"]);
                return Err(Finding::violated_in(
                    &message.bytes,
                    "no response after the cancellation",
                    &actual,
                ));
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(Failure::TimedOut { .. }) => return Ok(Cancelled::InTime),
            Err(failure) => return Err(failure.into()),
        }
    }
}

/// Waits until the call shows that it is under way: by progress, or, where it reports none, by a part of the time that it takes.
async fn await_progress(
    cx: &ServerCx,
    pending: &mut PendingRequest,
    slow: &SlowCall,
    after: Duration,
) -> Result<Cancelled, Finding> {
    let limit = if slow.reports { cx.patience().limit("tools/call", cx.pace().limit()) } else { after };
    loop {
        match pending.next_within(limit).await {
            Ok(Some(message)) if message.is_notification("notifications/progress") => {
                return Ok(Cancelled::InTime);
            }
            Ok(Some(message)) if !has_response(&message) => {}
            Ok(Some(_) | None) => return Ok(Cancelled::TooLate),
            Err(Failure::TimedOut { .. }) if !slow.reports => return Ok(Cancelled::InTime),
            Err(Failure::TimedOut { after, .. }) => {
                cx.patience().note_silence("tools/call", after);
                return Err(Finding::blocked("no progress was reported in time"));
            }
            Err(failure) => return Err(failure.into()),
        }
    }
}

/// A cancellation names the one request that is to be cancelled. All messages must follow JSON-RPC 2.0, in which every other
/// request gets its response.
const OTHERS_ANSWERED: Check = Check {
    id: "server/cancellation/others-answered",
    title: "cancelling one request leaves the others under way",
    cites: &[
        must("basic/index#", Span::only(Version::V2024_11_05)),
        must("basic/index#messages", Span::since(Version::V2025_03_26)),
        defined("basic/utilities/cancellation#cancellation-flow", Span::LEGACY),
        defined("basic/patterns/cancellation#cancellation-flow", Span::MODERN),
    ],
    aliases: &[],
    why: "a user who stops one call loses the results of all others, and waits for them in vain",
    fix: "keep a cancellation token for each request, and cancel only the one whose id is named",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(others_answered(cx))),
    fault: &fault::CANCEL_ENDS_ALL,
};

/// Of two calls that are under way at once, the second is cancelled, and the first has to be answered. Where the first ends before
/// the server can have taken note of that, both are called again.
async fn others_answered(cx: &ServerCx) -> Verdict {
    let slow = cx.slow_call().await?;
    let session = cx.exclusive_session().await?;
    let mut verdict = Ok(());
    for _ in 0..MAX_ROUNDS {
        let mut kept = cx.call_on(&session, &slow.tool, &slow.arguments).start().await?;
        let mut dropped = cx.call_on(&session, &slow.tool, &slow.arguments).start().await?;
        let begun = await_progress(cx, &mut dropped, &slow, slow.took / 4).await?;
        if matches!(begun, Cancelled::TooLate) || is_answered(&mut kept).await {
            verdict = Err(Finding::not_applicable("the two calls were not under way at the same time"));
            continue;
        }
        dropped.cancel("measured by yardstick").await?;
        let cancelled = Instant::now();
        verdict = expect_response_of_other(cx, &session, &mut kept, slow.took).await;
        if verdict.is_err() || cancelled.elapsed() > slow.took / 4 {
            break;
        }
    }
    verdict
}

/// Whether the response has come already.
async fn is_answered(pending: &mut PendingRequest) -> bool {
    while let Ok(Some(message)) = pending.next_within(Duration::ZERO).await {
        if has_response(&message) {
            return true;
        }
    }
    false
}

/// Expects the response to a call that was not cancelled, and that usually takes so long.
async fn expect_response_of_other(
    cx: &ServerCx,
    session: &Session,
    kept: &mut PendingRequest,
    took: Duration,
) -> Verdict {
    const EXPECTED: &str = "a response to the call that was not cancelled";
    let deadline = Instant::now() + took + cx.pace().limit();
    loop {
        match kept.next_within(deadline.saturating_duration_since(Instant::now())).await {
            // An error is a response too: a tool may fail for reasons of its own.
            Ok(Some(message)) if has_response(&message) => return Ok(()),
            Ok(Some(_)) => {}
            Ok(None) => return Err(Finding::violated(EXPECTED, "its stream ended without one")),
            Err(Failure::TimedOut { .. }) if cx.has_caught_up(session).await => {
                return Err(Finding::violated(EXPECTED, "none"));
            }
            Err(Failure::TimedOut { .. }) => return Err(Finding::blocked("the server answers nothing")),
            Err(failure) => return Err(failure.into()),
        }
    }
}

/// An invalid cancellation should be ignored: one for an unknown request, one for a request that has been answered, and
/// one that is malformed.
const STRAY_IGNORED: Check = Check {
    id: "server/cancellation/stray-ignored",
    title: "cancellations that match no request are ignored",
    cites: &[
        should("basic/utilities/cancellation#error-handling", Span::LEGACY),
        should("basic/patterns/cancellation#error-handling", Span::MODERN),
    ],
    aliases: &["test_cancellation_validation"],
    why: "a cancellation may cross the response on the way; a client that did nothing wrong gets an error",
    fix: "ignore a cancellation whose request is unknown, has completed, or is not named",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(stray_ignored(cx))),
    fault: &fault::CANCEL_ANSWERED,
};

async fn stray_ignored(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let probe = cx.cheap_method();
    let completed = cx
        .request_on(&session, probe)
        .send()
        .await?
        .reply
        .frame()
        .and_then(|frame| serde_json::from_str::<Value>(frame.id?.get()).ok());
    let since = drain(&session).await;
    for params in
        [json!({ "requestId": "nobody" }), json!({ "requestId": completed }), json!({ "reason": "?" })]
    {
        stray(cx, &session, params).await?;
    }
    if cx.transport == Transport::Stdio {
        return expect_no_response(cx, &session, since).await;
    }
    cx.request_on(&session, probe).send().await?.expect_response()
}

async fn stray(cx: &ServerCx, session: &Session, params: Value) -> Verdict {
    let answer = cx.notification_on(session, "notifications/cancelled").params(params).send().await?;
    let refused = answer.reply.status().is_some_and(|status| status >= 400);
    if answer.reply.frame().is_some() && !refused {
        return Err(answer.violated("no response", answer.summary()));
    }
    Ok(())
}
