//! Progress notifications: their tokens, and when they stop.

use std::collections::{HashMap, HashSet};

use ::wire::{Direction, Id, Kind};
use protocol::Span;
use server::fault::cancellation as fault;

use super::{frames, frames_of_both_sides, requests, value, violated};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, must};

pub(in crate::checks) const CHECKS: &[Check] = &[TOKEN_KNOWN, STOPS];

/// A progress notification must refer to a token that was provided in an active request.
const TOKEN_KNOWN: Check = Check {
    id: "wire/progress/token-known",
    title: "progress has the token of a request, unchanged",
    cites: &[
        must("basic/utilities/progress#behavior-requirements", Span::LEGACY),
        must("basic/patterns/progress#behavior-requirements", Span::MODERN),
    ],
    aliases: &[],
    why: "a token that no request provided, or that changed its type, matches nothing and is dropped",
    fix: "send the token back as the JSON value in _meta.progressToken, and nothing without one",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, token_known),
    fault: &fault::PROGRESS_TOKEN_CHANGED,
};

fn token_known(cx: &WireCx<'_>) -> Verdict {
    // The order does not matter: over two connections, progress may be recorded before its request.
    let given: HashSet<Id> = requests(cx).filter_map(|frame| token_in_meta(frame.params)).collect();
    let mut seen = false;
    for (entry, frame) in frames(cx) {
        if frame.method().as_deref() != Some("notifications/progress") {
            continue;
        }
        seen = true;
        let token = token_of(frame.params);
        if !token.as_ref().is_some_and(|token| given.contains(token)) {
            let actual = token.map_or("no token".to_owned(), |token| format!("token {token}"));
            return Err(violated(entry, "a token that a request gave", actual));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no progress was reported")) }
}

/// Progress notifications must stop once the operation is complete. A task goes on after the response that creates it, and a
/// later request may use the token again.
const STOPS: Check = Check {
    id: "wire/progress/stops",
    title: "progress stops when the work is done",
    cites: &[
        must("basic/utilities/progress#implementation-notes", Span::LEGACY),
        must("basic/patterns/progress#implementation-notes", Span::MODERN),
    ],
    aliases: &["test_async_long_running_tool"],
    why: "the client has closed its progress bar, and may have given the token to another request",
    fix: "send the response last, and nothing for its token after it",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, stops),
    fault: &fault::PROGRESS_CONTINUES,
};

/// A request that gave a token, and whether it is over.
struct Asked {
    token: Id,
    exchange: u32,
    over: bool,
}

fn stops(cx: &WireCx<'_>) -> Verdict {
    let mut asked: HashMap<Id, Asked> = HashMap::new();
    let mut seen = false;
    for (entry, frame) in frames_of_both_sides(cx) {
        match (entry.direction, frame.kind()) {
            (Direction::ToServer, Kind::Request) => {
                if let (Some(id), Some(token)) = (frame.id(), token_in_meta(frame.params)) {
                    asked.insert(id, Asked { token, exchange: entry.exchange, over: false });
                }
            }
            (Direction::ToClient, Kind::Result | Kind::Error) => {
                // A task goes on.
                let result = value(frame.result);
                let task = result["task"].is_object() || result["resultType"] == "task";
                if let Some(one) = frame.id().and_then(|id| asked.get_mut(&id)) {
                    one.over = !task;
                }
            }
            (Direction::ToClient, _) if frame.method().as_deref() == Some("notifications/progress") => {
                seen = true;
                let token = token_of(frame.params);
                // Streams of different exchanges have no common order.
                let given =
                    |one: &&Asked| Some(&one.token) == token.as_ref() && one.exchange == entry.exchange;
                let mut given = asked.values().filter(given).peekable();
                if given.peek().is_some() && given.all(|one| one.over) {
                    return Err(violated(entry, "no progress after the response", "progress after it"));
                }
            }
            _ => {}
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no progress was reported")) }
}

/// The token that progress is reported for.
pub(super) fn token_of(params: Option<&serde_json::value::RawValue>) -> Option<Id> {
    let members = ::wire::members(params?)?;
    members.iter().find(|(name, _)| name == "progressToken").map(|(_, raw)| Id::from_raw(raw))
}

/// The token that a request gives.
pub(super) fn token_in_meta(params: Option<&serde_json::value::RawValue>) -> Option<Id> {
    let members = ::wire::members(params?)?;
    let (_, meta) = members.iter().find(|(name, _)| name == "_meta")?;
    token_of(Some(meta))
}

#[cfg(test)]
mod tests {
    use ::wire::Direction::{ToClient, ToServer};
    use protocol::Version;
    use protocol::method::Side;
    use serde_json::{Value, json};
    use transport::Transport;

    use super::super::transcript_of;
    use super::*;

    fn call(id: u32) -> (Direction, Value) {
        let params = json!({ "_meta": { "progressToken": "t" } });
        (ToServer, json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
    }

    fn judge(said: &[(Direction, Value)]) -> Verdict {
        let transcript = transcript_of(said);
        stops(&WireCx::new(Version::V2025_11_25, Transport::Stdio, Side::Server, &transcript))
    }

    #[test]
    fn progress_may_go_on_for_a_later_request_with_the_same_token() {
        let done = (ToClient, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
        let params = json!({ "progressToken": "t", "progress": 1 });
        let progress =
            (ToClient, json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }));
        assert!(judge(&[call(1), done.clone(), call(2), progress.clone()]).is_ok());
        assert!(judge(&[call(1), done, progress]).is_err());
    }
}
