//! What replaces the handshake in 2026-07-28: server/discover, and `_meta` in every request.

use protocol::meta::{CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION};
use protocol::{Era, Span, Version, code};
use serde_json::Value;
use server::fault::lifecycle as fault;
use transport::Transport;
use transport::client::Request;

use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must};

pub(in crate::checks) const CHECKS: &[Check] = &[
    DISCOVER_ANSWERED,
    DISCOVER_NAMES_VERSION,
    UNSUPPORTED_REFUSED,
    UNSUPPORTED_LISTED,
    LISTED_SERVED,
    META_REQUIRED,
];

const NEGOTIATION: &str = "basic/versioning#protocol-version-negotiation";

/// Servers must implement server/discover, whose result has the supported versions and the capabilities.
const DISCOVER_ANSWERED: Check = Check {
    id: "server/discovery/answered",
    title: "server/discover is answered with versions and capabilities",
    cites: &[must(NEGOTIATION, Span::MODERN), must("server/discover#", Span::MODERN)],
    aliases: &["test_initialization", "test_server_info_requirements"],
    why: "there is no handshake any more; this is where a client learns what the server offers",
    fix: "implement server/discover: supportedVersions, capabilities, and serverInfo in _meta",
    applies: Applies::Everywhere,
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

/// `supportedVersions` in the result of server/discover is defined as the versions that the server supports. One that it
/// answers a request in is among them.
const DISCOVER_NAMES_VERSION: Check = Check {
    id: "server/discovery/names-version",
    title: "server/discover lists the revision of the request",
    cites: &[defined("server/discover#discoverresult", Span::MODERN)],
    aliases: &[],
    why: "a client picks its revision from this list",
    fix: "list every revision that you accept in supportedVersions",
    applies: Applies::Everywhere,
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

/// A server must refuse a request in a version that it does not support with an UnsupportedProtocolVersionError
/// (-32022); over HTTP the status is 400.
pub(super) const UNSUPPORTED_REFUSED: Check = Check {
    id: "server/discovery/unsupported-version-refused",
    title: "a request in a revision that does not exist is refused with -32022",
    cites: &[
        must("basic/transports/streamable-http#protocol-version-header", Span::MODERN)
            .over(Transport::StreamableHttp),
        must(NEGOTIATION, Span::MODERN),
    ],
    aliases: &["test_protocol_version_negotiation"],
    why: "a newer client must learn that it has to fall back to an older revision, instead of being misread",
    fix: "compare the version in _meta with those you support before anything else",
    applies: Applies::Everywhere,
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
    in_version(cx, NO_VERSION).await
}

/// The response to a discovery in `version`.
async fn in_version(cx: &ServerCx, version: &str) -> Result<crate::expect::Answer, Finding> {
    let ask = cx.request("server/discover").await?;
    ask.with(|r| r.meta(PROTOCOL_VERSION, version).header("MCP-Protocol-Version", version)).send().await
}

/// The UnsupportedProtocolVersionError must list the versions that the server does support, in `data.supported`.
const UNSUPPORTED_LISTED: Check = Check {
    id: "server/discovery/unsupported-version-lists",
    title: "the refusal of a revision lists the supported ones",
    cites: &[
        must("basic/transports/streamable-http#protocol-version-header", Span::MODERN)
            .over(Transport::StreamableHttp),
        must(NEGOTIATION, Span::MODERN),
    ],
    aliases: &[],
    why: "the list is what the client retries with",
    fix: "put supported and requested into the data of error -32022",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(unsupported_listed(cx))),
    fault: &fault::UNSUPPORTED_WITHOUT_LIST,
};

async fn unsupported_listed(cx: &ServerCx) -> Verdict {
    let answer = in_no_version(cx).await?;
    let refused =
        answer.reply.error().filter(|_| answer.reply.code() == Some(code::UNSUPPORTED_PROTOCOL_VERSION));
    let Some(error) = refused else {
        return Err(Finding::blocked_by(UNSUPPORTED_REFUSED.id, "the revision was not refused with -32022"));
    };
    let data = error.data.unwrap_or_default();
    let spoken = |list: &Vec<Value>| list.iter().any(|version| version == cx.version.as_str());
    if data["supported"].as_array().is_some_and(spoken) {
        return Ok(());
    }
    let expected = format!("data.supported, the list of supported versions, with {}", cx.version);
    Err(answer.violated(expected, format!("data: {data}")))
}

/// `supportedVersions` is defined as the versions that the server supports, of which the client should choose one.
const LISTED_SERVED: Check = Check {
    id: "server/discovery/listed-versions-served",
    title: "every version that server/discover lists is served",
    cites: &[defined("server/discover#discoverresult", Span::MODERN)],
    aliases: &[],
    why: "a client picks the newest version that both sides list, and is refused with it",
    fix: "list exactly the versions that you do not refuse with -32022",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed_served(cx))),
    fault: &fault::UNSERVED_VERSION_LISTED,
};

/// Versions that have a handshake are left out: how they are refused without one says nothing.
async fn listed_served(cx: &ServerCx) -> Verdict {
    let listed = cx.session().await?.server().supported;
    let is_modern = |text: &str| match text.parse::<Version>() {
        Ok(known) => known.era() == Era::Modern && known != cx.version,
        Err(_) => text != Version::PRE_RELEASE,
    };
    let others: Vec<_> = listed.iter().filter(|text| is_modern(text)).collect();
    if listed.is_empty() {
        return Err(Finding::not_applicable("the discovery lists no versions"));
    }
    for version in others {
        let answer = in_version(cx, version).await?;
        if answer.reply.code() == Some(code::UNSUPPORTED_PROTOCOL_VERSION) {
            return Err(answer.violated(format!("{version}, which is listed, is served"), answer.summary()));
        }
    }
    Ok(())
}

/// Every request must have the required fields in `_meta`: the protocol version and the client's capabilities. A server
/// must refuse one without them with -32602; over HTTP the status is 400.
const META_REQUIRED: Check = Check {
    id: "server/discovery/meta-required",
    title: "a request without its required _meta fields is refused with -32602",
    cites: &[must("basic/index#meta", Span::MODERN)],
    aliases: &[],
    why: "a server that guesses what the client can do will sooner or later rely on something that it cannot do",
    fix: "check that _meta has protocolVersion and clientCapabilities, and answer -32602 with status 400 if not",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(meta_required(cx))),
    fault: &fault::META_OPTIONAL,
};

async fn meta_required(cx: &ServerCx) -> Verdict {
    let answer =
        cx.request("server/discover").await?.with(|r| r.without_meta(CLIENT_CAPABILITIES)).send().await?;
    answer.expect_error(&[code::INVALID_PARAMS])?;
    answer.expect_status(&[400])?;
    // On a pipe, a request without any `_meta` belongs to a legacy revision, which the server may speak too.
    if cx.transport != Transport::StreamableHttp {
        return Ok(());
    }
    let bare = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO];
    let ask = cx.request("server/discover").await?;
    ask.with(|request| bare.into_iter().fold(request, Request::without_meta)).send().await?.expect_any_error()
}
