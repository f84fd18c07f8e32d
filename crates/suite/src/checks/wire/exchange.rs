//! JSON-RPC: results that are objects, ids of the server's own requests, and notifications without ids.

use std::collections::HashSet;

use ::wire::{Direction, Entry, Id, Kind, What};
use protocol::{Span, Version};
use server::fault::base as fault;
use transport::Transport;

use super::{frames, violated};
use crate::{Applies, Check, Cite, Finding, Run, Sides, Verdict, WireCx, defined, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[RESULT_OBJECT, ID_VALID, ID_FRESH, WITHOUT_ID];

const FIRST: Span = Span::only(Version::V2024_11_05);
const REQUESTS: &[Cite] = &[
    must("basic/messages#requests", FIRST),
    must("basic/index#requests", Span::between(Version::V2025_03_26, Version::V2025_11_25)),
];

/// A response is defined with a `result` that is a JSON object.
const RESULT_OBJECT: Check = Check {
    id: "wire/jsonrpc/result-object",
    title: "a result is an object",
    cites: &[
        defined("basic/messages#responses", FIRST),
        defined("basic/index#responses", Span::between(Version::V2025_03_26, Version::V2025_06_18)),
        defined("basic/index#result-responses", Span::since(Version::V2025_11_25)),
    ],
    aliases: &["test_response_format"],
    why: "clients look for members of the result, and typed ones drop a response whose result is null or a list",
    fix: "return {} where there is nothing to tell",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, result_object),
    fault: &fault::RESULT_NULL,
};

fn result_object(cx: &WireCx<'_>) -> Verdict {
    for (entry, frame) in frames(cx) {
        let Some(raw) = frame.result.filter(|_| frame.method.is_none()) else { continue };
        if !raw.get().starts_with('{') {
            return Err(violated(entry, "a result that is an object", format!("result: {raw}")));
        }
    }
    Ok(())
}

/// The id of a request must be a string or an integer, and must not be null.
const ID_VALID: Check = Check {
    id: "wire/jsonrpc/request-id-valid",
    title: "the ids of the server's own requests are strings or integers",
    cites: REQUESTS,
    aliases: &["test_request_format"],
    why: "a client cannot answer a request whose id is null, and may round one that is a fraction",
    fix: "number your requests, or name them; never null",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, id_valid),
    fault: &fault::REQUEST_ID_NULL,
};

fn id_valid(cx: &WireCx<'_>) -> Verdict {
    for (entry, frame) in frames(cx) {
        let Some(id) = frame.id().filter(|_| frame.kind() == Kind::Request) else { continue };
        if !id.is_legal() {
            return Err(violated(entry, "an id that is a string or an integer", format!("id {id}")));
        }
    }
    Ok(())
}

/// The sender of a request must not use an id again in the same session.
const ID_FRESH: Check = Check {
    id: "wire/jsonrpc/request-id-fresh",
    title: "the server uses no id twice for requests of its own",
    cites: REQUESTS,
    aliases: &["test_unique_request_ids"],
    why: "a late response is taken for the response to another request",
    fix: "count up for as long as the session lasts",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, id_fresh),
    fault: &fault::REQUEST_ID_REUSED,
};

fn id_fresh(cx: &WireCx<'_>) -> Verdict {
    let mut used: HashSet<(u32, Id)> = HashSet::new();
    let sessionless = is_sessionless(cx);
    for (entry, frame) in frames(cx) {
        let Some(id) = frame.id().filter(|id| frame.kind() == Kind::Request && id.is_legal()) else {
            continue;
        };
        // Ids are unique in a session; a server without sessions starts anew with every stream.
        let session = if sessionless { entry.exchange } else { 0 };
        if used.contains(&(session, id.clone())) {
            return Err(violated(entry, "an id that was not used before", format!("id {id} again")));
        }
        used.insert((session, id));
    }
    Ok(())
}

/// Whether this is Streamable HTTP, and the server never assigned a session id.
fn is_sessionless(cx: &WireCx<'_>) -> bool {
    let heads = cx.transcript.entries.iter().filter(|entry| entry.what == What::Head);
    let mut given = heads.filter(|entry| entry.direction == Direction::ToClient);
    let names = |entry: &Entry| {
        String::from_utf8_lossy(&entry.bytes).to_ascii_lowercase().contains("\nmcp-session-id:")
    };
    cx.transport == Transport::StreamableHttp && !given.any(names)
}

/// A notification must not have an id.
const WITHOUT_ID: Check = Check {
    id: "wire/jsonrpc/notification-without-id",
    title: "notifications have no id",
    cites: &[
        must_not("basic/messages#notifications", FIRST),
        must_not("basic/index#notifications", Span::since(Version::V2025_03_26)),
    ],
    aliases: &["test_notification_format"],
    why: "with an id it is a request, and the client sends a response that nobody waits for",
    fix: "leave the id out of notifications",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, without_id),
    fault: &fault::NOTIFICATION_WITH_ID,
};

fn without_id(cx: &WireCx<'_>) -> Verdict {
    let mut seen = false;
    for (entry, frame) in frames(cx) {
        if !frame.method().is_some_and(|method| method.starts_with("notifications/")) {
            continue;
        }
        seen = true;
        if let Some(id) = frame.id() {
            return Err(violated(entry, "a notification without an id", format!("id {id}")));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("the server sent no notifications")) }
}
