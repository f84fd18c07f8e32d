//! What a host tells a View about the call of its tool.

use protocol::Span;
use serde_json::Value;

use crate::host::{faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, Verdict, advice, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[INPUT_COMPLETE, INPUT_ONCE, RESULT_EXACT, CANCELLED_TOLD, CANCELLED_FORWARDED, PARTIAL_STOPS];

const INPUT: &str = "ui/notifications/tool-input";
const PARTIAL: &str = "ui/notifications/tool-input-partial";
const RESULT: &str = "ui/notifications/tool-result";
const CANCELLED: &str = "ui/notifications/tool-cancelled";

/// A host must send tool-input with the complete arguments once the View is initialized.
const INPUT_COMPLETE: Check = Check {
    id: "host/data/input-complete",
    title: "tool-input carries the arguments that the server was called with",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["lifecycle/tool-input", "mcp-apps-life-01"],
    why: "a View that shows other arguments than those that were used misleads its user",
    fix: "send ui/notifications/tool-input with the arguments of tools/call, unchanged",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("basic")?;
        let Some(input) = scene.messages_with_method(INPUT).next() else {
            return Err(Finding::violated(INPUT, "it never came"));
        };
        let Some(call) = scene.calls.iter().find(|call| call.name == "basic") else {
            return Err(Finding::blocked("the tool was not called"));
        };
        // A call may leave out arguments that are empty.
        let (told, used) = (object(&input["params"]["arguments"]), object(&call.arguments));
        if told == used { Ok(()) } else { Err(Finding::violated(used.to_string(), told.to_string())) }
    }),
    fault: &faults::INPUT_EMPTY.fault,
};

/// tool-input is sent at most once, and comes before tool-result.
const INPUT_ONCE: Check = Check {
    id: "host/data/input-once",
    title: "tool-input comes once, and before tool-result",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "a View that begins again with every tool-input loses what its user did",
    fix: "send tool-input once for a View, and hold tool-result back until then",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let order: Vec<_> =
            cx.scene("basic")?.messages_to_view().filter_map(|message| message["method"].as_str()).collect();
        let inputs = order.iter().filter(|method| **method == INPUT).count();
        let place = |method: &str| order.iter().position(|one| *one == method);
        match (inputs, place(INPUT), place(RESULT)) {
            (0, _, _) => Err(Finding::blocked_by(INPUT_COMPLETE.id, "tool-input never came")),
            (1, input, result) if result.is_none() || input < result => Ok(()),
            _ => Err(Finding::violated("tool-input once, then tool-result", order.join(", "))),
        }
    }),
    fault: &faults::INPUT_TWICE.fault,
};

/// A host must send tool-result when the tool has finished; its parameters are the result of the call.
const RESULT_EXACT: Check = Check {
    id: "host/data/result-exact",
    title: "tool-result is the result as the server gave it",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["lifecycle/tool-result", "mcp-apps-life-03"],
    why: "a View draws structuredContent and reads _meta; what is lost on the way it cannot show",
    fix: "pass the result on whole: content, structuredContent, isError, _meta and what you do not know",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("basic")?;
        let Some(result) = scene.messages_with_method(RESULT).next() else {
            return Err(Finding::violated(RESULT, "it never came"));
        };
        let Some(call) = scene.calls.iter().find(|call| call.name == "basic") else {
            return Err(Finding::blocked("the tool was not called"));
        };
        expect_same(&crate::host::probe::full_result("basic", &call.arguments), &result["params"])
    }),
    fault: &faults::RESULT_TRIMMED.fault,
};

/// A host must send tool-cancelled if the call was cancelled, for whatever reason.
const CANCELLED_TOLD: Check = Check {
    id: "host/data/cancelled-told",
    title: "a View is told that its call was cancelled",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["lifecycle/tool-cancelled", "mcp-apps-life-04"],
    why: "a View that waits for a result that never comes shows a spinner for ever",
    fix: "send ui/notifications/tool-cancelled when the user cancels, and when the call fails",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.act_result("slow", "cancel")?;
        let told = cx.scene("slow")?.messages_with_method(CANCELLED).next();
        if told.is_some() { Ok(()) } else { Err(Finding::violated(CANCELLED, "it never came")) }
    }),
    fault: &faults::CANCEL_UNTOLD.fault,
};

/// A call that the user cancelled is of no use to anybody; no sentence about hosts says that the server is told.
const CANCELLED_FORWARDED: Check = Check {
    id: "host/data/cancelled-forwarded",
    title: "the server is told that a call was cancelled",
    cites: &[advice("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "the server works on, and what the user did not want happens all the same",
    fix: "send notifications/cancelled with the id of the call",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.act_result("slow", "cancel")?;
        let call = cx.shown("slow")?.calls.iter().find(|call| call.name == "slow");
        let Some(call) = call else { return Err(Finding::blocked("the tool was not called")) };
        let known = cx.facts.server.cancelled.contains(&call.id);
        if known { Ok(()) } else { Err(Finding::violated("notifications/cancelled", "it never came")) }
    }),
    fault: &faults::CANCEL_KEPT.fault,
};

/// While arguments stream, a host may send tool-input-partial; it must stop once tool-input is sent.
const PARTIAL_STOPS: Check = Check {
    id: "host/data/partial-stops",
    title: "no tool-input-partial follows tool-input",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["lifecycle/tool-input-partial-stop", "lifecycle/tool-input-partial", "mcp-apps-life-02"],
    why: "a View goes back to arguments that are not complete",
    fix: "drop what is still to be streamed when tool-input is sent",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("stream")?;
        let order: Vec<_> =
            scene.messages_to_view().filter_map(|message| message["method"].as_str()).collect();
        let Some(last) = order.iter().rposition(|method| *method == PARTIAL) else {
            return Err(Finding::not_applicable("the host streams no arguments"));
        };
        let input = order.iter().position(|method| *method == INPUT);
        expect_none(input.filter(|input| *input < last), |_| {
            Finding::violated("tool-input after every tool-input-partial", order.join(", "))
        })
    }),
    fault: &faults::PARTIAL_GOES_ON.fault,
};

/// An object; nothing is one without members.
fn object(value: &Value) -> Value {
    if value.is_null() { Value::Object(serde_json::Map::new()) } else { value.clone() }
}

/// That `given` is what the server gave, member by member.
pub(super) fn expect_same(server: &Value, given: &Value) -> Verdict {
    let members = server.as_object().into_iter().flatten();
    let lost = members.clone().find(|(name, value)| given.get(name.as_str()) != Some(value));
    expect_none(lost, |(name, value)| {
        Finding::violated(format!("{name} {}", shorten(value)), shorten(&given[name.as_str()]))
    })?;
    let added = given.as_object().into_iter().flatten().find(|(name, _)| server.get(name.as_str()).is_none());
    expect_none(added, |(name, value)| {
        Finding::violated("no member that the server did not send", format!("{name} {}", shorten(value)))
    })
}
