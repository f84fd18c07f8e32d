//! Negotiation: capabilities that are served as declared, and the versions that a server offers instead of an unknown one.

use protocol::capability::{
    COMPLETIONS, LOGGING, PROMPTS, RESOURCES, RESOURCES_SUBSCRIBE, TASKS_LIST, TOOLS,
};
use protocol::capability::{Capabilities, Capability};
use protocol::{Era, Span, Version, code};
use serde_json::{Value, json};
use server::fault::{lifecycle, negotiation as fault};

use super::lifecycle::offers_a_revision;
use crate::run_cx::NonexistentVersion;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[CAPABILITIES_SERVED, FUTURE_COUNTERED, LATEST_OFFERED];

const NEGOTIATION: &str = "basic/lifecycle#version-negotiation";

/// Capabilities say which optional features are available. The pages do not demand in so many words that a declared
/// feature works, so a missing method is a warning.
pub(super) const CAPABILITIES_SERVED: Check = Check {
    id: "server/lifecycle/capabilities-served",
    title: "the server serves every capability that it declares",
    cites: &[
        advised("basic/lifecycle#capability-negotiation", Span::LEGACY),
        advised("server/discover#discoverresult", Span::MODERN),
    ],
    aliases: &["test_server_capabilities", "test_tools_capability"],
    why: "clients show what was declared, and every use of it ends in an error",
    fix: "declare a capability only if you implement its methods",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(capabilities_served(cx))),
    fault: &fault::CAPABILITY_UNSERVED,
};

/// A method of each capability, with params that change nothing.
fn methods(version: Version) -> Vec<(Capability, &'static str, Value)> {
    let reference = json!({ "type": "ref/prompt", "name": "yardstick-none" });
    let mut methods = vec![
        (TOOLS, "tools/list", json!({})),
        (PROMPTS, "prompts/list", json!({})),
        (RESOURCES, "resources/list", json!({})),
        (
            COMPLETIONS,
            "completion/complete",
            json!({ "ref": reference, "argument": { "name": "a", "value": "" } }),
        ),
    ];
    if version.era() == Era::Legacy {
        methods.push((LOGGING, "logging/setLevel", json!({ "level": "info" })));
        methods.push((RESOURCES_SUBSCRIBE, "resources/subscribe", json!({ "uri": "yardstick://none" })));
    }
    if version == Version::V2025_11_25 {
        methods.push((TASKS_LIST, "tasks/list", json!({})));
    }
    methods
}

async fn capabilities_served(cx: &ServerCx) -> Verdict {
    let declared = cx.capabilities().await?;
    let session = cx.session().await?;
    let mut tried = false;
    for (capability, method, params) in methods(cx.version) {
        if !Capabilities::from_value(&declared).has(capability) {
            continue;
        }
        tried = true;
        let answer =
            cx.request_on(session, method).params(params).send().await.map_err(Finding::into_obstacle)?;
        if answer.reply.code() == Some(code::METHOD_NOT_FOUND) {
            return Err(answer.violated(format!("{method}, as {capability} is declared"), answer.summary()));
        }
    }
    if tried { Ok(()) } else { Err(Finding::not_applicable("the server declares no capabilities")) }
}

/// Version negotiation: if the server does not support the requested version, it must answer with another one that it
/// does support. That holds for versions that do not exist yet.
const FUTURE_COUNTERED: Check = Check {
    id: "server/lifecycle/future-version-countered",
    title: "a request for a future revision is answered with one that exists",
    cites: &[must(NEGOTIATION, Span::LEGACY)],
    aliases: &[],
    why: "every client will one day be newer than your server, and has to find common ground",
    fix: "when you do not know the requested version, answer with the newest one you support; do not fail, do not echo",
    applies: Applies::Everywhere,
    run: Run::CounterOffer(|cx| Box::pin(future_countered(cx))),
    fault: &lifecycle::UNKNOWN_VERSION_REFUSED,
};

async fn future_countered(cx: &ServerCx) -> Verdict {
    offers_a_revision(cx, NonexistentVersion::Future).await
}

/// Version negotiation: the version that a server offers instead of the requested one should be the latest that it
/// supports.
const LATEST_OFFERED: Check = Check {
    id: "server/lifecycle/latest-version-offered",
    title: "the counter-offer is the newest revision that the server supports",
    cites: &[should(NEGOTIATION, Span::LEGACY)],
    aliases: &["test_protocol_version_negotiation"],
    why: "the client settles for the offer, and neither side can use anything newer",
    fix: "answer an unknown version with the newest handshake revision that you support",
    applies: Applies::Everywhere,
    run: Run::CounterOffer(|cx| Box::pin(latest_offered(cx))),
    fault: &fault::OLDEST_OFFERED,
};

async fn latest_offered(cx: &ServerCx) -> Verdict {
    cx.session().await?;
    let countered = future_countered(cx).await;
    countered.map_err(|finding| finding.into_obstacle_of(FUTURE_COUNTERED.id))?;
    let result = cx.run().counter_offer(NonexistentVersion::Future).await.map_err(Finding::into_obstacle)?;
    let Some(offered) = result["protocolVersion"].as_str().and_then(|text| text.parse::<Version>().ok())
    else {
        return Err(Finding::not_applicable("no revision was offered that is known here"));
    };
    for newer in Span::LEGACY.versions().filter(|version| *version > offered) {
        if cx.run().speaks(newer).await? {
            let actual = format!("{offered}, although {newer} is supported");
            return Err(Finding::violated(format!("protocolVersion {newer} or newer"), actual));
        }
    }
    Ok(())
}
