//! `subscriptions/listen` of 2026-07-28: how a subscription begins, and how it ends when it is cancelled at once.

use std::time::Duration;

use protocol::Span;
use protocol::meta::SUBSCRIPTION_ID;
use serde_json::{Value, json};
use server::fault::{cancellation, resources as fault};
use transport::Transport;
use transport::client::{Failure, Message, PendingRequest, Session};
use wire::Frame;

use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[ACKNOWLEDGED, CANCELLED_UNANSWERED, TAGGED];

const ACKNOWLEDGEMENT: &str = "notifications/subscriptions/acknowledged";

/// The first message of a subscription must be its acknowledgement; no other notification may come on it before that.
/// On stdio, messages of other subscriptions may come in between.
const ACKNOWLEDGED: Check = Check {
    id: "server/subscriptions/acknowledged-first",
    title: "a subscription is acknowledged before anything else is sent on it",
    cites: &[must("basic/patterns/subscriptions#acknowledgment", Span::MODERN)],
    aliases: &["test_resources_subscribe"],
    why: "the acknowledgement tells the client which notifications it will get",
    fix: "send notifications/subscriptions/acknowledged as the first message of the stream",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(acknowledged(cx))),
    fault: &fault::SUBSCRIPTION_UNACKNOWLEDGED,
};

async fn acknowledged(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let first = Subscription::open(cx, &session, all_lists()).await?;
    let mut verdict = expect_acknowledgement(&first, "an acknowledgement");
    if verdict.is_ok() {
        // A server may refuse a second one.
        let second = Subscription::open(cx, &session, all_lists()).await;
        verdict = match second {
            Ok(second) => {
                let verdict = expect_acknowledgement(&second, "an acknowledgement of the second of two");
                second.end().await;
                verdict
            }
            Err(Finding::NotApplicable(_)) => Ok(()),
            Err(other) => Err(other),
        };
    }
    first.end().await;
    verdict
}

fn expect_acknowledgement(subscription: &Subscription, expected: &str) -> Verdict {
    match &subscription.first {
        Some(message) if message.is_notification(ACKNOWLEDGEMENT) => Ok(()),
        Some(message) => Err(Finding::violated_in(&message.bytes, expected, "another message")),
        None => Err(Finding::violated(expected, "nothing")),
    }
}

/// A server should send no response to a request that the client cancelled. On stdio that holds for a subscription too.
const CANCELLED_UNANSWERED: Check = Check {
    id: "server/subscriptions/cancelled-unanswered",
    title: "a subscription that was cancelled is not answered",
    cites: &[should("basic/patterns/cancellation#behavior-requirements", Span::MODERN)],
    aliases: &[],
    why: "the client has forgotten the request, and cannot use a response to it",
    fix: "end the subscription in silence when notifications/cancelled names its request",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Alone(|cx| Box::pin(cancelled_unanswered(cx))),
    fault: &cancellation::LISTEN_CANCEL_ANSWERED,
};

async fn cancelled_unanswered(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let (mut subscription, _) = Subscription::acknowledged(cx, &session, all_lists()).await?;
    cx.has_caught_up(&session).await;
    if subscription.response_within(Duration::ZERO).await.is_some() {
        return Err(Finding::not_applicable("the server ended the subscription by itself"));
    }
    subscription.pending.cancel("measured by yardstick").await?;
    cx.has_caught_up(&session).await;
    expect_none(subscription.response_within(cx.pace().benefit_of_doubt()).await, |message| {
        Finding::violated_in(&message.bytes, "no response after the cancellation", "a response")
    })
}

/// Every notification of a subscription, the acknowledgement included, must carry the id of the subscription in
/// `_meta`.
const TAGGED: Check = Check {
    id: "server/subscriptions/tagged",
    title: "a notification on a subscription carries its id",
    cites: &[
        must("basic/index#meta", Span::MODERN),
        must("basic/patterns/subscriptions#acknowledgment", Span::MODERN),
    ],
    aliases: &[],
    why: "on stdio all subscriptions share one channel, and only the id tells them apart",
    fix: "put io.modelcontextprotocol/subscriptionId, the id of the listen request, into the _meta of the params",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(tagged(cx))),
    fault: &fault::SUBSCRIPTION_UNTAGGED,
};

async fn tagged(cx: &ServerCx) -> Verdict {
    let session = cx.exclusive_session().await?;
    let subscription = Subscription::open(cx, &session, all_lists()).await?;
    let verdict = match &subscription.first {
        Some(message) if subscription.is_tagged(message) => Ok(()),
        Some(message) => {
            let tag = tag_of(message);
            let expected = format!("subscriptionId {} in _meta", subscription.id);
            Err(Finding::violated_in(&message.bytes, &expected, format!("subscriptionId {tag}")))
        }
        None => Err(Finding::blocked("nothing was sent on the subscription")),
    };
    subscription.end().await;
    verdict
}

fn all_lists() -> Value {
    json!({ "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true })
}

/// An open subscription. The check that opens it has to end it: on a pipe nothing else does.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) pending: PendingRequest,
    /// The id of the request, which is that of the subscription.
    pub(super) id: Value,
    /// The first message that came on it.
    pub(super) first: Option<Message>,
}

impl Subscription {
    /// Asks for a subscription and waits for its first message. A server may refuse, and then there is none.
    pub(super) async fn open(cx: &ServerCx, session: &Session, filter: Value) -> Result<Self, Finding> {
        let ask = cx.request_on(session, "subscriptions/listen").params(json!({ "notifications": filter }));
        let mut pending = ask.start().await?;
        let id = pending.id().and_then(|id| serde_json::from_str(&id.to_string()).ok()).unwrap_or_default();
        loop {
            let first = match pending.next_within(cx.pace().limit()).await {
                Ok(first) => first,
                Err(Failure::TimedOut { .. }) => None,
                Err(failure) => return Err(failure.into()),
            };
            if let Some(refusal) = first.as_ref().filter(|message| is_refusal(message, &pending)) {
                let error = refusal.value().unwrap_or_default()["error"].clone();
                return Err(Finding::not_applicable(format!("subscriptions/listen was refused: {error}")));
            }
            // On a pipe, messages of other subscriptions and requests may come first.
            let foreign = first
                .as_ref()
                .is_some_and(|message| !message.is_notification(ACKNOWLEDGEMENT) && tag_of(message) != id);
            if !foreign || cx.transport != Transport::Stdio {
                return Ok(Self { pending, id, first });
            }
        }
    }

    /// Like `open`, and blocked if it is not acknowledged, which another check reports.
    pub(super) async fn acknowledged(
        cx: &ServerCx,
        session: &Session,
        filter: Value,
    ) -> Result<(Self, Message), Finding> {
        let subscription = Self::open(cx, session, filter).await?;
        match subscription.first.clone() {
            Some(message) if message.is_notification(ACKNOWLEDGEMENT) => Ok((subscription, message)),
            Some(_) | None => {
                subscription.end().await;
                Err(Finding::blocked_by(ACKNOWLEDGED.id, "the subscription was not acknowledged"))
            }
        }
    }

    /// Whether a message says that it belongs to this subscription.
    pub(super) fn is_tagged(&self, message: &Message) -> bool {
        tag_of(message) == self.id
    }

    /// The response that ends it, if one comes before it has been silent for that long.
    async fn response_within(&mut self, silence: Duration) -> Option<Message> {
        while let Ok(Some(message)) = self.pending.next_within(silence).await {
            let answers =
                |frame: &Frame<'_>| frame.method.is_none() && frame.id().as_ref() == self.pending.id();
            if message.frames().iter().any(answers) {
                return Some(message);
            }
        }
        None
    }

    /// Cancels it. Whether the server listens is not judged here.
    pub(super) async fn end(mut self) {
        let _ = self.pending.cancel("the subscription was measured").await;
    }
}

fn tag_of(message: &Message) -> Value {
    message.params().map(|params| params["_meta"][SUBSCRIPTION_ID].clone()).unwrap_or_default()
}

fn is_refusal(message: &Message, pending: &PendingRequest) -> bool {
    let ours = |id: Option<::wire::Id>| pending.id().is_some_and(|own| id.as_ref() == Some(own));
    message.frames().iter().any(|frame| frame.error.is_some() && (ours(frame.id()) || pending.is_settled()))
}
