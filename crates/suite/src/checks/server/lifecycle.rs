//! The handshake of the revisions that have one: initialize, the agreed version, ping, and declared capabilities.

use protocol::{Span, Version};
use serde_json::{Value, json};
use server::fault::lifecycle as fault;

use crate::connector::start_failure;
use crate::expect::Answer;
use crate::run_cx::NonexistentVersion;
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[
    HANDSHAKE_COMPLETE,
    VERSION_AGREED,
    VERSION_COUNTERED,
    PING_ANSWERED,
    PING_BEFORE_INITIALIZED,
    CAPABILITIES_DECLARED,
];

/// Lifecycle, initialization: the server must answer initialize with its protocol version, its capabilities and
/// information about itself.
pub(crate) const HANDSHAKE_COMPLETE: Check = Check {
    id: "server/lifecycle/handshake-complete",
    title: "the result of initialize has protocolVersion, capabilities and serverInfo",
    cites: &[must("basic/lifecycle#initialization", Span::LEGACY)],
    aliases: &["test_initialization", "test_server_info_requirements"],
    why: "a client cannot know what it may ask for, and typed clients refuse to connect",
    fix: "return all three; capabilities may be empty, serverInfo needs name and version",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(handshake_complete(cx))),
    fault: &fault::INITIALIZE_WITHOUT_INFO,
};

async fn handshake_complete(cx: &ServerCx) -> Verdict {
    let result = initialize(cx).await?;
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let missing = [
        ("protocolVersion, a string", text(&result["protocolVersion"])),
        ("capabilities, an object", result["capabilities"].is_object()),
        ("serverInfo.name, a string", result["serverInfo"]["name"].is_string()),
        ("serverInfo.version, a string", result["serverInfo"]["version"].is_string()),
    ];
    expect_none(missing.iter().find(|(_, there)| !there), |(what, _)| {
        Finding::violated(*what, result.to_string())
    })
}

/// Version negotiation: if the server supports the version that the client asks for, it must answer with that version.
const VERSION_AGREED: Check = Check {
    id: "server/lifecycle/version-agreed",
    title: "the server agrees to the requested revision if it supports it",
    cites: &[must("basic/lifecycle#version-negotiation", Span::LEGACY)],
    aliases: &["test_initialization_negotiation"],
    why: "a client that is offered another revision disconnects, or misreads what follows",
    fix: "answer with the requested version whenever you support it, not with your newest",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(version_agreed(cx))),
    fault: &fault::VERSION_IGNORED,
};

/// Only its answers show which revisions a server supports: one that it has offered must be agreed to when asked for.
async fn version_agreed(cx: &ServerCx) -> Verdict {
    let offered = initialize(cx).await.map_err(Finding::into_obstacle)?;
    if offered["protocolVersion"] == cx.version.as_str() {
        return Ok(());
    }
    Err(Finding::violated(
        format!("protocolVersion {}", cx.version),
        format!("protocolVersion {}", offered["protocolVersion"]),
    ))
}

/// Version negotiation: if the server does not support the requested version, it must answer with another one that it
/// does support. The page also shows an error by example, with the supported versions in its data; a server that answers
/// with exactly that is not judged.
const VERSION_COUNTERED: Check = Check {
    id: "server/lifecycle/version-countered",
    title: "a request for a revision that does not exist is answered with one that does",
    cites: &[must("basic/lifecycle#version-negotiation", Span::LEGACY)],
    aliases: &["test_protocol_version_negotiation"],
    why: "a newer client finds common ground only through the counter-offer",
    fix: "when you do not know the requested version, answer with the newest one you support; do not fail, do not echo",
    applies: Applies::Everywhere,
    run: Run::CounterOffer(|cx| Box::pin(version_countered(cx))),
    fault: &fault::UNKNOWN_VERSION_ECHOED,
};

async fn version_countered(cx: &ServerCx) -> Verdict {
    offers_a_revision(cx, NonexistentVersion::Past).await
}

/// Expects that the server offers a revision that exists to a client that asks for `asked`.
pub(super) async fn offers_a_revision(cx: &ServerCx, asked: NonexistentVersion) -> Verdict {
    // A handshake that fails altogether is another check's business.
    cx.session().await?;
    let result = cx.run().counter_offer(asked).await?;
    match &result["protocolVersion"] {
        Value::String(offered) if offered.parse::<Version>().is_ok() || offered == Version::PRE_RELEASE => {
            Ok(())
        }
        Value::String(offered) if offered != asked.as_str() && may_be_a_revision(offered) => {
            Err(Finding::not_applicable(format!(
                "{offered} is offered, which may be a revision that is not known here"
            )))
        }
        other => Err(Finding::violated(
            "a protocolVersion that the specification has",
            format!("protocolVersion {other}"),
        )),
    }
}

/// Whether a text may name a revision that did not exist when this was written: later dates, and drafts.
fn may_be_a_revision(text: &str) -> bool {
    let is_date = crate::formats::is_date(text) && text > Version::LATEST.as_str();
    is_date || text.to_ascii_uppercase().starts_with("DRAFT")
}

/// The result of a handshake in this revision: that of the shared session or, if there is none, that of a fresh one.
async fn initialize(cx: &ServerCx) -> Result<Value, Finding> {
    if let Ok(session) = cx.session().await
        && let Some(result) = session.server().result
    {
        return Ok(result);
    }
    let session = cx.unopened_session().await?;
    let reply = session.initialize().await.map_err(start_failure);
    cx.close_session(&session).await;
    Answer::new(reply?, session).expect_result()
}

/// Ping: the receiver must answer promptly, with an empty result. 2026-07-28 has no ping.
const PING_ANSWERED: Check = Check {
    id: "server/lifecycle/ping-answered",
    title: "ping is answered with an empty result",
    cites: &[must("basic/utilities/ping#behavior-requirements", Span::LEGACY)],
    aliases: &["test_enhanced_ping_validation"],
    why: "clients ping to see whether the server is still there, and drop the connection when it does not answer",
    fix: "answer ping with {} at once",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(ping_answered(cx))),
    fault: &fault::PING_REFUSED,
};

async fn ping_answered(cx: &ServerCx) -> Verdict {
    let answer = cx.request("ping").await?.send().await?;
    let result = answer.expect_result()?;
    expect_none(result.as_object().into_iter().flatten().find(|(name, _)| *name != "_meta"), |(name, _)| {
        answer.violated("an empty result", format!("a result with {name}"))
    })
}

/// The receiver of a ping must answer it promptly. Lifecycle exempts pings from what should wait for the handshake.
const PING_BEFORE_INITIALIZED: Check = Check {
    id: "server/lifecycle/ping-before-initialized",
    title: "a ping between the response to initialize and notifications/initialized is answered",
    cites: &[must("basic/utilities/ping#behavior-requirements", Span::LEGACY)],
    aliases: &[],
    why: "either side may ping as soon as the other has answered, and takes silence or an error for a dead connection",
    fix: "answer ping in every state of the session",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(ping_before_initialized(cx))),
    fault: &fault::PING_AFTER_INITIALIZED,
};

async fn ping_before_initialized(cx: &ServerCx) -> Verdict {
    let verdict = cx.first_answer().await.and_then(|answer| answer.expect_result().map(drop));
    if verdict.is_ok() {
        return verdict;
    }
    // Whether pings are answered at all is another check's business.
    let session = cx.exclusive_session().await?;
    let later = cx.request_on(&session, "ping").send().await?.expect_result();
    later.map_err(|finding| finding.into_obstacle_of(PING_ANSWERED.id)).and(verdict)
}

/// A server that supports tools, resources, prompts or (since 2025-03-26) completion must declare the capability for
/// it.
const CAPABILITIES_DECLARED: Check = Check {
    id: "server/lifecycle/capabilities-declared",
    title: "the server declares every capability that it serves",
    cites: &[
        must("server/tools#capabilities", Span::ALWAYS),
        must("server/resources#capabilities", Span::ALWAYS),
        must("server/prompts#capabilities", Span::ALWAYS),
        must("server/utilities/completion#capabilities", Span::since(Version::V2025_03_26)),
    ],
    aliases: &["test_server_capabilities", "test_capability_declaration"],
    why: "clients do not ask for what was not declared, so the feature does not exist for them",
    fix: "declare tools, resources, prompts and completions in capabilities when you serve them",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(capabilities_declared(cx))),
    fault: &fault::CAPABILITY_UNDECLARED,
};

async fn capabilities_declared(cx: &ServerCx) -> Verdict {
    let declared = cx.capabilities().await?;
    if !declared.is_object() {
        return Err(Finding::blocked("the server does not declare its capabilities"));
    }
    for (capability, method) in
        [("tools", "tools/list"), ("resources", "resources/list"), ("prompts", "prompts/list")]
    {
        if declared.get(capability).is_some() {
            continue;
        }
        let answer = cx.request(method).await?.send().await?;
        let served =
            answer.reply.result().and_then(|r| r[capability].as_array().map(|list| !list.is_empty()));
        if served == Some(true) {
            return Err(
                answer.violated(format!("capabilities.{capability}"), format!("{method} serves without it"))
            );
        }
    }
    match declared.get("completions") {
        None if cx.version > Version::V2024_11_05 => completions_declared(cx).await,
        None | Some(_) => Ok(()),
    }
}

/// Completion has no list to ask for, so the first argument of a prompt is completed. An empty answer completes nothing.
async fn completions_declared(cx: &ServerCx) -> Verdict {
    let prompts = cx.prompts().await.unwrap_or_default();
    let named =
        prompts.iter().find_map(|prompt| Some((&prompt["name"], prompt["arguments"][0]["name"].as_str()?)));
    let Some((prompt, argument)) = named else { return Ok(()) };
    let params = json!({
        "ref": { "type": "ref/prompt", "name": prompt },
        "argument": { "name": argument, "value": "" },
    });
    let answer = cx.request("completion/complete").await?.params(params).send().await?;
    match answer.reply.result() {
        Some(result)
            if result["completion"]["values"].as_array().is_some_and(|values| !values.is_empty()) =>
        {
            Err(answer.violated("capabilities.completions", "completion/complete serves without it"))
        }
        Some(_) | None => Ok(()),
    }
}
