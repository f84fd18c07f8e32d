//! The person's part: what only they decide.

use protocol::{Span, Version};

use crate::host::{HostCx, faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, advice, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[NOT_ANSWERED, NOT_RUN, ARGUMENTS_KEPT, ONE_ASK, NOT_WORN_DOWN];

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

/// No sentence says where the arguments of a call come from. Whoever chose them answers for what the tool does.
const ARGUMENTS_KEPT: Check = Check {
    id: "host/person/arguments-as-given",
    title: "a tool is run with the arguments that were chosen for it, and no others",
    cites: &[advice("apps.mdx#threat-model", Span::ALWAYS)],
    aliases: &[],
    why: "a tool that was run with invented arguments did what nobody asked for",
    fix: "pass the arguments of the model or the person on; ask for what is missing instead of making it up",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.shown("basic")?;
        let Some(given) = &scene.arguments else {
            return Err(Finding::not_applicable("nobody can choose the arguments here"));
        };
        let Some(call) = scene.calls.iter().find(|call| call.name == "basic") else {
            return Err(Finding::blocked("the tool was not called"));
        };
        if call.arguments == *given {
            return Ok(());
        }
        Err(Finding::violated(shorten(given), shorten(&call.arguments)))
    }),
    fault: &faults::ARGUMENTS_INVENTED.fault,
};

/// No sentence says how a host asks. A double click is one decision.
const ONE_ASK: Check = Check {
    id: "host/person/one-click-one-ask",
    title: "a double click allows what was asked first, and not what takes its place",
    cites: &[advice("apps.mdx#other-risks", Span::ALWAYS)],
    aliases: &[],
    why: "a View that asks twice gets a yes to what its user has never read",
    fix: "ignore clicks and keys on a question for a moment after it has appeared or moved",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let opened = double_clicked(cx)?;
        match opened.as_slice() {
            [] => Err(Finding::blocked("nothing was opened, although it was allowed")),
            [_] => Ok(()),
            several => Err(Finding::violated("one page", several.join(", "))),
        }
    }),
    fault: &faults::CONSENT_HASTY.fault,
};

/// No sentence says how many questions a View may have. Those that nobody answered are not allowed.
const NOT_WORN_DOWN: Check = Check {
    id: "host/person/flood-grants-nothing",
    title: "of many things that a View asks for at once, none is granted that nobody allowed",
    cites: &[advice("apps.mdx#other-risks", Span::ALWAYS)],
    aliases: &[],
    why: "a View has only to ask often enough",
    fix: "limit how many questions of a View wait, and refuse those beyond",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        /// A double click may hit two questions, which is a finding of its own.
        const CLICKS: usize = 2;
        let opened = double_clicked(cx)?.len();
        let outcomes =
            cx.scene("consent")?.fact("outcomes").as_array().map(Vec::as_slice).unwrap_or_default();
        let granted = outcomes.iter().filter(|outcome| **outcome == "granted").count();
        if opened.max(granted) <= CLICKS {
            return Ok(());
        }
        Err(Finding::violated(
            "at most what was clicked on",
            format!("{granted} were answered with success, {opened} were opened"),
        ))
    }),
    fault: &faults::WORN_DOWN.fault,
};

/// The pages that were opened after a double click on what allows the first of many questions.
fn double_clicked<'a>(cx: &HostCx<'a>) -> Result<Vec<&'a str>, Finding> {
    let scene = cx.scene("consent")?;
    match scene.fact("before")[0].as_str() {
        Some("granted") => return Err(Finding::not_applicable("the host opens links without a question")),
        Some("refused") => return Err(Finding::not_applicable("the host opens no links")),
        _ => {}
    }
    cx.act_result("consent", "allow-twice")?;
    // A browser also asks for the icon of a site.
    let opened = scene.declared_hits.iter().filter(|path| path.starts_with("/consent/"));
    Ok(opened.map(String::as_str).collect())
}
