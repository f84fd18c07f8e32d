//! The handshake of the revisions that have one.

use protocol::{Span, Version};
use serde_json::{Value, json};
use server::fault::lifecycle as fault;

use super::fixture::blocked;
use crate::context::not_begun;
use crate::expect::Answer;
use crate::run_cx::PAST;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[
    HANDSHAKE_COMPLETE,
    VERSION_AGREED,
    VERSION_COUNTERED,
    PING_ANSWERED,
    PING_BEFORE_INITIALIZED,
    CAPABILITIES_DECLARED,
];

const HANDSHAKE_COMPLETE: Check = Check {
    id: "server/lifecycle/handshake-complete",
    title: "the result of initialize has protocolVersion, capabilities and serverInfo",
    cites: &[must("basic/lifecycle#initialization", Span::LEGACY)],
    aliases: &["test_initialization", "test_server_info_requirements"],
    why: "a client cannot know what it may ask for, and typed clients refuse to connect",
    fix: "return all three; capabilities may be empty, serverInfo needs name and version",
    on: On::Any,
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
    match missing.iter().find(|(_, there)| !there) {
        Some((what, _)) => Err(Finding::violated(*what, result.to_string())),
        None => Ok(()),
    }
}

const VERSION_AGREED: Check = Check {
    id: "server/lifecycle/version-agreed",
    title: "a revision that the server supports is agreed to as it was asked for",
    cites: &[must("basic/lifecycle#version-negotiation", Span::LEGACY)],
    aliases: &["test_initialization_negotiation"],
    why: "a client that is offered another revision than the one it asked for disconnects, or misreads what follows",
    fix: "answer with the requested version whenever you support it, not with your newest",
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(version_agreed(cx))),
    fault: &fault::VERSION_IGNORED,
};

/// Which revisions a server supports is known only from what it agrees to, so the question is put twice: what it
/// offers in its own words must be what it agrees to when it is asked for.
async fn version_agreed(cx: &ServerCx) -> Verdict {
    let offered = initialize(cx).await.map_err(blocked)?;
    if offered["protocolVersion"] == cx.version.as_str() {
        return Ok(());
    }
    Err(Finding::violated(
        format!("protocolVersion {}", cx.version),
        format!("protocolVersion {}", offered["protocolVersion"]),
    ))
}

const VERSION_COUNTERED: Check = Check {
    id: "server/lifecycle/version-countered",
    title: "a revision that does not exist is answered with one that does",
    cites: &[must("basic/lifecycle#version-negotiation", Span::LEGACY)],
    aliases: &["test_protocol_version_negotiation"],
    why: "a newer client finds common ground only through the counter-offer",
    fix: "when you do not know the requested version, answer with the newest one you support; do not fail, do not echo",
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(version_countered(cx))),
    fault: &fault::UNKNOWN_VERSION_ECHOED,
};

async fn version_countered(cx: &ServerCx) -> Verdict {
    offers_a_revision(cx, PAST).await
}

/// What the server offers to a client that asks for `asked` is a revision that exists.
pub(super) async fn offers_a_revision(cx: &ServerCx, asked: &str) -> Verdict {
    // Where no handshake comes about at all, that is another check's business.
    cx.session().await?;
    let result = cx.run.counter_offer(asked).await?;
    match &result["protocolVersion"] {
        Value::String(offered) if offered.parse::<Version>().is_ok() || offered == Version::PRE_RELEASE => {
            Ok(())
        }
        other => Err(Finding::violated(
            "a protocolVersion that the specification has",
            format!("protocolVersion {other}"),
        )),
    }
}

/// The result of a handshake in this revision: that of the shared session, or where none came about, of one by hand.
async fn initialize(cx: &ServerCx) -> Result<Value, Finding> {
    if let Ok(session) = cx.session().await
        && let Some(result) = session.server().result
    {
        return Ok(result);
    }
    let session = cx.unopened().await?;
    let reply = session.initialize().await.map_err(not_begun);
    cx.close_session(&session).await;
    Answer::new(reply?, session).expect_result()
}

const PING_ANSWERED: Check = Check {
    id: "server/lifecycle/ping-answered",
    title: "ping is answered with an empty result",
    cites: &[must("basic/utilities/ping#behavior-requirements", Span::LEGACY)],
    aliases: &["test_enhanced_ping_validation"],
    why: "clients ping to see whether the server is still there, and drop the connection when it does not answer",
    fix: "answer ping with {} at once",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(ping_answered(cx))),
    fault: &fault::PING_REFUSED,
};

async fn ping_answered(cx: &ServerCx) -> Verdict {
    let answer = cx.request("ping").await?.send().await?;
    let result = answer.expect_result()?;
    match result.as_object().into_iter().flatten().find(|(name, _)| *name != "_meta") {
        Some((name, _)) => Err(answer.violated("an empty result", format!("a result with {name}"))),
        None => Ok(()),
    }
}

const PING_BEFORE_INITIALIZED: Check = Check {
    id: "server/lifecycle/ping-before-initialized",
    title: "a ping between the answer to initialize and notifications/initialized is answered",
    cites: &[must("basic/utilities/ping#behavior-requirements", Span::LEGACY)],
    aliases: &[],
    why: "either side may ping as soon as the other has answered, and takes silence or an error for a dead connection",
    fix: "answer ping in every state of the session",
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(ping_before_initialized(cx))),
    fault: &fault::PING_AFTER_INITIALIZED,
};

async fn ping_before_initialized(cx: &ServerCx) -> Verdict {
    let verdict = cx.first_words().await.and_then(|answer| answer.expect_result().map(drop));
    if verdict.is_ok() {
        return verdict;
    }
    // That pings are answered at all is another check's business.
    let session = cx.alone().await?;
    let later = cx.on(&session, "ping").send().await?.expect_result();
    later.map_err(|finding| finding.into_obstacle_of(PING_ANSWERED.id)).and(verdict)
}

const CAPABILITIES_DECLARED: Check = Check {
    id: "server/lifecycle/capabilities-declared",
    title: "what the server serves, it declares",
    cites: &[
        must("server/tools#capabilities", Span::ALWAYS),
        must("server/resources#capabilities", Span::ALWAYS),
        must("server/prompts#capabilities", Span::ALWAYS),
        must("server/utilities/completion#capabilities", Span::since(Version::V2025_03_26)),
    ],
    aliases: &["test_server_capabilities", "test_capability_declaration"],
    why: "clients do not ask for what was not declared, so the feature does not exist for them",
    fix: "declare tools, resources and prompts in capabilities when you serve them",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(capabilities_declared(cx))),
    fault: &fault::CAPABILITY_UNDECLARED,
};

async fn capabilities_declared(cx: &ServerCx) -> Verdict {
    let declared = cx.capabilities().await?;
    if !declared.is_object() {
        return Err(Finding::blocked("the server does not say what it has"));
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

/// Completion has no list by which it shows, but prompts have arguments that may be completed.
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
        Some(result) if result["completion"]["values"].is_array() => {
            Err(answer.violated("capabilities.completions", "completion/complete serves without it"))
        }
        Some(_) | None => Ok(()),
    }
}
