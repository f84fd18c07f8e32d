//! Progress: for whom, and until when.

use std::collections::{HashMap, HashSet};

use ::wire::{Direction, Id, Kind};
use protocol::Span;
use server::fault::cancellation as fault;

use super::{frames, requests, said, value, violated};
use crate::{Check, Finding, On, Run, Verdict, WireCx, must};

pub(in crate::checks) const CHECKS: &[Check] = &[TOKEN_KNOWN, STOPS];

const TOKEN_KNOWN: Check = Check {
    id: "wire/progress/token-known",
    title: "progress names a token that a request gave, exactly as it was given",
    cites: &[
        must("basic/utilities/progress#behavior-requirements", Span::LEGACY),
        must("basic/patterns/progress#behavior-requirements", Span::MODERN),
    ],
    aliases: &[],
    why: "a token that changed its type, or that nobody gave, belongs to no request and is dropped",
    fix: "send back the token as the JSON value that came in _meta.progressToken, and nothing without one",
    on: On::Any,
    run: Run::Wire(token_known),
    fault: &fault::PROGRESS_TOKEN_CHANGED,
};

fn token_known(cx: &WireCx<'_>) -> Verdict {
    // Wherever it was given: over two connections, progress may be seen before the request is written down.
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
    on: On::Any,
    run: Run::Wire(stops),
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
    for (entry, frame) in said(cx) {
        match (entry.direction, frame.kind()) {
            (Direction::ToServer, Kind::Request) => {
                if let (Some(id), Some(token)) = (frame.id(), token_in_meta(frame.params)) {
                    asked.insert(id, Asked { token, exchange: entry.exchange, over: false });
                }
            }
            (Direction::ToClient, Kind::Result | Kind::Error) => {
                // What has become a task goes on.
                let result = value(frame.result);
                let task = result["task"].is_object() || result["resultType"] == "task";
                if let Some(one) = frame.id().and_then(|id| asked.get_mut(&id)) {
                    one.over = !task;
                }
            }
            (Direction::ToClient, _) if frame.method().as_deref() == Some("notifications/progress") => {
                seen = true;
                let token = token_of(frame.params);
                // Streams of different exchanges are in no order.
                let over = asked.values().any(|one| {
                    Some(&one.token) == token.as_ref() && one.over && one.exchange == entry.exchange
                });
                if over {
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
