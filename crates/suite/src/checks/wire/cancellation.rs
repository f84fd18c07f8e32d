//! Cancellations that the server sends, and messages that it sends for cancelled requests.

use std::collections::{HashMap, HashSet};

use ::wire::{Direction, Id, Kind};
use protocol::{Era, Span};
use server::fault::cancellation as fault;
use transport::Transport;

use super::progress::{token_in_meta, token_of};
use super::{answered_ids, cancelled, frames_of_both_sides, violated};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[OWN_REQUESTS, QUIET_AFTERWARDS];

/// Each side may cancel only requests that it sent and that are still in progress. In 2026-07-28 a server sends no
/// requests, and may cancel only a subscription.
const OWN_REQUESTS: Check = Check {
    id: "wire/cancellation/only-what-may-be",
    title: "the server cancels only its own requests, or in 2026-07-28 only subscriptions",
    cites: &[
        must("basic/utilities/cancellation#behavior-requirements", Span::LEGACY),
        must("basic/patterns/cancellation#behavior-requirements", Span::MODERN),
    ],
    aliases: &[],
    why: "a client that is told to cancel its own request, or one that it never got, cannot know what is meant",
    fix: "name the id of a request that you sent and that is still open; from 2026-07-28 on that of a subscription",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, own_requests),
    fault: &fault::CANCELS_FOREIGN,
};

fn own_requests(cx: &WireCx<'_>) -> Verdict {
    let mut cancellable: Vec<Id> = Vec::new();
    for (entry, frame) in frames_of_both_sides(cx) {
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

/// stdio, cancellation (2026-07-28): a server must send no further messages for a cancelled request. Only progress that
/// comes clearly too late is judged, as long as no later request uses the token again.
const QUIET_AFTERWARDS: Check = Check {
    id: "wire/cancellation/quiet-afterwards",
    title: "no progress is reported for a request that was cancelled",
    cites: &[must_not("basic/transports/stdio#cancellation", Span::MODERN)],
    aliases: &[],
    why: "the client has forgotten the request, and may have given its token to another one",
    fix: "stop the work when notifications/cancelled names its request, and send nothing more for it",
    applies: Applies::Over(Transport::Stdio),
    run: Run::Wire(Sides::Server, quiet_afterwards),
    fault: &fault::PROGRESS_AFTER_CANCEL,
};

/// How many later requests have to be answered before the server has certainly read the cancellation. What it sent before
/// may have crossed it.
const ANSWERS_UNTIL_LATE: usize = 3;

/// A request that was cancelled.
struct Cancelled {
    token: Id,
    /// Requests that were sent after the cancellation.
    later: HashSet<Id>,
    /// How many of them are answered.
    answered: usize,
}

fn quiet_afterwards(cx: &WireCx<'_>) -> Verdict {
    // A server that answers has not cancelled the request, which is another check's business.
    let answered = answered_ids(cx);
    let mut tokens: HashMap<Id, Id> = HashMap::new();
    let mut all: Vec<Cancelled> = Vec::new();
    let mut seen = false;
    for (entry, frame) in frames_of_both_sides(cx) {
        match (entry.direction, frame.kind()) {
            (Direction::ToServer, Kind::Request) => {
                let Some(id) = frame.id() else { continue };
                for one in &mut all {
                    one.later.insert(id.clone());
                }
                let token = token_in_meta(frame.params);
                all.retain(|one| Some(&one.token) != token.as_ref());
                tokens.extend(token.map(|token| (id, token)));
            }
            (Direction::ToServer, _) => {
                let unanswered = cancelled(&frame).filter(|id| !answered.contains(id));
                let token = unanswered.and_then(|id| tokens.get(&id).cloned());
                seen |= token.is_some();
                all.extend(token.map(|token| Cancelled { token, later: HashSet::new(), answered: 0 }));
            }
            (Direction::ToClient, Kind::Result | Kind::Error) => {
                let Some(id) = frame.id() else { continue };
                all.iter_mut().filter(|one| one.later.contains(&id)).for_each(|one| one.answered += 1);
            }
            (Direction::ToClient, _) if frame.method().as_deref() == Some("notifications/progress") => {
                let token = token_of(frame.params);
                let late = |one: &Cancelled| {
                    Some(&one.token) == token.as_ref() && one.answered >= ANSWERS_UNTIL_LATE
                };
                if all.iter().any(late) {
                    return Err(violated(entry, "nothing more for a cancelled request", "progress"));
                }
            }
            (Direction::ToClient, _) => {}
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("nothing with a token was cancelled")) }
}

#[cfg(test)]
mod tests {
    use super::super::transcript_of;
    use super::*;
    use Direction::{ToClient, ToServer};
    use protocol::Version;
    use protocol::method::Side;
    use serde_json::{Value, json};

    fn judge(pings: u32) -> Verdict {
        judge_with(pings, None)
    }

    /// `later` is a request that gives the token again.
    fn judge_with(pings: u32, later: Option<(Direction, Value)>) -> Verdict {
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
        said.extend(later);
        said.push((
            ToClient,
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": progress }),
        ));
        let transcript = transcript_of(&said);
        quiet_afterwards(&WireCx::new(Version::LATEST, Transport::Stdio, Side::Server, &transcript))
    }

    #[test]
    fn progress_may_cross_a_cancellation_but_not_follow_it() {
        assert!(judge(0).is_ok());
        assert!(judge(1).is_ok());
        assert!(judge(3).is_err());
    }

    #[test]
    fn a_later_request_may_use_the_token_again() {
        let params = json!({ "_meta": { "progressToken": "t" } });
        let again = json!({ "jsonrpc": "2.0", "id": "again", "method": "tools/call", "params": params });
        assert!(judge_with(3, Some((ToServer, again))).is_ok());
    }
}
