//! What takes the place of the handshake in 2026-07-28: discovery, and metadata with every request.

use protocol::meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION};
use protocol::{Span, code};
use serde_json::Value;
use server::fault::{lifecycle as fault, resources};

use crate::{Check, Finding, On, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[
    DISCOVER_ANSWERED,
    DISCOVER_NAMES_VERSION,
    UNSUPPORTED_REFUSED,
    UNSUPPORTED_LISTED,
    META_REQUIRED,
    CACHE_HINTS,
    CACHE_TTL,
];

const NEGOTIATION: &str = "basic/versioning#protocol-version-negotiation";

const DISCOVER_ANSWERED: Check = Check {
    id: "server/discovery/answered",
    title: "server/discover is answered with versions and capabilities",
    cites: &[must(NEGOTIATION, Span::MODERN), must("server/discover#", Span::MODERN)],
    aliases: &[],
    why: "there is no handshake any more; this is where a client learns what the server has",
    fix: "implement server/discover: supportedVersions, capabilities, and serverInfo in _meta",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(discover_answered(cx))),
    fault: &fault::DISCOVER_MISSING,
};

async fn discover_answered(cx: &ServerCx) -> Verdict {
    let answer = cx.request("server/discover").await?.send().await?;
    let result = answer.expect_result()?;
    if result["supportedVersions"].is_array() && result["capabilities"].is_object() {
        return Ok(());
    }
    Err(answer.violated("supportedVersions, an array, and capabilities, an object", result.to_string()))
}

const DISCOVER_NAMES_VERSION: Check = Check {
    id: "server/discovery/names-version",
    title: "server/discover lists the revision that it was asked in",
    cites: &[must(NEGOTIATION, Span::MODERN)],
    aliases: &[],
    why: "a client picks its revision from this list",
    fix: "list every revision that you accept in supportedVersions",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(discover_names_version(cx))),
    fault: &fault::DISCOVER_WITHOUT_VERSION,
};

async fn discover_names_version(cx: &ServerCx) -> Verdict {
    let answer = cx.request("server/discover").await?.send().await?;
    let result = answer.reply.result().ok_or_else(|| Finding::blocked("server/discover was not answered"))?;
    let listed = result["supportedVersions"].as_array().cloned().unwrap_or_default();
    if listed.iter().any(|v| v == cx.version.as_str()) {
        return Ok(());
    }
    Err(answer.violated(format!("{} among supportedVersions", cx.version), Value::from(listed).to_string()))
}

const UNSUPPORTED_REFUSED: Check = Check {
    id: "server/discovery/unsupported-version-refused",
    title: "a request in a revision that does not exist is refused with -32022",
    cites: &[
        must("basic/transports/streamable-http#protocol-version-header", Span::MODERN),
        must(NEGOTIATION, Span::MODERN),
    ],
    aliases: &[],
    why: "a client of the future must learn that it has to step back, instead of being misread",
    fix: "compare the version in _meta with those you support before anything else",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(unsupported_refused(cx))),
    fault: &fault::ANY_VERSION_SERVED,
};

const NO_VERSION: &str = "1999-12-31";

async fn unsupported_refused(cx: &ServerCx) -> Verdict {
    let answer = in_no_version(cx).await?;
    answer.expect_error(&[code::UNSUPPORTED_PROTOCOL_VERSION])?;
    answer.expect_status(&[400])
}

async fn in_no_version(cx: &ServerCx) -> Result<crate::expect::Answer, Finding> {
    let ask = cx.request("server/discover").await?;
    ask.with(|r| r.meta(PROTOCOL_VERSION, NO_VERSION).header("MCP-Protocol-Version", NO_VERSION)).send().await
}

const UNSUPPORTED_LISTED: Check = Check {
    id: "server/discovery/unsupported-version-lists",
    title: "the refusal of a revision lists those that are supported",
    cites: &[
        must("basic/transports/streamable-http#protocol-version-header", Span::MODERN),
        must(NEGOTIATION, Span::MODERN),
    ],
    aliases: &[],
    why: "the list is what the client retries with",
    fix: "put supported and requested into the data of error -32022",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(unsupported_listed(cx))),
    fault: &fault::UNSUPPORTED_WITHOUT_LIST,
};

async fn unsupported_listed(cx: &ServerCx) -> Verdict {
    let answer = in_no_version(cx).await?;
    let error = answer.reply.error().ok_or_else(|| Finding::blocked("the revision was not refused"))?;
    let data = error.data.unwrap_or_default();
    if data["supported"].as_array().is_some_and(|list| !list.is_empty()) {
        return Ok(());
    }
    Err(answer.violated("data.supported, the list of supported versions", format!("data: {data}")))
}

const META_REQUIRED: Check = Check {
    id: "server/discovery/meta-required",
    title: "a request without its required _meta fields is refused with -32602",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "a server that guesses what the client can do will sooner or later rely on what it cannot",
    fix: "check that _meta names protocolVersion and clientCapabilities, and answer -32602 with status 400 if not",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(meta_required(cx))),
    fault: &fault::META_OPTIONAL,
};

async fn meta_required(cx: &ServerCx) -> Verdict {
    let answer =
        cx.request("server/discover").await?.with(|r| r.without_meta(CLIENT_CAPABILITIES)).send().await?;
    answer.expect_error(&[code::INVALID_PARAMS])?;
    answer.expect_status(&[400])
}

const CACHE_HINTS: Check = Check {
    id: "server/caching/hints-present",
    title: "results that may be cached say for how long and by whom",
    cites: &[must("server/utilities/caching#cacheable-results", Span::MODERN)],
    aliases: &[],
    why: "without hints every client has to guess, and shared caches may serve private data",
    fix: "add ttlMs and cacheScope to discover, all lists and resources/read",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(cache_hints(cx))),
    fault: &resources::CACHE_HINTS_MISSING,
};

async fn cache_hints(cx: &ServerCx) -> Verdict {
    each_cacheable(cx, |result| match (&result["ttlMs"], result["cacheScope"].as_str()) {
        (Value::Number(_), Some("public" | "private")) => Ok(()),
        (ttl, _) => Err((
            "ttlMs, a number, and cacheScope, public or private",
            format!("ttlMs: {ttl}, cacheScope: {}", result["cacheScope"]),
        )),
    })
    .await
}

const CACHE_TTL: Check = Check {
    id: "server/caching/ttl-not-negative",
    title: "ttlMs is not negative",
    cites: &[must("server/utilities/caching#time-to-live-field", Span::MODERN)],
    aliases: &[],
    why: "a negative time makes some caches keep the result for ever",
    fix: "use 0 for what must not be cached",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(cache_ttl(cx))),
    fault: &resources::CACHE_TTL_NEGATIVE,
};

async fn cache_ttl(cx: &ServerCx) -> Verdict {
    each_cacheable(cx, |result| match result["ttlMs"].as_f64() {
        Some(ttl) if ttl < 0.0 => Err(("ttlMs of 0 or more", format!("ttlMs: {ttl}"))),
        Some(_) | None => Ok(()),
    })
    .await
}

/// Judges the result of each request that has caching hints and that the server answers.
async fn each_cacheable(
    cx: &ServerCx,
    judge: impl Fn(&Value) -> Result<(), (&'static str, String)>,
) -> Verdict {
    let mut judged = 0;
    for method in
        ["server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list"]
    {
        let answer = cx.request(method).await?.send().await?;
        let Some(result) = answer.reply.result() else { continue };
        judge(&result).map_err(|(expected, actual)| answer.violated(expected, actual))?;
        judged += 1;
    }
    if judged == 0 { Err(Finding::blocked("no list was answered")) } else { Ok(()) }
}
