//! Cancellations that the server sends.

use ::wire::{Direction, Id, Kind};
use protocol::{Era, Span};
use server::fault::cancellation as fault;

use super::{said, violated};
use crate::{Check, On, Run, Verdict, WireCx, must};

pub(in crate::checks) const CHECKS: &[Check] = &[OWN_REQUESTS];

const OWN_REQUESTS: Check = Check {
    id: "wire/cancellation/only-what-may-be",
    title: "the server cancels only its own requests, or in 2026-07-28 only subscriptions",
    cites: &[
        must("basic/utilities/cancellation#behavior-requirements", Span::LEGACY),
        must("basic/patterns/cancellation#behavior-requirements", Span::MODERN),
    ],
    aliases: &[],
    why: "a client that is told to cancel what it never got, or its own request, cannot tell what is meant",
    fix: "name the id of a request that you sent and that is still open; from 2026-07-28 on that of a subscription",
    on: On::Any,
    run: Run::Wire(own_requests),
    fault: &fault::CANCELS_FOREIGN,
};

fn own_requests(cx: &WireCx<'_>) -> Verdict {
    let mut cancellable: Vec<Id> = Vec::new();
    for (entry, frame) in said(cx) {
        let name = frame.method();
        let request = frame.kind() == Kind::Request;
        match (entry.direction, cx.version.era()) {
            (Direction::ToClient, Era::Legacy) if request => cancellable.extend(frame.id()),
            (Direction::ToServer, Era::Modern)
                if request && name.as_deref() == Some("subscriptions/listen") =>
            {
                cancellable.extend(frame.id());
            }
            (Direction::ToClient, _) if name.as_deref() == Some("notifications/cancelled") => {
                let named = frame.params.and_then(::wire::members).and_then(|members| {
                    members.iter().find(|(name, _)| name == "requestId").map(|(_, raw)| Id::from_raw(raw))
                });
                if !named.as_ref().is_some_and(|id| cancellable.contains(id)) {
                    let actual = named.map_or("no requestId".to_owned(), |id| format!("requestId {id}"));
                    return Err(violated(entry, "the id of a request that may be cancelled", actual));
                }
            }
            (Direction::ToClient | Direction::ToServer, _) => {}
        }
    }
    Ok(())
}
