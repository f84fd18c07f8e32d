//! Cancellation: of what is under way, and of what is not.

use std::time::{Duration, Instant};

use protocol::{Era, Span};
use serde_json::{Value, json};
use server::fault::cancellation as fault;
use transport::client::{Failure, Message, Pending, Session};
use transport::serve::Via;

use crate::sweep::SlowCall;
use crate::unsolicited::{drain, expect_no_response};
use crate::{Check, Evidence, Excerpt, Finding, On, Party, Run, ServerCx, Verdict, should};

pub(in crate::checks) const CHECKS: &[Check] = &[CANCELLED_UNANSWERED, STRAY_IGNORED];

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
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(cancelled_unanswered(cx))),
    fault: &fault::CANCEL_IGNORED,
};

/// What says that it is under way can be cancelled, and so can what has shown that it takes long; what is cancelled later than
/// that may have been answered already.
async fn cancelled_unanswered(cx: &ServerCx) -> Verdict {
    if cx.version.era() == Era::Modern && cx.via != Via::Pipe {
        return Err(Finding::not_applicable("over HTTP a request is cancelled by closing its stream"));
    }
    let slow = cx.slow_call().await?;
    let session = cx.alone().await?;
    let mut verdict = Err(Finding::not_applicable("the call ended before it could be cancelled"));
    // A call that takes longer on one day than on another is cancelled earlier the next time, and over HTTP a response that
    // was on its way may come after what was asked later. Who ignores cancellations does so every time.
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
    // A call brings a progress token of its own.
    let ask = cx.call_on(session, &slow.tool, &slow.arguments);
    let mut pending = ask.start().await?;
    if let Cancelled::TooLate = await_progress(cx, &mut pending, slow, after).await? {
        return Ok(Cancelled::TooLate);
    }
    pending.cancel("measured by yardstick").await?;
    // A response that is on its way already crosses the cancellation, and is nobody's fault.
    if !cx.has_caught_up(session).await {
        return Err(Finding::violated("an answer to the request after the cancellation", "none"));
    }
    while let Ok(Some(message)) = pending.next_within(Duration::ZERO).await {
        if is_response(&message) {
            return Ok(Cancelled::TooLate);
        }
    }
    // Whoever goes on with the work would be done by then.
    let deadline = Instant::now() + slow.took + cx.pace().benefit_of_doubt();
    loop {
        match pending.next_within(deadline.saturating_duration_since(Instant::now())).await {
            Ok(Some(message)) if is_response(&message) => {
                let actual = format!("a response of the tool {}", slow.tool["name"]);
                return Err(shown(&message, "no response after the cancellation", &actual));
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
    pending: &mut Pending,
    slow: &SlowCall,
    after: Duration,
) -> Result<Cancelled, Finding> {
    let limit = if slow.reports { cx.patience.limit("tools/call", cx.pace().limit()) } else { after };
    loop {
        match pending.next_within(limit).await {
            Ok(Some(message)) if message.is_notification("notifications/progress") => {
                return Ok(Cancelled::InTime);
            }
            Ok(Some(message)) if !is_response(&message) => {}
            Ok(Some(_) | None) => return Ok(Cancelled::TooLate),
            Err(Failure::TimedOut { .. }) if !slow.reports => return Ok(Cancelled::InTime),
            Err(Failure::TimedOut { after, .. }) => {
                cx.patience.unanswered("tools/call", after);
                return Err(Finding::blocked("no progress was reported in time"));
            }
            Err(failure) => return Err(failure.into()),
        }
    }
}

const STRAY_IGNORED: Check = Check {
    id: "server/cancellation/stray-ignored",
    title: "cancellations that fit no request are ignored",
    cites: &[
        should("basic/utilities/cancellation#error-handling", Span::LEGACY),
        should("basic/patterns/cancellation#error-handling", Span::MODERN),
    ],
    aliases: &["test_cancellation_validation"],
    why: "a cancellation may cross the response on its way; a client that did nothing wrong gets an error",
    fix: "ignore cancellations of unknown, of completed and of unnamed requests",
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(stray_ignored(cx))),
    fault: &fault::CANCEL_ANSWERED,
};

async fn stray_ignored(cx: &ServerCx) -> Verdict {
    let session = cx.alone().await?;
    let probe = if cx.version.era() == Era::Legacy { "ping" } else { "server/discover" };
    let completed = cx
        .on(&session, probe)
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
    if cx.via == Via::Pipe {
        return expect_no_response(cx, &session, since).await;
    }
    cx.on(&session, probe).send().await?.expect_response()
}

async fn stray(cx: &ServerCx, session: &Session, params: Value) -> Verdict {
    let answer = cx.notification_on(session, "notifications/cancelled").params(params).send().await?;
    let refused = answer.reply.status().is_some_and(|status| status >= 400);
    if answer.reply.frame().is_some() && !refused {
        return Err(answer.violated("no response", answer.summary()));
    }
    Ok(())
}

fn is_response(message: &Message) -> bool {
    message
        .frames()
        .iter()
        .any(|frame| frame.method.is_none() && (frame.result.is_some() || frame.error.is_some()))
}

fn shown(message: &Message, expected: &str, actual: &str) -> Finding {
    let excerpt = Excerpt::of(Party::Server, &message.bytes);
    Finding::Violated(Box::new(Evidence::new(expected, actual).showing(excerpt)))
}
