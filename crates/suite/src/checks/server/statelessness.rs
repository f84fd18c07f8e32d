//! Statelessness of 2026-07-28: every request carries its version and its client's capabilities, and depends on no other.

use protocol::meta::{CLIENT_CAPABILITIES, PROTOCOL_VERSION, parse_key};
use protocol::{Span, capability, code};
use serde_json::{Value, json};
use server::fault::negotiation as fault;

use super::asking::{AskingTool, asking_tools};
use super::modern::UNSUPPORTED_REFUSED;
use crate::expect::Answer;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must, must_not};

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

/// A server must not rely on earlier requests of the connection for context, such as version, capabilities or client
/// identity.
const NO_DISCOVERY_NEEDED: Check = Check {
    id: "server/discovery/not-needed-first",
    title: "the first request of a connection may be any request",
    cites: &[must_not("basic/index#statelessness", Span::MODERN)],
    aliases: &[],
    why: "clients reconnect, and load balancers may send each request to another machine",
    fix: "take version and capabilities from the _meta of the request at hand, never from an earlier one",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(no_discovery_needed(cx))),
    fault: &fault::DISCOVERY_FIRST,
};

async fn no_discovery_needed(cx: &ServerCx) -> Verdict {
    cx.first_answer().await?.expect_result().map(drop)
}

/// The page defines the data of an UnsupportedProtocolVersionError: `supported`, and `requested`, the version that the
/// client asked for.
const REQUESTED_NAMED: Check = Check {
    id: "server/discovery/unsupported-version-repeated",
    title: "the refusal of a revision repeats the requested one",
    cites: &[defined(NEGOTIATION, Span::MODERN)],
    aliases: &[],
    why: "with concurrent requests, whoever reads the log cannot tell which of them was refused",
    fix: "put requested, as you received it, into the data of error -32022",
    applies: Applies::Everywhere,
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

/// Every request must name its protocol version in `_meta`. A server must refuse one without it with -32602; over HTTP
/// the status is 400. Any refusal passes: a server of both eras may take the request for a legacy one.
const VERSION_REQUIRED: Check = Check {
    id: "server/discovery/meta-version-required",
    title: "a request without a protocol version in _meta is refused",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &["test_versioning_requirements"],
    why: "a server that guesses the version will misread the clients of the next one",
    fix: "answer -32602 with status 400 when io.modelcontextprotocol/protocolVersion is missing",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(version_required(cx))),
    fault: &fault::VERSION_GUESSED,
};

/// A server of both eras may take it for a legacy request and refuse it as such, or may compare the header first.
async fn version_required(cx: &ServerCx) -> Verdict {
    let ask = cx.request("server/discover").await?;
    let answer = ask.with(|r| r.without_meta(PROTOCOL_VERSION)).send().await?;
    let refused = answer.reply.status().is_some_and(|status| status >= 400);
    if refused { Ok(()) } else { answer.expect_any_error() }
}

/// The identifier of an extension must follow the rules for `_meta` keys, and must have a prefix.
const EXTENSION_NAMES: Check = Check {
    id: "server/discovery/extension-names",
    title: "the identifiers of extensions have a prefix",
    cites: &[must("basic/versioning#extension-negotiation", Span::MODERN)],
    aliases: &["test_capability_declaration"],
    why: "names without an owner collide",
    fix: "use names like com.example/thing, by the rules of _meta keys",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(extension_names(cx))),
    fault: &fault::EXTENSION_WITHOUT_PREFIX,
};

async fn extension_names(cx: &ServerCx) -> Verdict {
    let declared = cx.capabilities().await?;
    let mut seen = false;
    for (id, _) in capability::Capabilities::from_value(&declared).extensions() {
        seen = true;
        let sound = parse_key(id).is_ok_and(|key| key.prefix.is_some_and(|prefix| !prefix.is_empty()));
        if !sound {
            return Err(Finding::violated("PREFIX/NAME, as in com.example/thing", format!("{id:?}")));
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("the server advertises no extensions")) }
}

/// 2026-07-28 removed ping, logging/setLevel and resources/subscribe. Messages must follow JSON-RPC 2.0, which has
/// -32601 for a method that a server does not have. No page forbids serving them all the same, and one that is served may be
/// refused for its parameters.
const REMOVED_METHODS: Check = Check {
    id: "server/discovery/removed-methods-unknown",
    title: "removed methods are served, or answered with -32601",
    cites: &[must("basic/index#messages", Span::MODERN)],
    aliases: &["test_enhanced_ping_validation"],
    why: "this code tells a client of both eras that it has to do without the method",
    fix: "answer -32601 to ping, logging/setLevel and resources/subscribe in this revision",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(removed_methods(cx))),
    fault: &fault::REMOVED_METHOD_SERVED,
};

async fn removed_methods(cx: &ServerCx) -> Verdict {
    let (gone, served) = (code::METHOD_NOT_FOUND, code::INVALID_PARAMS);
    for (method, params, codes) in [
        ("ping", json!({}), &[gone][..]),
        ("logging/setLevel", json!({ "level": "info" }), &[gone]),
        // No server has this resource.
        ("resources/subscribe", json!({ "uri": "yardstick://none" }), &[gone, served]),
    ] {
        let answer = cx.request(method).await?.params(params).send().await?;
        if answer.reply.result().is_none() {
            answer.expect_error(codes)?;
        }
    }
    Ok(())
}

/// If a request cannot be processed without a capability that the client did not declare in it, the server must return
/// error -32021; over HTTP the status is 400.
const MISSING_CAPABILITY: Check = Check {
    id: "server/discovery/missing-capability-code",
    title: "a request that needs a capability the client did not declare is refused with -32021",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "the client learns what to declare, instead of seeing a failure that it cannot fix",
    fix: "answer -32021, over HTTP with status 400, when the request's clientCapabilities are not enough",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(missing_capability(cx))),
    fault: &fault::MISSING_CAPABILITY_WRONG_CODE,
};

async fn missing_capability(cx: &ServerCx) -> Verdict {
    for (_, answer) in without_capabilities(cx).await? {
        answer.expect_error(&[code::MISSING_REQUIRED_CLIENT_CAPABILITY])?;
        answer.expect_status(&[400])?;
    }
    Ok(())
}

/// The data of error -32021 must list the missing capabilities in `requiredCapabilities`. A client that declares them lacks none
/// of them.
const MISSING_NAMED: Check = Check {
    id: "server/discovery/missing-capability-named",
    title: "the error for a missing client capability says which one",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "a client that supports it can declare it and try again",
    fix: "put requiredCapabilities, an object like clientCapabilities, into the data of error -32021",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(missing_named(cx))),
    fault: &fault::MISSING_CAPABILITY_UNNAMED,
};

async fn missing_named(cx: &ServerCx) -> Verdict {
    for (tool, answer) in without_capabilities(cx).await? {
        if answer.reply.code() != Some(code::MISSING_REQUIRED_CLIENT_CAPABILITY) {
            return Err(Finding::blocked_by(
                MISSING_CAPABILITY.id,
                "the request was not refused with -32021",
            ));
        }
        let data = answer.reply.error().and_then(|error| error.data).unwrap_or_default();
        if data["requiredCapabilities"].as_object().is_none_or(serde_json::Map::is_empty) {
            let expected = "data.requiredCapabilities, an object that is not empty";
            return Err(answer.violated(expected, format!("data: {data}")));
        }
        expect_enough(cx, &tool, &data["requiredCapabilities"]).await?;
    }
    Ok(())
}

/// Expects that a client that declares exactly what was said to be missing is not told that the same is missing.
async fn expect_enough(cx: &ServerCx, tool: &AskingTool<'_>, required: &Value) -> Verdict {
    let ask = tool.call(cx, cx.session().await?).with(|r| r.meta(CLIENT_CAPABILITIES, required.clone()));
    let answer = ask.send().await?;
    let data = answer.reply.error().and_then(|error| error.data).unwrap_or_default();
    let is_refused = answer.reply.code() == Some(code::MISSING_REQUIRED_CLIENT_CAPABILITY);
    if !is_refused || data["requiredCapabilities"] != *required {
        return Ok(());
    }
    let expected = "data.requiredCapabilities with what is missing";
    Err(answer.violated(expected, format!("{required}, also for a client that declares it")))
}

/// What a fixture that cannot do without sampling answers to a client that can be asked for nothing, or else what every tool
/// that asks does. A server's own tool may do without what it asks for, and then there is nothing to judge.
async fn without_capabilities(cx: &ServerCx) -> Result<Vec<(AskingTool<'_>, Answer)>, Finding> {
    let session = cx.session().await?;
    let mut answers = Vec::new();
    for tool in asking_tools(cx, &["test_missing_capability"]).await? {
        let ask = tool.call(cx, session).with(|r| r.meta(CLIENT_CAPABILITIES, json!({})));
        let answer = ask.send().await?;
        if tool.is_fixture || answer.reply.is_error() {
            answers.push((tool, answer));
        }
    }
    match answers.is_empty() {
        true => Err(Finding::not_applicable("every tool that asks can do without")),
        false => Ok(answers),
    }
}
