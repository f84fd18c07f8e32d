//! Subscriptions of 2026-07-28 once they are open: which notifications come on them, and when they end.

use protocol::Span;
use serde_json::{Value, json};
use server::fault::{cancellation, mrtr as fault, resources};
use transport::Transport;
use transport::client::{Failure, Message, Session};

use super::fixture::{call, fixture};
use super::subscriptions::Subscription;
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[CHANGE_TOLD, FILTER_HONOURED, ACKNOWLEDGED_SUBSET, CANCELLED_ENDS];

const TRIGGER: &str = "test_trigger_prompt_change";

/// When its list of prompts or tools changes, a server that declared `listChanged` should notify every subscription
/// that opted in to that list.
const CHANGE_TOLD: Check = Check {
    id: "server/subscriptions/change-told",
    title: "every subscription that asked for a change is notified of it, under its own id",
    cites: &[
        should("server/prompts#list-changed-notification/c1", Span::MODERN),
        should("server/tools#list-changed-notification/c1", Span::MODERN),
    ],
    aliases: &[],
    why: "a client with two subscriptions would miss what it asked for on one of them",
    fix: "keep every subscription with its filter, and send each a notification with its own subscriptionId",
    applies: Applies::Everywhere,
    run: Run::Last(|cx| Box::pin(change_told(cx))),
    fault: &resources::CHANGE_UNTOLD,
};

/// What can be made to change, with the fixture that does it.
struct Kind {
    trigger: &'static str,
    capability: &'static str,
    wish: &'static str,
    event: &'static str,
}

const KINDS: [Kind; 2] = [
    Kind {
        trigger: TRIGGER,
        capability: "prompts",
        wish: "promptsListChanged",
        event: "notifications/prompts/list_changed",
    },
    Kind {
        trigger: "test_trigger_tool_change",
        capability: "tools",
        wish: "toolsListChanged",
        event: "notifications/tools/list_changed",
    },
];

async fn change_told(cx: &ServerCx) -> Verdict {
    let declared = cx.capabilities().await?;
    let mut verdict =
        Err(Finding::not_applicable("nothing whose changes the server declares can be changed"));
    for kind in KINDS {
        let trigger = match fixture(cx, kind.trigger).await {
            Ok(trigger) => trigger,
            Err(Finding::NotApplicable(_)) => continue,
            Err(other) => return Err(other),
        };
        // Notifications without the capability are judged by the passive checks.
        let told = told_to_all(cx, &kind, trigger).await;
        if declared[kind.capability]["listChanged"] == true {
            told?;
            verdict = Ok(());
        }
    }
    verdict
}

/// Expects that two subscriptions are both notified and, on a pipe, that one still is after the other was cancelled.
async fn told_to_all(cx: &ServerCx, kind: &Kind, trigger: &Value) -> Verdict {
    let session = cx.exclusive_session().await?;
    let filter = json!({ kind.wish: true });
    let (mut first, _) = Subscription::acknowledged(cx, &session, filter.clone()).await?;
    let (mut second, _) = Subscription::acknowledged(cx, &session, filter).await?;
    change(cx, &session, trigger).await?;
    let both = async {
        expect_told(cx, &mut first, kind, "the first of two subscriptions").await?;
        expect_told(cx, &mut second, kind, "the second of two subscriptions").await
    };
    let mut verdict = both.await;
    first.end().await;
    if verdict.is_ok() && cx.transport == Transport::Stdio {
        verdict = told_after_cancel(cx, &session, &mut second, kind, trigger).await;
    }
    second.end().await;
    verdict
}

/// Expects that a subscription is still notified after another one of its session was cancelled.
async fn told_after_cancel(
    cx: &ServerCx,
    session: &Session,
    subscription: &mut Subscription,
    kind: &Kind,
    trigger: &Value,
) -> Verdict {
    cx.has_caught_up(session).await;
    while next_notification(cx, subscription, kind.event).await?.is_some() {}
    change(cx, session, trigger).await?;
    expect_told(cx, subscription, kind, "the other subscription after one was cancelled").await
}

async fn expect_told(cx: &ServerCx, subscription: &mut Subscription, kind: &Kind, which: &str) -> Verdict {
    if next_notification(cx, subscription, kind.event).await?.is_some() {
        return Ok(());
    }
    let expected = format!("{} with subscriptionId {}", kind.event, subscription.id);
    Err(Finding::violated(expected, format!("nothing on {which}")))
}

/// A server must not send kinds of notifications on a subscription that the client did not ask for.
const FILTER_HONOURED: Check = Check {
    id: "server/subscriptions/filter-honoured",
    title: "a subscription gets no notification of a kind that it did not ask for",
    cites: &[must_not("basic/patterns/subscriptions#opening-a-stream", Span::MODERN)],
    aliases: &["test_dynamic_tool_discovery"],
    why: "a client that asked for one kind reloads lists for nothing, or has no handler at all",
    fix: "keep the filter with the subscription, and look at it before every notification",
    applies: Applies::Everywhere,
    run: Run::Last(|cx| Box::pin(filter_honoured(cx))),
    fault: &fault::FILTER_IGNORED,
};

async fn filter_honoured(cx: &ServerCx) -> Verdict {
    let trigger = fixture(cx, TRIGGER).await?;
    let session = cx.exclusive_session().await?;
    let (mut subscription, _) =
        Subscription::acknowledged(cx, &session, json!({ "toolsListChanged": true })).await?;
    // Beside it another one asks for what it does not. A server may refuse a second one.
    let beside = Subscription::open(cx, &session, json!({ "promptsListChanged": true })).await.ok();
    change(cx, &session, trigger).await?;
    let told = next_notification(cx, &mut subscription, "notifications/prompts/list_changed").await;
    subscription.end().await;
    if let Some(beside) = beside {
        beside.end().await;
    }
    expect_none(told?, |message| {
        Finding::violated_in(&message.bytes, "only notifications/tools/list_changed", "another kind")
    })
}

/// The acknowledgement of a subscription holds that part of the requested filter that the server will honour.
const ACKNOWLEDGED_SUBSET: Check = Check {
    id: "server/subscriptions/acknowledged-subset",
    title: "a subscription is acknowledged for nothing that it did not ask for",
    cites: &[defined("basic/patterns/subscriptions#acknowledgment", Span::MODERN)],
    aliases: &[],
    why: "the client goes by the acknowledgement, and waits for what will never come",
    fix: "repeat the part of the filter that you will honour, and add nothing",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(acknowledged_subset(cx))),
    fault: &fault::ACKNOWLEDGES_TOO_MUCH,
};

async fn acknowledged_subset(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let filter = json!({ "toolsListChanged": true });
    let (subscription, first) = Subscription::acknowledged(cx, &session, filter).await?;
    subscription.end().await;
    let granted = first.params().map(|params| params["notifications"].clone()).unwrap_or_default();
    let Some(granted) = granted.as_object() else {
        return Err(Finding::violated_in(&first.bytes, "notifications, an object", granted.to_string()));
    };
    let is_granted = |value: &Value| *value == true || value.as_array().is_some_and(|list| !list.is_empty());
    expect_none(
        granted.iter().find(|(kind, value)| *kind != "toolsListChanged" && is_granted(value)),
        |(kind, _)| Finding::violated_in(&first.bytes, "toolsListChanged at most", format!("{kind} as well")),
    )
}

/// stdio, cancellation: a server must send no further messages for a request that was cancelled. A subscription is defined to
/// end when the client cancels it, so this holds for its notifications too.
const CANCELLED_ENDS: Check = Check {
    id: "server/subscriptions/cancelled-ends",
    title: "nothing more comes on a subscription that was cancelled",
    cites: &[
        must_not("basic/transports/stdio#cancellation", Span::MODERN),
        defined("basic/patterns/subscriptions#cancellation", Span::MODERN),
    ],
    aliases: &[],
    why: "on stdio nothing else ends a subscription, and the client has forgotten its id",
    fix: "end the subscription when notifications/cancelled names its request",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Last(|cx| Box::pin(cancelled_ends(cx))),
    fault: &cancellation::CANCEL_IGNORED,
};

async fn cancelled_ends(cx: &ServerCx) -> Verdict {
    let trigger = fixture(cx, TRIGGER).await?;
    let session = cx.exclusive_session().await?;
    let filter = json!({ "promptsListChanged": true });
    let (mut subscription, _) = Subscription::acknowledged(cx, &session, filter).await?;
    subscription.pending.cancel("measured by yardstick").await?;
    // Notifications that were sent before the server read the cancellation do not count.
    cx.has_caught_up(&session).await;
    while next_notification(cx, &mut subscription, "notifications/prompts/list_changed").await?.is_some() {}
    change(cx, &session, trigger).await?;
    expect_none(
        next_notification(cx, &mut subscription, "notifications/prompts/list_changed").await?,
        |message| Finding::violated_in(&message.bytes, "nothing after the cancellation", "a notification"),
    )
}

/// Changes the list of prompts, and changes it back.
async fn change(cx: &ServerCx, session: &Session, trigger: &Value) -> Verdict {
    for _ in 0..2 {
        let answer = call(cx, session, trigger, &json!({})).send().await?;
        if answer.reply.result().is_none() {
            return Err(Finding::blocked(format!("{TRIGGER} did not work: {}", answer.summary())));
        }
    }
    Ok(())
}

/// The first notification of `method` that names our subscription, if one comes.
async fn next_notification(
    cx: &ServerCx,
    subscription: &mut Subscription,
    method: &str,
) -> Result<Option<Message>, Finding> {
    loop {
        match subscription.pending.next_within(cx.pace().benefit_of_doubt()).await {
            Ok(Some(message)) if message.is_notification(method) && subscription.is_tagged(&message) => {
                return Ok(Some(message));
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(Failure::TimedOut { .. }) => return Ok(None),
            Err(failure) => return Err(failure.into()),
        }
    }
}
