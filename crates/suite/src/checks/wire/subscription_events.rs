//! The notifications of subscriptions in 2026-07-28, each with the subscription that it names. Nothing is judged here.

use ::wire::{Direction, Frame, Id, Kind};
use protocol::meta::SUBSCRIPTION_ID;
use serde_json::Value;

use super::{frames_of_both_sides, value, violated};
use crate::{Finding, Verdict, WireCx};

/// The notifications that come only on subscriptions, with the member of the filter that asks for them.
const KINDS: &[(&str, &str)] = &[
    ("notifications/tools/list_changed", "toolsListChanged"),
    ("notifications/prompts/list_changed", "promptsListChanged"),
    ("notifications/resources/list_changed", "resourcesListChanged"),
    ("notifications/resources/updated", "resourceSubscriptions"),
    ("notifications/tasks", "taskIds"),
    ("notifications/subscriptions/acknowledged", ""),
];

/// A request of `subscriptions/listen`, and its state.
#[derive(Debug)]
pub(super) struct Subscription {
    id: Id,
    exchange: u32,
    /// What it asks for.
    pub(super) filter: Value,
    /// What the server agreed to.
    pub(super) acknowledged: Option<Value>,
    /// Whether the server has ended it by a response.
    pub(super) has_ended: bool,
}

/// A notification of a kind that comes on subscriptions.
#[derive(Debug)]
pub(super) struct Event<'e> {
    /// Its method.
    pub(super) name: &'e str,
    /// The member of the filter that asks for it; empty if it comes without asking.
    pub(super) wish: &'e str,
    /// Its parameters.
    pub(super) params: &'e Value,
    /// The subscription that it names; over HTTP it has to be the one of its stream.
    pub(super) subscription: Option<&'e Subscription>,
}

/// Whether a filter asks for such notifications.
pub(super) fn has(filter: &Value, wish: &str) -> bool {
    match &filter[wish] {
        Value::Bool(wanted) => *wanted,
        Value::Array(wanted) => !wanted.is_empty(),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Object(_) => wish.is_empty(),
    }
}

/// Judges every notification of the kinds that come on subscriptions.
pub(super) fn each_notification(
    cx: &WireCx<'_>,
    judge: impl Fn(&Event<'_>) -> Result<(), (String, String)>,
) -> Verdict {
    let mut known: Vec<Subscription> = Vec::new();
    let mut seen = false;
    for (entry, frame) in frames_of_both_sides(cx) {
        let name = frame.method().unwrap_or_default();
        if entry.direction == Direction::ToServer {
            known.extend(opened(&frame, entry.exchange));
            continue;
        }
        if frame.method.is_none() {
            let ended = frame.id().and_then(|id| known.iter_mut().rev().find(|one| one.id == id));
            ended.into_iter().for_each(|one| one.has_ended = true);
            continue;
        }
        let kind = KINDS.iter().find(|(kind, _)| *kind == name && frame.kind() == Kind::Notification);
        let Some((_, wish)) = kind else { continue };
        seen = true;
        let params = value(frame.params);
        let named = Id::from(&params["_meta"][SUBSCRIPTION_ID]);
        let subscription =
            known.iter_mut().rev().find(|one| one.id == named && one.exchange == entry.exchange);
        let subscription = subscription.map(|one| {
            if wish.is_empty() {
                one.acknowledged.get_or_insert_with(|| params["notifications"].clone());
            }
            &*one
        });
        let event = Event { name: &name, wish, params: &params, subscription };
        judge(&event).map_err(|(expected, actual)| violated(entry, expected, actual))?;
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("nothing came on a subscription")) }
}

/// The subscription that a frame opens.
fn opened(frame: &Frame<'_>, exchange: u32) -> Option<Subscription> {
    frame.method().filter(|name| name == "subscriptions/listen")?;
    let filter = value(frame.params)["notifications"].clone();
    Some(Subscription { id: frame.id()?, exchange, filter, acknowledged: None, has_ended: false })
}
