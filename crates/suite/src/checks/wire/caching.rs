//! Caching hints of 2026-07-28, on every result that has to carry them.

use std::collections::HashMap;

use ::wire::{Entry, Id, Kind};
use protocol::Span;
use serde_json::Value;
use server::fault::{lists, resources};

use super::asks::parsed;
use super::{frames, requests, violated};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, must};

pub(in crate::checks) const CHECKS: &[Check] = &[HINTS, READ_HINTS, TTL, SCOPE_SAME];

/// The requests whose results carry hints.
const CACHEABLE: &[&str] = &[
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// Results of server/discover and of the lists, if their `resultType` is `complete`, must have `ttlMs` and
/// `cacheScope`.
const HINTS: Check = Check {
    id: "server/caching/hints-present",
    title: "results that may be cached say for how long and by whom",
    cites: &[must("server/utilities/caching#cacheable-results", Span::MODERN)],
    aliases: &[],
    why: "without hints every client has to guess, and shared caches may serve private data",
    fix: "add ttlMs and cacheScope to discover, all lists and resources/read",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| hints(cx, |method| method != "resources/read")),
    fault: &resources::CACHE_HINTS_MISSING,
};

/// Results of resources/read, if their `resultType` is `complete`, must have `ttlMs` and `cacheScope`.
const READ_HINTS: Check = Check {
    id: "server/caching/read-hints-present",
    title: "contents of resources say for how long and by whom they may be cached",
    cites: &[must("server/utilities/caching#cacheable-results", Span::MODERN)],
    aliases: &[],
    why: "without hints every client has to guess, and shared caches may serve private data",
    fix: "add ttlMs and cacheScope to the result of resources/read",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, |cx| hints(cx, |method| method == "resources/read")),
    fault: &lists::READ_WITHOUT_HINTS,
};

fn hints(cx: &WireCx<'_>, wanted: impl Fn(&str) -> bool) -> Verdict {
    each_cacheable(cx, |method, result| {
        if !wanted(method) {
            return Ok(false);
        }
        match (&result["ttlMs"], result["cacheScope"].as_str()) {
            (Value::Number(_), Some("public" | "private")) => Ok(true),
            (ttl, _) => Err((
                "ttlMs, a number, and cacheScope, public or private",
                format!("{method}: ttlMs: {ttl}, cacheScope: {}", result["cacheScope"]),
            )),
        }
    })
}

/// The `ttlMs` of a result must be 0 or more.
const TTL: Check = Check {
    id: "server/caching/ttl-not-negative",
    title: "ttlMs is not negative",
    cites: &[must("server/utilities/caching#time-to-live-field", Span::MODERN)],
    aliases: &[],
    why: "a negative time makes some caches keep the result for ever",
    fix: "use 0 for what must not be cached",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, ttl),
    fault: &resources::CACHE_TTL_NEGATIVE,
};

fn ttl(cx: &WireCx<'_>) -> Verdict {
    each_cacheable(cx, |method, result| match result["ttlMs"].as_f64() {
        Some(ttl) if ttl < 0.0 => Err(("ttlMs of 0 or more", format!("{method}: ttlMs: {ttl}"))),
        Some(_) => Ok(true),
        None => Ok(false),
    })
}

/// All pages of a list must have the same `cacheScope`. Their `ttlMs` may differ.
const SCOPE_SAME: Check = Check {
    id: "server/caching/scope-same-on-pages",
    title: "all pages of a list have the same cacheScope",
    cites: &[must("server/utilities/caching#interaction-with-pagination", Span::MODERN)],
    aliases: &[],
    why: "a shared cache would serve one page to everybody and fetch the next for each",
    fix: "decide the scope for the list, not for the page",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, scope_same),
    fault: &lists::CACHE_SCOPE_CHANGES,
};

fn scope_same(cx: &WireCx<'_>) -> Verdict {
    // The scope of the page that each cursor came from.
    let mut handed: HashMap<(String, String), Value> = HashMap::new();
    let mut several = false;
    for (entry, method, params, result) in cacheable(cx) {
        let scope = result["cacheScope"].clone();
        if let Some(before) =
            params["cursor"].as_str().and_then(|c| handed.get(&(method.clone(), c.to_owned())))
        {
            several = true;
            if *before != scope {
                return Err(violated(entry, format!("cacheScope {before}"), format!("cacheScope {scope}")));
            }
        }
        if let Some(cursor) = result["nextCursor"].as_str() {
            handed.insert((method, cursor.to_owned()), scope);
        }
    }
    if several { Ok(()) } else { Err(Finding::not_applicable("no list has more than one page")) }
}

fn each_cacheable(
    cx: &WireCx<'_>,
    judge: impl Fn(&str, &Value) -> Result<bool, (&'static str, String)>,
) -> Verdict {
    let mut judged = false;
    for (entry, method, _, result) in cacheable(cx) {
        judged |= judge(&method, &result).map_err(|(expected, actual)| violated(entry, expected, actual))?;
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable("nothing that may be cached was asked for")) }
}

/// Every complete result that may be cached, with what asked for it.
fn cacheable<'a>(cx: &'a WireCx<'_>) -> Vec<(&'a Entry, String, Value, Value)> {
    let mut asked: HashMap<Id, (String, Value)> = HashMap::new();
    for frame in requests(cx).filter(|frame| frame.kind() == Kind::Request) {
        let method = frame.method().unwrap_or_default();
        if let Some(id) = frame.id().filter(|_| CACHEABLE.contains(&&*method)) {
            asked.insert(id, (method.into_owned(), frame.params.map(parsed).unwrap_or_default()));
        }
    }
    let mut found = Vec::new();
    for (entry, frame) in frames(cx) {
        let (Some(raw), Some((method, params))) = (frame.result, frame.id().and_then(|id| asked.get(&id)))
        else {
            continue;
        };
        let result = parsed(raw);
        let ordinary = frame.kind() == Kind::Result && result.is_object();
        if ordinary && matches!(result["resultType"].as_str(), None | Some("complete")) {
            found.push((entry, method.clone(), params.clone(), result));
        }
    }
    found
}
