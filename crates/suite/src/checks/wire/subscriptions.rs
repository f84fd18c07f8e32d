//! What comes on subscriptions, as the messages show it (2026-07-28).

use ::wire::{Direction, Id, Kind};
use protocol::Span;
use protocol::meta::SUBSCRIPTION_ID;
use serde_json::Value;
use server::fault::{mrtr as fault, resources};

use super::{said, value, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[ALL_TAGGED, ONLY_REQUESTED];

/// The notifications that come on subscriptions alone, with the member of the filter that asks for them.
const KINDS: &[(&str, &str)] = &[
    ("notifications/tools/list_changed", "toolsListChanged"),
    ("notifications/prompts/list_changed", "promptsListChanged"),
    ("notifications/resources/list_changed", "resourcesListChanged"),
    ("notifications/resources/updated", "resourceSubscriptions"),
    ("notifications/tasks", "taskIds"),
    ("notifications/subscriptions/acknowledged", ""),
];

const ALL_TAGGED: Check = Check {
    id: "wire/subscriptions/all-tagged",
    title: "every notification of a subscription names the request that opened it",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "on stdio all subscriptions share one channel, and the id is all that tells them apart",
    fix: "put io.modelcontextprotocol/subscriptionId, exactly the id of the listen request, into _meta",
    on: On::Any,
    run: Run::Wire(all_tagged),
    fault: &resources::SUBSCRIPTION_UNTAGGED,
};

fn all_tagged(cx: &WireCx<'_>) -> Verdict {
    each_notification(cx, |_, params, filter| match filter {
        Some(_) => Ok(()),
        None => {
            let actual = format!("subscriptionId {}", params["_meta"][SUBSCRIPTION_ID]);
            Err(("the id of a subscriptions/listen request".to_owned(), actual))
        }
    })
}

const ONLY_REQUESTED: Check = Check {
    id: "wire/subscriptions/only-requested",
    title: "a subscription brings only the kinds of notification that it asked for",
    cites: &[must_not("basic/patterns/subscriptions#opening-a-stream", Span::MODERN)],
    aliases: &[],
    why: "a client that asked for one kind reloads lists for nothing, or has no handler at all",
    fix: "keep the filter with the subscription, and look at it before every notification",
    on: On::Any,
    run: Run::Wire(only_requested),
    fault: &fault::FILTER_IGNORED,
};

fn only_requested(cx: &WireCx<'_>) -> Verdict {
    each_notification(cx, |wish, _, filter| {
        let Some(filter) = filter.filter(|_| !wish.is_empty()) else { return Ok(()) };
        let wanted = match &filter[wish] {
            Value::Bool(wanted) => *wanted,
            Value::Array(wanted) => !wanted.is_empty(),
            _ => false,
        };
        if wanted {
            Ok(())
        } else {
            Err((format!("only what the filter has: {filter}"), format!("{wish} as well")))
        }
    })
}

/// Judges every notification of the kinds that come on subscriptions: what of a filter asks for it, its params, and
/// the filter of the subscription that it names, if there is such.
fn each_notification(
    cx: &WireCx<'_>,
    judge: impl Fn(&str, &Value, Option<&Value>) -> Result<(), (String, String)>,
) -> Verdict {
    let mut open: Vec<(Id, Value)> = Vec::new();
    let mut seen = false;
    for (entry, frame) in said(cx) {
        let name = frame.method().unwrap_or_default();
        if entry.direction == Direction::ToServer {
            if let Some(id) = frame.id().filter(|_| name == "subscriptions/listen") {
                open.push((id, value(frame.params)["notifications"].clone()));
            }
            continue;
        }
        let kind = KINDS.iter().find(|(kind, _)| *kind == name && frame.kind() == Kind::Notification);
        let Some((_, wish)) = kind else { continue };
        seen = true;
        let params = value(frame.params);
        let named = params["_meta"][SUBSCRIPTION_ID].to_string();
        let filter = open.iter().rev().find(|(id, _)| id.to_string() == named).map(|(_, filter)| filter);
        judge(wish, &params, filter).map_err(|(expected, actual)| violated(entry, expected, actual))?;
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("nothing came on a subscription")) }
}
