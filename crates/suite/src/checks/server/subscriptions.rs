//! `subscriptions/listen` of 2026-07-28.

use std::time::Duration;

use protocol::Span;
use protocol::meta::SUBSCRIPTION_ID;
use serde_json::json;
use server::fault::resources as fault;
use transport::client::Message;

use crate::{Check, Evidence, Excerpt, Finding, On, Party, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[ACKNOWLEDGED, TAGGED];

const ACKNOWLEDGED: Check = Check {
    id: "server/subscriptions/acknowledged-first",
    title: "a subscription is acknowledged before anything else is sent on it",
    cites: &[must("basic/patterns/subscriptions#acknowledgment", Span::MODERN)],
    aliases: &["test_resources_subscribe"],
    why: "the acknowledgement says which of its wishes the server will honour",
    fix: "send notifications/subscriptions/acknowledged as the first message of the stream",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(acknowledged(cx))),
    fault: &fault::SUBSCRIPTION_UNACKNOWLEDGED,
};

async fn acknowledged(cx: &ServerCx) -> Verdict {
    match first(cx).await? {
        Some(message) if message.is_notification("notifications/subscriptions/acknowledged") => Ok(()),
        Some(message) => Err(shown(&message, "an acknowledgement", "another message")),
        None => Err(Finding::violated("an acknowledgement", "nothing")),
    }
}

const TAGGED: Check = Check {
    id: "server/subscriptions/tagged",
    title: "what is sent on a subscription carries its id",
    cites: &[
        must("basic/index#meta", Span::MODERN),
        must("basic/patterns/subscriptions#acknowledgment", Span::MODERN),
    ],
    aliases: &[],
    why: "on stdio all subscriptions share one channel, and the id is all that tells them apart",
    fix: "put io.modelcontextprotocol/subscriptionId, the id of the listen request, into the _meta of the params",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(tagged(cx))),
    fault: &fault::SUBSCRIPTION_UNTAGGED,
};

async fn tagged(cx: &ServerCx) -> Verdict {
    let Some(message) = first(cx).await? else {
        return Err(Finding::blocked("nothing was sent on the subscription"));
    };
    let tag = message.params().map(|params| params["_meta"][SUBSCRIPTION_ID].clone()).unwrap_or_default();
    if tag == ID {
        return Ok(());
    }
    Err(shown(&message, &format!("subscriptionId {ID:?} in _meta"), &format!("subscriptionId {tag}")))
}

const ID: &str = "yardstick-listens";

/// The first message of a subscription, if there is one in time.
async fn first(cx: &ServerCx) -> Result<Option<Message>, Finding> {
    let session = cx.fresh().await?;
    let filter = json!({ "notifications": { "toolsListChanged": true, "promptsListChanged": true } });
    let ask = cx.on(&session, "subscriptions/listen").params(filter).with(|r| r.id(format!("\"{ID}\"")));
    let mut pending = ask.within(Duration::from_secs(2)).start().await?;
    match pending.next().await {
        Ok(message) => Ok(message),
        Err(transport::client::Failure::TimedOut { .. }) => Ok(None),
        Err(failure) => Err(failure.into()),
    }
}

fn shown(message: &Message, expected: &str, actual: &str) -> Finding {
    let excerpt = Excerpt::of(Party::Server, &message.bytes);
    Finding::Violated(Box::new(Evidence::new(expected, actual).showing(excerpt)))
}
