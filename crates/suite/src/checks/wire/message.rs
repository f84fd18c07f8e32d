//! The content of messages: strict JSON, UTF-8, the schema of the revision, and fields that every result has.

use ::wire::{Direction, Entry, Flaw, Frame, Id, Kind, Payload, inspect};
use protocol::method;
use protocol::{Span, Version, schema};
use serde_json::Value;
use server::fault::{framing, lifecycle, tools};

use super::message_parts::checks_of_part;
use super::progress::{token_in_meta, token_of};
use super::{Asked, frames, sent, violated};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, advised, defined, must, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[STRICT_JSON, UTF8, SCHEMA, RESULT_TYPE, SERVER_INFO, PROGRESS_INCREASES];

/// Messages must follow JSON-RPC 2.0, whose messages are JSON objects. RFC 8259 says that the names in an object should be
/// unique, so this is implied.
const STRICT_JSON: Check = Check {
    id: "wire/message/members-unique",
    title: "no object in a message has the same member twice",
    cites: &[
        advised("basic/index#", Span::only(Version::V2024_11_05)),
        advised("basic/index#messages", Span::since(Version::V2025_03_26)),
    ],
    aliases: &[],
    why: "receivers differ in which of the two they use, so one may act on a value that another never saw",
    fix: "serialise from a map, not by joining strings",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, strict_json),
    fault: &framing::DUPLICATE_MEMBER,
};

fn strict_json(cx: &WireCx<'_>) -> Verdict {
    for (entry, _) in frames(cx) {
        if let Some(flaw) = inspect(&entry.bytes).iter().find(|f| matches!(f, Flaw::DuplicateKey { .. })) {
            return Err(violated(entry, "each member once", flaw.to_string()));
        }
    }
    Ok(())
}

/// JSON-RPC messages must be encoded in UTF-8. 2024-11-05 does not say so.
const UTF8: Check = Check {
    id: "wire/message/utf8",
    title: "messages are UTF-8",
    cites: &[
        must("basic/transports#", Span::between(Version::V2025_03_26, Version::V2025_11_25)),
        must("basic/transports/index#messages", Span::MODERN),
    ],
    aliases: &[],
    why: "a receiver cannot read the message at all, or reads something else",
    fix: "encode as UTF-8, and validate text from files and other programs before you use it",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, utf8),
    fault: &framing::NOT_UTF8,
};

fn utf8(cx: &WireCx<'_>) -> Verdict {
    expect_none(sent(cx).find(|entry| std::str::from_utf8(&entry.bytes).is_err()), |entry| {
        violated(entry, "UTF-8", "bytes that are not UTF-8")
    })
}

/// The messages of a revision are defined by its schema, which the page names as the source of truth. What a check of its own
/// has told of is not told again.
pub(crate) const SCHEMA: Check = Check {
    id: "wire/message/schema",
    title: "every message matches the schema of its revision",
    cites: &[defined("basic/index#schema", Span::ALWAYS)],
    aliases: &[],
    why: "clients with typed models drop the whole message when one field is missing or of another type",
    fix: "compare the message with the definition that is named, field by field",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, matches_schema),
    fault: &tools::TOOL_DESCRIPTION_NUMBER,
};

fn matches_schema(cx: &WireCx<'_>) -> Verdict {
    // Only one revision has batches; how a batch is answered elsewhere has a check of its own.
    if cx.version != Version::V2025_03_26
        && batches(cx, cx.answered_direction()).next().is_none()
        && let Some(entry) = batches(cx, cx.judged_direction()).next()
    {
        return Err(violated(entry, "one message", "an array of them"));
    }
    let asked = Asked::on(cx);
    let mut told_elsewhere = Ok(());
    for (entry, frame) in frames(cx) {
        let Some((name, value)) = defined_by(cx, &asked, &frame) else { continue };
        let Some(validator) = schema::validator(cx.version, name) else { continue };
        for flaw in validator.check(&value) {
            match cx.failed.find(checks_of_part(&flaw.place())) {
                Some(check) => told_elsewhere = Err(Finding::blocked_by(check, flaw.to_string())),
                None => return Err(violated(entry, format!("{name} of {}", cx.version), flaw.to_string())),
            }
        }
    }
    told_elsewhere
}

fn batches<'a>(cx: &'a WireCx<'_>, direction: Direction) -> impl Iterator<Item = &'a Entry> {
    let sent = cx.transcript.messages().filter(move |entry| entry.direction == direction);
    let arrays = sent.filter(|entry| entry.bytes.trim_ascii_start().starts_with(b"["));
    arrays.filter(|entry| matches!(Payload::parse(&entry.bytes), Ok(Payload::Batch(_))))
}

/// The definition that a frame has to match, and the part of it that has to.
fn defined_by(cx: &WireCx<'_>, asked: &Asked<'_>, frame: &Frame<'_>) -> Option<(&'static str, Value)> {
    let parse = |raw: &serde_json::value::RawValue| serde_json::from_str(raw.get()).ok();
    match frame.kind() {
        Kind::Result => {
            let method = method::find(cx.version, &asked.method(frame)?)?;
            let result: Value = parse(frame.result.filter(|raw| raw.get().starts_with('{'))?)?;
            match result["resultType"].as_str() {
                Some("input_required") => Some(("InputRequiredResult", result)),
                // Results of extensions have definitions of their own.
                Some(other) if other != "complete" => None,
                // A task has its result later.
                None if method.may_become_task(cx.version) && result["task"].is_object() => {
                    Some(("CreateTaskResult", result))
                }
                Some(_) | None => Some((method.result?, result)),
            }
        }
        Kind::Request | Kind::Notification => {
            let method = method::find(cx.version, &frame.method()?)?;
            let whole = serde_json::json!({
                "jsonrpc": "2.0",
                "id": frame.id.and_then(parse).unwrap_or_default(),
                "method": method.name,
                "params": frame.params.and_then(parse).unwrap_or_default(),
            });
            method.direction.allows(cx.side).then(|| (method.message, without_nulls(whole, frame)))
        }
        Kind::Error | Kind::Invalid(_) => None,
    }
}

fn without_nulls(mut message: Value, frame: &Frame<'_>) -> Value {
    if let Some(members) = message.as_object_mut() {
        members.retain(|name, _| match name.as_str() {
            "id" => frame.id.is_some(),
            "params" => frame.params.is_some(),
            _ => true,
        });
    }
    message
}

/// 2026-07-28: every result must have a `resultType`.
const RESULT_TYPE: Check = Check {
    id: "wire/message/result-type",
    title: "every result has a resultType",
    cites: &[must("basic/index#result-responses", Span::MODERN)],
    aliases: &[],
    why: "without it a client cannot tell a final result from a request for more input",
    fix: "add \"resultType\": \"complete\" to every ordinary result",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, result_type),
    fault: &lifecycle::RESULT_TYPE_MISSING,
};

fn result_type(cx: &WireCx<'_>) -> Verdict {
    each_result(cx, |result| match &result["resultType"] {
        Value::String(_) => Ok(()),
        other => Err(("resultType, a string", format!("resultType: {other}"))),
    })
}

/// 2026-07-28: a server should name itself in the `_meta` of every result, under `io.modelcontextprotocol/serverInfo`,
/// unless it is configured not to.
const SERVER_INFO: Check = Check {
    id: "wire/message/server-info",
    title: "every result names the server that it comes from",
    cites: &[should("basic/index#meta", Span::MODERN)],
    aliases: &["test_server_info_requirements"],
    why: "there is no handshake any more, so nothing else shows in a log which server answered",
    fix: "put io.modelcontextprotocol/serverInfo with name and version into the _meta of every result",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, server_info),
    fault: &lifecycle::SERVER_INFO_MISSING,
};

fn server_info(cx: &WireCx<'_>) -> Verdict {
    each_result(cx, |result| match &result["_meta"][protocol::meta::SERVER_INFO] {
        Value::Object(_) => Ok(()),
        _ => Err(("serverInfo in _meta", "a result without it".to_owned())),
    })
}

/// The `progress` value must increase with every notification, even if the total is unknown. Tokens are unique among active
/// requests, so a later request may use one again, and its progress starts anew.
const PROGRESS_INCREASES: Check = Check {
    id: "wire/message/progress-increases",
    title: "progress increases with every notification",
    cites: &[
        must("basic/utilities/progress#progress-flow", Span::LEGACY),
        must("basic/patterns/progress#progress-flow", Span::MODERN),
    ],
    aliases: &["test_async_long_running_tool"],
    why: "a progress bar that jumps back tells its user nothing",
    fix: "send a notification only when the value has grown",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Either, progress_increases),
    fault: &tools::PROGRESS_STANDS_STILL,
};

fn progress_increases(cx: &WireCx<'_>) -> Verdict {
    let mut last: Vec<(Id, f64)> = Vec::new();
    let mut seen = false;
    for (entry, frame) in cx.distinct_frames() {
        if entry.direction != cx.judged_direction() {
            let given = token_in_meta(frame.params).filter(|_| frame.kind() == Kind::Request);
            last.retain(|(known, _)| Some(known) != given.as_ref());
            continue;
        }
        if frame.method().as_deref() != Some("notifications/progress") {
            continue;
        }
        let params: Value =
            frame.params.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let (Some(token), Some(now)) = (token_of(frame.params), params["progress"].as_f64()) else {
            continue;
        };
        seen = true;
        match last.iter_mut().find(|(known, _)| *known == token) {
            Some((_, before)) if now <= *before => {
                return Err(violated(entry, format!("progress above {before}"), format!("progress {now}")));
            }
            Some((_, before)) => *before = now,
            None => last.push((token, now)),
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no progress was reported")) }
}

fn each_result(cx: &WireCx<'_>, judge: impl Fn(&Value) -> Result<(), (&'static str, String)>) -> Verdict {
    for (entry, frame) in frames(cx) {
        // Results that are not objects are another check's business.
        let Some(raw) = frame.result.filter(|raw| frame.kind() == Kind::Result && raw.get().starts_with('{'))
        else {
            continue;
        };
        let result = serde_json::from_str(raw.get()).unwrap_or_default();
        judge(&result).map_err(|(expected, actual)| violated(entry, expected, actual))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ::wire::Direction::{self, ToClient, ToServer};
    use protocol::method::Side;
    use serde_json::json;
    use transport::Transport;

    use super::super::transcript_of;
    use super::*;

    fn call(id: u32) -> (Direction, Value) {
        let params = json!({ "_meta": { "progressToken": "t" } });
        (ToServer, json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
    }

    fn progress(value: u32) -> (Direction, Value) {
        let params = json!({ "progressToken": "t", "progress": value });
        (ToClient, json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
    }

    fn judge(said: &[(Direction, Value)]) -> Verdict {
        let transcript = transcript_of(said);
        progress_increases(&WireCx::new(Version::V2025_11_25, Transport::Stdio, Side::Server, &transcript))
    }

    /// Clients may use a token again once the request that gave it is over.
    #[test]
    fn progress_starts_anew_with_the_request_that_uses_its_token_again() {
        let done = (ToClient, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
        assert!(judge(&[call(1), progress(1), progress(2), done, call(2), progress(1)]).is_ok());
        assert!(judge(&[call(1), progress(2), progress(2)]).is_err());
        assert!(judge(&[call(1), progress(2), progress(1)]).is_err());
    }
}
