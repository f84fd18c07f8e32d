//! The person's part: what only they decide.

use protocol::{Span, Version};

use crate::host::{faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, advice, must};

pub(in crate::checks) const CHECKS: &[Check] = &[NOT_ANSWERED, NOT_RUN];

/// Users must be able to review their responses before they are sent, and to decline. Nobody did either here.
const NOT_ANSWERED: Check = Check {
    id: "host/person/not-answered-for",
    title: "what a server asks the person is not answered by the host",
    cites: &[must("client/elicitation#user-interaction-model", Span::only(Version::V2025_11_25))],
    aliases: &[],
    why: "a server gets a yes that nobody gave",
    fix: "show the question, and answer when the person has; decline what you cannot show",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.shown("ask")?;
        let declared = cx.facts.server.initialize.as_ref().map(|it| &it["capabilities"]);
        if declared.is_none_or(|it| it["elicitation"].is_null() && it["sampling"].is_null()) {
            return Err(Finding::not_applicable("the host declares neither elicitation nor sampling"));
        }
        let given = |answer: &&(String, serde_json::Value)| {
            answer.1["result"]["action"] == "accept" || !answer.1["result"]["content"].is_null()
        };
        expect_none(cx.facts.server.answers.iter().find(given), |(asked, answer)| {
            Finding::violated("no answer, or a refusal", format!("{asked}: {}", shorten(answer)))
        })
    }),
    fault: &faults::ANSWERS_FOR_PERSON.fault,
};

/// No sentence says that a host may not run a tool of its own accord. A tool that changes things is not to be tried.
const NOT_RUN: Check = Check {
    id: "host/person/not-run-unasked",
    title: "a tool that nobody asked for is not run",
    cites: &[advice("apps.mdx#threat-model", Span::ALWAYS)],
    aliases: &[],
    why: "connecting to a server must not delete anything",
    fix: "run a tool when the model or the person asks for it, with their arguments",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let called = cx.facts.server.calls.iter().find(|call| call.name == "untouched");
        expect_none(called, |call| {
            Finding::violated("no call", format!("it was called with {}", call.arguments))
        })?;
        cx.scene("basic").map(drop)
    }),
    fault: &faults::RUNS_BY_ITSELF.fault,
};
