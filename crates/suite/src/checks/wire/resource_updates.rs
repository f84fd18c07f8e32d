//! Updates of resources in the legacy revisions, where clients subscribe to each resource.

use std::collections::HashMap;

use ::wire::{Direction, Id};
use protocol::Span;
use server::fault::resources as fault;

use super::super::server::resources::UPDATES_OWN_SESSION_CHECK;
use super::{frames_of_both_sides, value, violated};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, advised};

pub(in crate::checks) const CHECKS: &[Check] = &[SUBSCRIBED];

/// Clients subscribe to a resource and are notified when it changes. That others are not notified is implied.
const SUBSCRIBED: Check = Check {
    id: "wire/resources/updates-subscribed",
    title: "updates of resources are sent only to clients that subscribed",
    cites: &[advised("server/resources#subscriptions", Span::LEGACY)],
    aliases: &[],
    why: "a client that did not ask reads the resource again for nothing, or has no handler at all",
    fix: "remember which session subscribed to what, and notify no other",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, subscribed),
    fault: &fault::UPDATES_UNASKED,
};

/// An update may be about a sub-resource of the subscribed one.
fn subscribed(cx: &WireCx<'_>) -> Verdict {
    let mut active: Vec<String> = Vec::new();
    let mut ending: HashMap<Id, String> = HashMap::new();
    let mut asked = false;
    for (entry, frame) in frames_of_both_sides(cx) {
        let uri = || value(frame.params)["uri"].as_str().unwrap_or_default().to_owned();
        match (entry.direction, frame.method().as_deref()) {
            (Direction::ToServer, Some("resources/subscribe")) => {
                asked = true;
                active.push(uri());
            }
            (Direction::ToServer, Some("resources/unsubscribe")) => {
                ending.extend(frame.id().map(|id| (id, uri())));
            }
            (Direction::ToServer, Some("resources/list" | "resources/read")) => asked = true,
            // Until unsubscribing is answered, updates may still be on their way.
            (Direction::ToClient, None) if frame.result.is_some() => {
                let ended = frame.id().and_then(|id| ending.remove(&id));
                active.retain(|one| Some(one) != ended.as_ref());
            }
            (Direction::ToClient, Some("notifications/resources/updated")) => {
                let updated = uri();
                let is_subscribed = active.iter().any(|one| updated.starts_with(one.as_str()));
                if !is_subscribed && let Some(check) = cx.failed.find(&[UPDATES_OWN_SESSION_CHECK]) {
                    return Err(Finding::blocked_by(check, "updates reach sessions that did not subscribe"));
                }
                if !is_subscribed {
                    let actual = format!("an update of {updated:?}, which it did not subscribe to");
                    return Err(violated(entry, "a client that subscribed", actual));
                }
            }
            _ => {}
        }
    }
    if asked { Ok(()) } else { Err(Finding::not_applicable("no resource was asked for")) }
}

#[cfg(test)]
mod tests {
    use super::super::transcript_of;
    use super::*;
    use Direction::{ToClient, ToServer};
    use protocol::Version;
    use protocol::method::Side;
    use serde_json::{Value, json};
    use transport::Transport;

    fn judge(said: &[(Direction, Value)]) -> Verdict {
        let transcript = transcript_of(said);
        subscribed(&WireCx::new(Version::V2025_11_25, Transport::Stdio, Side::Server, &transcript))
    }

    fn ask(id: u32, method: &str) -> (Direction, Value) {
        let params = json!({ "uri": "file:///a" });
        (ToServer, json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    fn done(id: u32) -> (Direction, Value) {
        (ToClient, json!({ "jsonrpc": "2.0", "id": id, "result": {} }))
    }

    fn update(uri: &str) -> (Direction, Value) {
        let params = json!({ "uri": uri });
        (ToClient, json!({ "jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params }))
    }

    #[test]
    fn updates_are_of_what_is_subscribed_to_or_of_a_part_of_it() {
        let opened = [ask(1, "resources/subscribe"), done(1)];
        let judge_after = |more: &[(Direction, Value)]| judge(&[&opened[..], more].concat());
        assert!(judge_after(&[update("file:///a")]).is_ok());
        assert!(judge_after(&[update("file:///a/part")]).is_ok());
        assert!(judge_after(&[update("file:///b")]).is_err());
        assert!(judge(&[ask(1, "resources/read"), done(1), update("file:///a")]).is_err());
    }

    #[test]
    fn updates_end_once_unsubscribing_was_answered() {
        let opened = [ask(1, "resources/subscribe"), done(1), ask(2, "resources/unsubscribe")];
        let crossing = [&opened[..], &[update("file:///a"), done(2)]].concat();
        assert!(judge(&crossing).is_ok());
        let late = [&opened[..], &[done(2), update("file:///a")]].concat();
        assert!(judge(&late).is_err());
    }
}
