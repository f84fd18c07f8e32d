//! Subscriptions of 2026-07-28: which notifications came on them, and until when.

use protocol::Span;
use protocol::meta::SUBSCRIPTION_ID;
use serde_json::Value;
use server::fault::{mrtr as fault, resources};
use transport::Transport;

use super::subscription_events::{each_notification, has};
use super::{frames, value, violated};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, advised, defined, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] =
    &[ALL_TAGGED, ONLY_REQUESTED, ONLY_ACKNOWLEDGED, SILENT_AFTER_END, NO_LOGS];

/// Every notification of a subscription must carry the id of the subscription in `_meta`.
const ALL_TAGGED: Check = Check {
    id: "wire/subscriptions/all-tagged",
    title: "every notification of a subscription names the request that opened it",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "on stdio all subscriptions share one channel, and only the id tells them apart",
    fix: "put io.modelcontextprotocol/subscriptionId, exactly the id of the listen request, into _meta",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, all_tagged),
    fault: &resources::SUBSCRIPTION_UNTAGGED,
};

fn all_tagged(cx: &WireCx<'_>) -> Verdict {
    each_notification(cx, |event| match event.subscription {
        Some(_) => Ok(()),
        None => {
            let actual = format!("subscriptionId {}", event.params["_meta"][SUBSCRIPTION_ID]);
            Err(("the id of the subscriptions/listen request that it belongs to".to_owned(), actual))
        }
    })
}

/// A server must not send kinds of notifications on a subscription that the client did not ask for.
const ONLY_REQUESTED: Check = Check {
    id: "wire/subscriptions/only-requested",
    title: "a subscription gets only notifications of the kinds that it asked for",
    cites: &[must_not("basic/patterns/subscriptions#opening-a-stream", Span::MODERN)],
    aliases: &[],
    why: "a client that asked for one kind reloads lists for nothing, or has no handler at all",
    fix: "keep the filter with the subscription, and look at it before every notification",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, only_requested),
    fault: &fault::FILTER_IGNORED,
};

fn only_requested(cx: &WireCx<'_>) -> Verdict {
    each_notification(cx, |event| {
        let Some(filter) = event.subscription.map(|one| &one.filter) else { return Ok(()) };
        if has(filter, event.wish) {
            Ok(())
        } else {
            Err((format!("only what the filter has: {filter}"), format!("{} as well", event.wish)))
        }
    })
}

/// The acknowledgement holds the kinds of notifications that the server agreed to send. That it sends no other is
/// implied.
const ONLY_ACKNOWLEDGED: Check = Check {
    id: "wire/subscriptions/only-acknowledged",
    title: "a subscription gets only notifications of the kinds that were acknowledged",
    cites: &[advised("basic/patterns/subscriptions#acknowledgment", Span::MODERN)],
    aliases: &[],
    why: "a client does not expect a kind that was not acknowledged",
    fix: "acknowledge every kind that you will send, and send no other",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, only_acknowledged),
    fault: &fault::SENDS_UNACKNOWLEDGED,
};

fn only_acknowledged(cx: &WireCx<'_>) -> Verdict {
    each_notification(cx, |event| {
        let Some(subscription) = event.subscription else { return Ok(()) };
        let Some(agreed) = &subscription.acknowledged else { return Ok(()) };
        // Kinds that were not asked for have a check of their own.
        if has(agreed, event.wish) || !has(&subscription.filter, event.wish) {
            return Ok(());
        }
        Err((format!("only what was acknowledged: {agreed}"), format!("{} as well", event.wish)))
    })
}

/// A server that ends a subscription should respond to the request that opened it. The response is defined as the end,
/// so nothing may follow it.
const SILENT_AFTER_END: Check = Check {
    id: "wire/subscriptions/silent-after-end",
    title: "nothing comes on a subscription after the response that ends it",
    cites: &[defined("basic/patterns/subscriptions#graceful-closure", Span::MODERN)],
    aliases: &[],
    why: "the client has forgotten the subscription, and drops what follows",
    fix: "send the response to subscriptions/listen last, when nothing more will come",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, silent_after_end),
    fault: &fault::TELLS_AFTER_END,
};

fn silent_after_end(cx: &WireCx<'_>) -> Verdict {
    each_notification(cx, |event| match event.subscription {
        Some(subscription) if subscription.has_ended => {
            Err(("nothing after the response".to_owned(), format!("{} after it", event.name)))
        }
        Some(_) | None => Ok(()),
    })
}

/// Log messages must come on the stream of the request that set the log level, and never on a subscription. A subscription
/// must not get kinds of notifications that were not requested, and nobody can request progress.
const NO_LOGS: Check = Check {
    id: "wire/subscriptions/no-log-messages",
    title: "a subscription gets no log messages and no progress",
    cites: &[
        must_not("server/utilities/logging#per-request-log-level", Span::MODERN),
        must_not("basic/patterns/subscriptions#opening-a-stream", Span::MODERN),
    ],
    aliases: &[],
    why: "log messages and progress belong to a request; on a subscription nothing says to which",
    fix: "leave io.modelcontextprotocol/subscriptionId out of them, and send them for the request that asked",
    // Over HTTP the stream shows what a message belongs to, which another check judges.
    applies: Applies::Over(Transport::Stdio),
    run: Run::Wire(Sides::Server, no_logs),
    fault: &resources::LOG_ON_SUBSCRIPTION,
};

fn no_logs(cx: &WireCx<'_>) -> Verdict {
    let mut tagged = false;
    for (entry, frame) in frames(cx) {
        let Some(name) = frame.method() else { continue };
        let tag = value(frame.params)["_meta"][SUBSCRIPTION_ID].clone();
        if tag == Value::Null {
            continue;
        }
        tagged = true;
        if matches!(&*name, "notifications/message" | "notifications/progress") {
            return Err(violated(
                entry,
                "only what was subscribed to",
                format!("{name} on subscription {tag}"),
            ));
        }
    }
    if tagged { Ok(()) } else { Err(Finding::not_applicable("nothing came on a subscription")) }
}
