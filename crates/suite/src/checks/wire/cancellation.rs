//! Cancellations that the server sends, and what it sends for what was cancelled.

use std::collections::{HashMap, HashSet};

use ::wire::{Direction, Id, Kind};
use protocol::{Era, Span};
use server::fault::cancellation as fault;

use super::progress::{token_in_meta, token_of};
use super::{answered_ids, cancelled, said, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[OWN_REQUESTS, QUIET_AFTERWARDS];

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

const QUIET_AFTERWARDS: Check = Check {
    id: "wire/cancellation/quiet-afterwards",
    title: "no progress is reported for a request that was cancelled",
    cites: &[must_not("basic/transports/stdio#cancellation", Span::MODERN)],
    aliases: &[],
    why: "the client has forgotten the request, and may have given its token to another one",
    fix: "stop the work when notifications/cancelled names its request, and send nothing more for it",
    on: On::Pipe,
    run: Run::Wire(quiet_afterwards),
    fault: &fault::PROGRESS_AFTER_CANCEL,
};

/// How many later requests are answered before a server has certainly read the cancellation: what it had sent by then may have
/// crossed it.
const ANSWERS: usize = 3;

/// A request that was cancelled.
struct Cancelled {
    token: Id,
    /// Requests that were sent after the cancellation.
    later: HashSet<Id>,
    /// How many of them are answered.
    answered: usize,
}

fn quiet_afterwards(cx: &WireCx<'_>) -> Verdict {
    // Who answers has not cancelled anything, which is another check's business.
    let answered = answered_ids(cx);
    let mut tokens: HashMap<Id, Id> = HashMap::new();
    let mut all: Vec<Cancelled> = Vec::new();
    for (entry, frame) in said(cx) {
        match (entry.direction, frame.kind()) {
            (Direction::ToServer, Kind::Request) => {
                let Some(id) = frame.id() else { continue };
                for one in &mut all {
                    one.later.insert(id.clone());
                }
                tokens.extend(token_in_meta(frame.params).map(|token| (id, token)));
            }
            (Direction::ToServer, _) => {
                let unanswered = cancelled(&frame).filter(|id| !answered.contains(id));
                let token = unanswered.and_then(|id| tokens.get(&id).cloned());
                all.extend(token.map(|token| Cancelled { token, later: HashSet::new(), answered: 0 }));
            }
            (Direction::ToClient, Kind::Result | Kind::Error) => {
                let Some(id) = frame.id() else { continue };
                all.iter_mut().filter(|one| one.later.contains(&id)).for_each(|one| one.answered += 1);
            }
            (Direction::ToClient, _) if frame.method().as_deref() == Some("notifications/progress") => {
                let token = token_of(frame.params);
                let late = |one: &Cancelled| Some(&one.token) == token.as_ref() && one.answered >= ANSWERS;
                if all.iter().any(late) {
                    return Err(violated(entry, "nothing more for a cancelled request", "progress"));
                }
            }
            (Direction::ToClient, _) => {}
        }
    }
    if all.is_empty() { Err(Finding::not_applicable("nothing with a token was cancelled")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::transcript_of;
    use super::*;
    use Direction::{ToClient, ToServer};
    use protocol::Version;
    use protocol::method::Side;
    use serde_json::{Value, json};
    use transport::serve::Via;

    fn judge(pings: u32) -> Verdict {
        let call = json!({ "_meta": { "progressToken": "t" } });
        let progress = json!({ "progressToken": "t", "progress": 1 });
        let mut said: Vec<(Direction, Value)> = vec![
            (ToServer, json!({ "jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": call })),
            (
                ToServer,
                json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "call" } }),
            ),
        ];
        for id in 0..pings {
            said.push((ToServer, json!({ "jsonrpc": "2.0", "id": id, "method": "server/discover" })));
            said.push((ToClient, json!({ "jsonrpc": "2.0", "id": id, "result": {} })));
        }
        said.push((
            ToClient,
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": progress }),
        ));
        let transcript = transcript_of(&said);
        quiet_afterwards(&WireCx::new(Version::LATEST, Via::Pipe, Side::Server, &transcript))
    }

    #[test]
    fn progress_may_cross_a_cancellation_but_not_follow_it() {
        assert!(judge(0).is_ok());
        assert!(judge(1).is_ok());
        assert!(judge(3).is_err());
    }
}
