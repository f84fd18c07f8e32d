//! What comes on a subscription, and when it ends (2026-07-28).

use protocol::Span;
use serde_json::{Value, json};
use server::fault::{cancellation, mrtr as fault, resources};
use transport::client::{Failure, Message, Session};
use transport::serve::Via;

use super::fixture::{call, fixture};
use super::subscriptions::{Subscription, shown};
use crate::{Check, Finding, On, Run, ServerCx, Verdict, defined, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[CHANGE_TOLD, FILTER_HONOURED, ACKNOWLEDGED_SUBSET, CANCELLED_ENDS];

const TRIGGER: &str = "test_trigger_prompt_change";

const CHANGE_TOLD: Check = Check {
    id: "server/subscriptions/change-told",
    title: "a change is told on every subscription that asked for it, under its own id",
    cites: &[
        should("server/prompts#list-changed-notification/c1", Span::MODERN),
        should("server/tools#list-changed-notification/c1", Span::MODERN),
    ],
    aliases: &[],
    why: "a client with two subscriptions would miss what it asked for on one of them",
    fix: "keep every subscription with its filter, and send each a notification with its own subscriptionId",
    on: On::Any,
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
        // What is told without the capability, the passive checks judge.
        let told = told_to_all(cx, &kind, trigger).await;
        if declared[kind.capability]["listChanged"] == true {
            told?;
            verdict = Ok(());
        }
    }
    verdict
}

/// That both of two subscriptions are told, and where a subscription can be cancelled on its own, the other one after that.
async fn told_to_all(cx: &ServerCx, kind: &Kind, trigger: &Value) -> Verdict {
    let session = cx.alone().await?;
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
    if verdict.is_ok() && cx.via == Via::Pipe {
        verdict = told_after_cancel(cx, &session, &mut second, kind, trigger).await;
    }
    second.end().await;
    verdict
}

/// That a subscription is still told when another one of its session has just been cancelled.
async fn told_after_cancel(
    cx: &ServerCx,
    session: &Session,
    subscription: &mut Subscription,
    kind: &Kind,
    trigger: &Value,
) -> Verdict {
    cx.has_caught_up(session).await;
    while told(cx, subscription, kind.event).await?.is_some() {}
    change(cx, session, trigger).await?;
    expect_told(cx, subscription, kind, "the other subscription after one was cancelled").await
}

async fn expect_told(cx: &ServerCx, subscription: &mut Subscription, kind: &Kind, which: &str) -> Verdict {
    if told(cx, subscription, kind.event).await?.is_some() {
        return Ok(());
    }
    let expected = format!("{} with subscriptionId {}", kind.event, subscription.id);
    Err(Finding::violated(expected, format!("nothing on {which}")))
}

const FILTER_HONOURED: Check = Check {
    id: "server/subscriptions/filter-honoured",
    title: "a change that a subscription did not ask for is not told on it",
    cites: &[must_not("basic/patterns/subscriptions#opening-a-stream", Span::MODERN)],
    aliases: &["test_dynamic_tool_discovery"],
    why: "a client that asked for one kind reloads lists for nothing, or has no handler at all",
    fix: "keep the filter with the subscription, and look at it before every notification",
    on: On::Any,
    run: Run::Last(|cx| Box::pin(filter_honoured(cx))),
    fault: &fault::FILTER_IGNORED,
};

async fn filter_honoured(cx: &ServerCx) -> Verdict {
    let trigger = fixture(cx, TRIGGER).await?;
    let session = cx.alone().await?;
    let (mut subscription, _) =
        Subscription::acknowledged(cx, &session, json!({ "toolsListChanged": true })).await?;
    change(cx, &session, trigger).await?;
    let told = told(cx, &mut subscription, "notifications/prompts/list_changed").await;
    subscription.end().await;
    match told? {
        Some(message) => Err(shown(&message, "only notifications/tools/list_changed", "another kind")),
        None => Ok(()),
    }
}

const ACKNOWLEDGED_SUBSET: Check = Check {
    id: "server/subscriptions/acknowledged-subset",
    title: "a subscription is acknowledged for no more than it asked for",
    cites: &[defined("basic/patterns/subscriptions#acknowledgment", Span::MODERN)],
    aliases: &[],
    why: "the client goes by the acknowledgement, and waits for what will never come",
    fix: "repeat of the filter what you will honour, and add nothing",
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(acknowledged_subset(cx))),
    fault: &fault::ACKNOWLEDGES_TOO_MUCH,
};

async fn acknowledged_subset(cx: &ServerCx) -> Verdict {
    let session = cx.alone().await?;
    let filter = json!({ "toolsListChanged": true });
    let (subscription, first) = Subscription::acknowledged(cx, &session, filter).await?;
    subscription.end().await;
    let granted = first.params().map(|params| params["notifications"].clone()).unwrap_or_default();
    let Some(granted) = granted.as_object() else {
        return Err(shown(&first, "notifications, an object", &granted.to_string()));
    };
    let is_granted = |value: &Value| *value == true || value.as_array().is_some_and(|list| !list.is_empty());
    match granted.iter().find(|(kind, value)| *kind != "toolsListChanged" && is_granted(value)) {
        Some((kind, _)) => Err(shown(&first, "toolsListChanged at most", &format!("{kind} as well"))),
        None => Ok(()),
    }
}

const CANCELLED_ENDS: Check = Check {
    id: "server/subscriptions/cancelled-ends",
    title: "a subscription that was cancelled brings nothing any more",
    cites: &[should("basic/patterns/cancellation#behavior-requirements", Span::MODERN)],
    aliases: &[],
    why: "on stdio nothing else ends a subscription, and the client has forgotten its id",
    fix: "end the subscription when notifications/cancelled names its request",
    on: On::Pipe,
    run: Run::Last(|cx| Box::pin(cancelled_ends(cx))),
    fault: &cancellation::CANCEL_IGNORED,
};

async fn cancelled_ends(cx: &ServerCx) -> Verdict {
    let trigger = fixture(cx, TRIGGER).await?;
    let session = cx.alone().await?;
    let filter = json!({ "promptsListChanged": true });
    let (mut subscription, _) = Subscription::acknowledged(cx, &session, filter).await?;
    subscription.pending.cancel("measured by yardstick").await?;
    // What was under way before the cancellation was read does not count.
    cx.has_caught_up(&session).await;
    while told(cx, &mut subscription, "notifications/prompts/list_changed").await?.is_some() {}
    change(cx, &session, trigger).await?;
    match told(cx, &mut subscription, "notifications/prompts/list_changed").await? {
        Some(message) => Err(shown(&message, "nothing after the cancellation", "a notification")),
        None => Ok(()),
    }
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
async fn told(
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
