//! 2026-07-28: every request stands for itself, and says what it needs to.

use protocol::meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION, parse_key};
use protocol::{Span, capability, code};
use serde_json::{Value, json};
use server::fault::negotiation as fault;

use super::fixture::{call, fixtures};
use super::modern::UNSUPPORTED_REFUSED;
use crate::expect::Answer;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, defined, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[
    NO_DISCOVERY_NEEDED,
    REQUESTED_NAMED,
    VERSION_REQUIRED,
    EXTENSION_NAMES,
    REMOVED_METHODS,
    MISSING_CAPABILITY,
    MISSING_NAMED,
];

const NEGOTIATION: &str = "basic/versioning#protocol-version-negotiation";

const NO_DISCOVERY_NEEDED: Check = Check {
    id: "server/discovery/not-needed-first",
    title: "a connection may begin with any request",
    cites: &[must_not("basic/index#statelessness", Span::MODERN)],
    aliases: &[],
    why: "clients reconnect, and load balancers send each request to another machine",
    fix: "take version and capabilities from the _meta of the request at hand, never from an earlier one",
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(no_discovery_needed(cx))),
    fault: &fault::DISCOVERY_FIRST,
};

async fn no_discovery_needed(cx: &ServerCx) -> Verdict {
    cx.first_words().await?.expect_result().map(drop)
}

const REQUESTED_NAMED: Check = Check {
    id: "server/discovery/unsupported-version-repeated",
    title: "the refusal of a revision repeats which one was asked for",
    cites: &[defined(NEGOTIATION, Span::MODERN)],
    aliases: &[],
    why: "with requests side by side a log reader cannot tell which of them was refused",
    fix: "put requested, as it came, into the data of error -32022",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(requested_named(cx))),
    fault: &fault::REQUESTED_NOT_NAMED,
};

async fn requested_named(cx: &ServerCx) -> Verdict {
    const ASKED: &str = "1999-12-31";
    let ask = cx.request("server/discover").await?;
    let ask = ask.with(|r| r.meta(PROTOCOL_VERSION, ASKED).header("MCP-Protocol-Version", ASKED));
    let answer = ask.send().await?;
    if answer.reply.code() != Some(code::UNSUPPORTED_PROTOCOL_VERSION) {
        return Err(Finding::blocked_by(UNSUPPORTED_REFUSED.id, "the revision was not refused with -32022"));
    }
    let data = answer.reply.error().and_then(|error| error.data).unwrap_or_default();
    if data["requested"] == ASKED {
        return Ok(());
    }
    Err(answer.violated(format!("data.requested {ASKED:?}"), format!("data: {data}")))
}

const VERSION_REQUIRED: Check = Check {
    id: "server/discovery/meta-version-required",
    title: "a request whose _meta names no protocol version is refused",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &["test_versioning_requirements"],
    why: "a server that guesses the version will misread the clients of the next one",
    fix: "answer -32602 with status 400 when io.modelcontextprotocol/protocolVersion is missing",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(version_required(cx))),
    fault: &fault::VERSION_GUESSED,
};

/// A server of both eras may take it for a legacy request, and refuse it as such; and the header may be compared first.
async fn version_required(cx: &ServerCx) -> Verdict {
    let ask = cx.request("server/discover").await?;
    let answer = ask.with(|r| r.without_meta(PROTOCOL_VERSION)).send().await?;
    let refused = answer.reply.status().is_some_and(|status| status >= 400);
    if refused { Ok(()) } else { answer.expect_any_error() }
}

const EXTENSION_NAMES: Check = Check {
    id: "server/discovery/extension-names",
    title: "extensions are advertised under names with a prefix",
    cites: &[must("basic/versioning#extension-negotiation", Span::MODERN)],
    aliases: &["test_capability_declaration"],
    why: "names without an owner collide",
    fix: "use names like com.example/thing, by the rules of _meta keys",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(extension_names(cx))),
    fault: &fault::EXTENSION_WITHOUT_PREFIX,
};

async fn extension_names(cx: &ServerCx) -> Verdict {
    let declared = cx.capabilities().await?;
    let mut seen = false;
    for (id, _) in capability::Capabilities::of(&declared).extensions() {
        seen = true;
        let sound = parse_key(id).is_ok_and(|key| key.prefix.is_some_and(|prefix| !prefix.is_empty()));
        if !sound {
            return Err(Finding::violated("PREFIX/NAME, as in com.example/thing", format!("{id:?}")));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("the server advertises no extensions")) }
}

const REMOVED_METHODS: Check = Check {
    id: "server/discovery/removed-methods-unknown",
    title: "methods that were removed and are not served are unknown",
    cites: &[must("basic/index#messages", Span::MODERN)],
    aliases: &["test_enhanced_ping_validation"],
    why: "a client of both eras tells by this code that it has to do without",
    fix: "answer -32601 to ping, logging/setLevel and resources/subscribe in this revision",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(removed_methods(cx))),
    fault: &fault::REMOVED_METHOD_SERVED,
};

/// To serve them all the same is nowhere forbidden.
async fn removed_methods(cx: &ServerCx) -> Verdict {
    for (method, params) in [
        ("ping", json!({})),
        ("logging/setLevel", json!({ "level": "info" })),
        ("resources/subscribe", json!({ "uri": "yardstick://none" })),
    ] {
        let answer = cx.request(method).await?.params(params).send().await?;
        if answer.reply.result().is_none() {
            answer.expect_error(&[code::METHOD_NOT_FOUND])?;
        }
    }
    Ok(())
}

const MISSING_CAPABILITY: Check = Check {
    id: "server/discovery/missing-capability-code",
    title: "a request that needs a capability the client did not declare is refused with -32021",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "the client learns what to declare, instead of seeing a failure that it cannot mend",
    fix: "answer -32021, over HTTP with status 400, when the request's clientCapabilities are not enough",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(missing_capability(cx))),
    fault: &fault::MISSING_CAPABILITY_WRONG_CODE,
};

async fn missing_capability(cx: &ServerCx) -> Verdict {
    let answer = without_capabilities(cx).await?;
    answer.expect_error(&[code::MISSING_REQUIRED_CLIENT_CAPABILITY])?;
    answer.expect_status(&[400])
}

const MISSING_NAMED: Check = Check {
    id: "server/discovery/missing-capability-named",
    title: "the error for a missing client capability says which one",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "a client that supports it can declare it and try again",
    fix: "put requiredCapabilities, an object like clientCapabilities, into the data of error -32021",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(missing_named(cx))),
    fault: &fault::MISSING_CAPABILITY_UNNAMED,
};

async fn missing_named(cx: &ServerCx) -> Verdict {
    let answer = without_capabilities(cx).await?;
    if answer.reply.code() != Some(code::MISSING_REQUIRED_CLIENT_CAPABILITY) {
        return Err(Finding::blocked("the request was not refused with -32021"));
    }
    let data = answer.reply.error().and_then(|error| error.data).unwrap_or_default();
    match data["requiredCapabilities"].as_object() {
        Some(required) if !required.is_empty() => Ok(()),
        Some(_) | None => Err(answer
            .violated("data.requiredCapabilities, an object that is not empty", format!("data: {data}"))),
    }
}

/// Calls a fixture that cannot do without sampling, as a client that has none.
async fn without_capabilities(cx: &ServerCx) -> Result<Answer, Finding> {
    let found = fixtures(cx, &["test_missing_capability"]).await?;
    let Some(tool) = found.first() else { return Err(Finding::not_applicable("no such fixture")) };
    let nothing: Value = json!({});
    call(cx, cx.session().await?, tool, &nothing)
        .with(|r| r.meta(CLIENT_CAPABILITIES, json!({})))
        .send()
        .await
}
