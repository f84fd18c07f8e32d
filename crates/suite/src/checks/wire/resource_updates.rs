//! Updates of resources where clients subscribe to each (before 2026-07-28).

use ::wire::Direction;
use protocol::Span;
use server::fault::resources as fault;

use super::{said, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, advised};

pub(in crate::checks) const CHECKS: &[Check] = &[SUBSCRIBED];

const SUBSCRIBED: Check = Check {
    id: "wire/resources/updates-subscribed",
    title: "updates of resources are sent to clients that subscribed",
    cites: &[advised("server/resources#subscriptions", Span::LEGACY)],
    aliases: &[],
    why: "a client that did not ask reads the resource again for nothing, or has no handler at all",
    fix: "remember which session subscribed to what, and tell nobody else",
    on: On::Any,
    run: Run::Wire(subscribed),
    fault: &fault::UPDATES_UNASKED,
};

/// An update may be of a part of what was subscribed to, so all that can be said is that there was a subscription.
fn subscribed(cx: &WireCx<'_>) -> Verdict {
    let mut subscribed = false;
    let mut asked = false;
    for (entry, frame) in said(cx) {
        match (entry.direction, frame.method().as_deref()) {
            (Direction::ToServer, Some("resources/subscribe")) => subscribed = true,
            (Direction::ToServer, Some("resources/list" | "resources/read")) => asked = true,
            (Direction::ToClient, Some("notifications/resources/updated")) if !subscribed => {
                return Err(violated(entry, "a client that subscribed", "an update for one that did not"));
            }
            _ => {}
        }
    }
    if asked || subscribed { Ok(()) } else { Err(Finding::not_applicable("no resource was asked for")) }
}
