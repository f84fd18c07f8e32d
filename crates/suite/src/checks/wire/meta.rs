//! `_meta` and `resultType`: the form of keys, trace context, and the known types of results.

use std::borrow::Cow;

use protocol::meta::{
    BAGGAGE, TRACEPARENT, TRACESTATE, check_baggage, check_key, check_traceparent, check_tracestate,
};
use protocol::{Span, Version, capability};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use server::fault::base as fault;

use super::lifecycle::declared_by_server;
use super::{frames, mentions, value, violated};
use crate::{Applies, Check, Run, Sides, Verdict, WireCx, must};

pub(in crate::checks) const CHECKS: &[Check] = &[KEYS, TRACE, RESULT_TYPE_KNOWN];

/// The members of results and params that hold items with a `_meta` of their own.
const LISTS: &[&str] =
    &["tools", "resources", "resourceTemplates", "prompts", "contents", "content", "messages"];

/// A key of `_meta` may have a prefix, of labels separated by dots and followed by a slash. Labels must start with a
/// letter, and the name must begin and end with a letter or digit.
const KEYS: Check = Check {
    id: "wire/message/meta-keys",
    title: "the keys of _meta are well-formed",
    cites: &[must("basic/index#meta", Span::since(Version::V2025_06_18))],
    aliases: &[],
    why: "names without a proper prefix collide, and some clients drop what they cannot read",
    fix: "use names like com.example/key: labels of letters, digits and hyphens, then a name",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, keys),
    fault: &fault::META_KEY_BROKEN,
};

fn keys(cx: &WireCx<'_>) -> Verdict {
    for (entry, frame) in frames(cx) {
        if !mentions(frame.result, "\"_meta\"") && !mentions(frame.params, "\"_meta\"") {
            continue;
        }
        for meta in metas(&value(frame.result)).chain(metas(&value(frame.params))) {
            // The keys of OpenAI's Apps SDK are older than the rule, and have checks of their own.
            for key in meta.keys().filter(|key| !key.starts_with("openai/")) {
                check_key(cx.version, key)
                    .map_err(|why| violated(entry, why.to_string(), format!("{key:?}")))?;
            }
        }
    }
    Ok(())
}

/// The `_meta` of a result or of params, and of what it lists.
fn metas(whole: &Value) -> std::vec::IntoIter<Map<String, Value>> {
    let listed = LISTS.iter().filter_map(|name| whole[*name].as_array()).flatten();
    let all = std::iter::once(whole).chain(listed);
    all.filter_map(|item| item["_meta"].as_object().cloned()).collect::<Vec<_>>().into_iter()
}

/// 2026-07-28: `traceparent`, `tracestate` and `baggage` in `_meta` must have the formats of W3C Trace Context and
/// Baggage.
const TRACE: Check = Check {
    id: "wire/message/trace-context",
    title: "trace context in _meta has the W3C format",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "tracing tools drop what they cannot parse, and the trace ends there",
    fix: "take traceparent, tracestate and baggage from your tracing library as they are",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, trace),
    fault: &fault::TRACE_BROKEN,
};

fn trace(cx: &WireCx<'_>) -> Verdict {
    for (entry, frame) in frames(cx) {
        let has = |key| mentions(frame.result, key) || mentions(frame.params, key);
        if ![TRACEPARENT, TRACESTATE, BAGGAGE].into_iter().any(has) {
            continue;
        }
        for meta in [&value(frame.result)["_meta"], &value(frame.params)["_meta"]] {
            for (key, check) in [
                (TRACEPARENT, check_traceparent as fn(&str) -> _),
                (TRACESTATE, check_tracestate),
                (BAGGAGE, check_baggage),
            ] {
                let Some(found) = meta.get(key) else { continue };
                let text = found
                    .as_str()
                    .ok_or_else(|| violated(entry, format!("{key}, a string"), found.to_string()))?;
                check(text).map_err(|why| violated(entry, why.to_string(), format!("{key}: {text}")))?;
            }
        }
    }
    Ok(())
}

/// 2026-07-28: a `resultType` must be one of the core protocol, or of an extension that the server advertises.
const RESULT_TYPE_KNOWN: Check = Check {
    id: "wire/message/result-type-known",
    title: "resultType is one that the protocol or an advertised extension defines",
    cites: &[must("basic/index#resulttype", Span::MODERN)],
    aliases: &[],
    why: "a client must treat a result of an unknown type as invalid",
    fix: "use complete or input_required, and task only where the tasks extension is advertised",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, result_type_known),
    fault: &fault::RESULT_TYPE_INVENTED,
};

fn result_type_known(cx: &WireCx<'_>) -> Verdict {
    let discovered = declared_by_server(cx);
    // If the client did not ask for the capabilities, the server may have tasks.
    let has_tasks = discovered.is_none();
    let declared = discovered.unwrap_or_default();
    let extensions: Vec<_> =
        capability::Capabilities::from_value(&declared).extensions().map(|(id, _)| id.to_owned()).collect();
    let has_tasks = has_tasks || extensions.iter().any(|id| id == capability::extension::TASKS);
    // Other extensions may define types that we do not know.
    let known = |id: &String| id == capability::extension::TASKS || id == capability::extension::UI;
    if !extensions.iter().all(known) {
        return Ok(());
    }
    for (entry, frame) in frames(cx) {
        match frame.result.and_then(result_type).as_deref() {
            None | Some("complete" | "input_required") => {}
            Some("task") if has_tasks => {}
            Some(other) => {
                return Err(violated(entry, "complete or input_required", format!("resultType: {other:?}")));
            }
        }
    }
    Ok(())
}

/// The `resultType` of a result, without reading the rest of it.
fn result_type(result: &RawValue) -> Option<Cow<'_, str>> {
    let members = ::wire::members(result)?;
    let (_, raw) = members.into_iter().find(|(name, _)| name == "resultType")?;
    ::wire::text(raw)
}
