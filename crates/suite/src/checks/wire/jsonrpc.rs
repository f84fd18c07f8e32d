//! JSON-RPC: what every message, response and error must have.

use std::collections::HashMap;

use ::wire::{Frame, Id, Kind, integer_of};
use protocol::{Span, Version};
use server::fault::framing as fault;
use transport::Transport;

use super::response_ids::is_rounded;
use super::{frames, requests, violated};
use crate::verdict::expect_none;
use crate::{Applies, Check, Cite, Run, Sides, Verdict, WireCx, defined, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[VERSION_MARKED, ONE_OF_TWO, ANSWERED_ONCE, ASKED_FOR, CODE_INTEGER, MESSAGE_PRESENT, KNOWN_CODES];

const V1: Version = Version::V2024_11_05;
const MESSAGES: &[Cite] =
    &[must("basic/index#", Span::only(V1)), must("basic/index#messages", Span::since(Version::V2025_03_26))];
const ERRORS: &[Cite] = &[
    must("basic/messages#responses", Span::only(V1)),
    must("basic/index#responses", Span::between(Version::V2025_03_26, Version::V2025_06_18)),
    must("basic/index#error-responses", Span::since(Version::V2025_11_25)),
];
const RESULTS: &[Cite] = &[
    must("basic/messages#responses", Span::only(V1)),
    must("basic/index#responses", Span::between(Version::V2025_03_26, Version::V2025_06_18)),
    must("basic/index#result-responses", Span::since(Version::V2025_11_25)),
];

/// All messages must follow JSON-RPC 2.0, which requires `jsonrpc: "2.0"` in each.
const VERSION_MARKED: Check = Check {
    id: "wire/jsonrpc/version-marked",
    title: "every message says that it is JSON-RPC 2.0",
    cites: MESSAGES,
    aliases: &["test_request_format"],
    why: "a receiver cannot tell the protocol of a message that does not name it, and strict ones drop it",
    fix: "put \"jsonrpc\": \"2.0\" into every message, errors included",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, version_marked),
    fault: &fault::JSONRPC_MISSING,
};

pub(super) fn version_marked(cx: &WireCx<'_>) -> Verdict {
    // On stdout that is a log line, which the check of what stdout carries reports.
    let is_message = |frame: &Frame<'_>| cx.transport != Transport::Stdio || frame.has_rpc_member();
    let unmarked = frames(cx).find(|(_, frame)| !frame.is_2_0() && is_message(frame));
    expect_none(unmarked, |(entry, frame)| {
        let actual = frame.jsonrpc.map_or("no jsonrpc member".to_owned(), |raw| format!("jsonrpc: {raw}"));
        violated(entry, "jsonrpc: \"2.0\"", actual)
    })
}

/// A response must have a result or an error, and not both. Since 2025-11-25 these are two kinds of response, each with
/// its own member.
const ONE_OF_TWO: Check = Check {
    id: "wire/jsonrpc/one-of-result-and-error",
    title: "a response has a result or an error, never both and never neither",
    cites: RESULTS,
    aliases: &["test_response_format"],
    why: "a client that looks at the result first takes a failure for a success",
    fix: "leave out `result` when there is an `error`, and the other way round",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, one_of_two),
    fault: &fault::RESULT_AND_ERROR,
};

fn one_of_two(cx: &WireCx<'_>) -> Verdict {
    for (entry, frame) in frames(cx) {
        // Without `jsonrpc` it is not a message at all, which the check of that member reports.
        if let Kind::Invalid(why) = frame.kind()
            && frame.jsonrpc.is_some()
        {
            return Err(violated(entry, "a request, a notification, a result or an error", why));
        }
    }
    Ok(())
}

/// All messages must follow JSON-RPC 2.0, in which a request gets one response.
const ANSWERED_ONCE: Check = Check {
    id: "wire/jsonrpc/answered-once",
    title: "a request is answered no more than once",
    cites: MESSAGES,
    aliases: &["test_unique_request_ids"],
    why: "the client has forgotten the request, or takes the second response for that to a later request of the same id",
    fix: "make sure that only one code path can complete a request",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, answered_once),
    fault: &fault::ANSWERED_TWICE,
};

fn answered_once(cx: &WireCx<'_>) -> Verdict {
    let asked = count(requests(cx).filter(|f| f.kind() == Kind::Request).filter_map(|f| f.id()));
    let mut answers: HashMap<Id, usize> = HashMap::new();
    for (entry, frame) in frames(cx) {
        let Some(id) = frame.id().filter(|_| matches!(frame.kind(), Kind::Result | Kind::Error)) else {
            continue;
        };
        let Some(times) = asked.get(&id) else { continue };
        let seen = answers.entry(id.clone()).or_default();
        *seen += 1;
        if *seen > *times {
            return Err(violated(
                entry,
                format!("one answer to request {id}"),
                format!("answer number {seen}"),
            ));
        }
    }
    Ok(())
}

/// A response must have the id of the request that it belongs to. Only an error may lack it, if the id could not be
/// read.
const ASKED_FOR: Check = Check {
    id: "wire/jsonrpc/id-known",
    title: "a response carries the id of a request, of the same type and value",
    cites: RESULTS,
    aliases: &["test_response_format"],
    why: "clients match responses by id; an id that changed its type never matches, and the request hangs",
    fix: "keep the id as the JSON value that you received, and send exactly that back",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, asked_for),
    fault: &fault::ID_FOREIGN,
};

fn asked_for(cx: &WireCx<'_>) -> Verdict {
    let asked = count(requests(cx).filter_map(|f| f.id()));
    if cx.transcript.messages().all(|entry| entry.direction != cx.answered_direction()) {
        return Err(crate::Finding::blocked("the requests are not in the record, only what came back"));
    }
    for (entry, frame) in frames(cx) {
        let id = match (frame.kind(), frame.id()) {
            (Kind::Result, Some(id)) => id,
            // An error may be about a message whose id could not be read.
            (Kind::Error, Some(id)) if !matches!(id, Id::Other(_)) => id,
            (Kind::Result, None) => {
                return Err(violated(entry, "the id of a request", "a result without an id"));
            }
            _ => continue,
        };
        // An id that was rounded has a check of its own.
        if !asked.contains_key(&id) && !asked.keys().any(|one| is_rounded(one, &id)) {
            return Err(violated(
                entry,
                "the id of a request that was sent",
                format!("id {id}, which no request has"),
            ));
        }
    }
    Ok(())
}

/// Error codes must be integers.
const CODE_INTEGER: Check = Check {
    id: "wire/jsonrpc/error-code-integer",
    title: "error codes are integers",
    cites: ERRORS,
    aliases: &["test_error_handling"],
    why: "clients decide by the code what to do next",
    fix: "send the code as a JSON integer",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, code_integer),
    fault: &fault::ERROR_CODE_TEXT,
};

fn code_integer(cx: &WireCx<'_>) -> Verdict {
    each_error(cx, |error| match &error["code"] {
        code if integer_of(code).is_some() => Ok(()),
        code => Err(("an integer".to_owned(), format!("code: {code}"))),
    })
}

/// An error must have a code and a message. 2024-11-05 defines the message without a keyword.
const MESSAGE_PRESENT: Check = Check {
    id: "wire/jsonrpc/error-message-present",
    title: "errors have a message",
    cites: &[defined("basic/messages#responses", Span::only(V1)), ERRORS[1], ERRORS[2]],
    aliases: &["test_response_format", "test_error_handling"],
    why: "the message is the only part that a person gets to see",
    fix: "say in `message` what is wrong, in a sentence",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, message_present),
    fault: &fault::ERROR_WITHOUT_MESSAGE,
};

fn message_present(cx: &WireCx<'_>) -> Verdict {
    each_error(cx, |error| match &error["message"] {
        message if message.is_string() => Ok(()),
        message => Err(("a string".to_owned(), format!("message: {message}"))),
    })
}

/// 2026-07-28: a sub-range of codes is reserved for the specification, and no undefined code of it may be sent. Codes
/// of earlier revisions, such as -32002, must not be sent any more.
const KNOWN_CODES: Check = Check {
    id: "wire/jsonrpc/error-code-defined",
    title: "no error code is reserved or withdrawn",
    cites: &[must("basic/index#error-codes", Span::MODERN)],
    aliases: &[],
    why: "a code of that range will one day mean something, and clients will act on it",
    fix: "use the codes that the specification defines, or one outside -32768 to -32000",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, known_codes),
    fault: &fault::RESERVED_CODE,
};

fn known_codes(cx: &WireCx<'_>) -> Verdict {
    use protocol::code::Class;
    each_error(cx, |error| {
        let Some(code) = integer_of(&error["code"]) else { return Ok(()) };
        match protocol::code::classify(cx.version, code) {
            Class::Reserved => {
                Err(("a code that the specification defines".to_owned(), format!("code {code}")))
            }
            Class::OtherRevision(known) if known.code <= -32000 => Err((
                format!("a code of {}", cx.version),
                format!("{} ({}) of another revision", code, known.name),
            )),
            Class::Defined(_)
            | Class::OtherRevision(_)
            | Class::Unassigned
            | Class::JsonRpc
            | Class::Application => Ok(()),
        }
    })
}

/// Judges every error object; an error that is not an object is judged as one without members.
fn each_error(
    cx: &WireCx<'_>,
    judge: impl Fn(&serde_json::Value) -> Result<(), (String, String)>,
) -> Verdict {
    for (entry, frame) in frames(cx) {
        let Some(raw) = frame.error else { continue };
        let error = serde_json::from_str(raw.get()).unwrap_or_default();
        judge(&error).map_err(|(expected, actual)| violated(entry, expected, actual))?;
    }
    Ok(())
}

fn count(ids: impl Iterator<Item = Id>) -> HashMap<Id, usize> {
    let mut counts = HashMap::new();
    for id in ids {
        *counts.entry(id).or_default() += 1;
    }
    counts
}
