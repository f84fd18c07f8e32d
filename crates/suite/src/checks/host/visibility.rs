//! Who may call which tool.

use protocol::Span;
use serde_json::Value;

use crate::host::{HostCx, faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[MODEL_ONLY, APP_ONLY, BOTH, DEFAULT, OTHER_SERVER];

/// A host must reject a View's tools/call for a tool whose visibility does not have "app".
const MODEL_ONLY: Check = Check {
    id: "host/visibility/model-only-refused",
    title: "a View cannot call a tool that is for the model only",
    cites: &[must("apps.mdx#visibility", Span::ALWAYS)],
    aliases: &["visibility/app-tool-call-guard", "mcp-apps-tool-05"],
    why: "a tool that the model calls with care, or after the user agreed, runs from a script",
    fix: "look up the tool's _meta.ui.visibility before you forward tools/call, and answer with an error",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let calls = &cx.scene("basic")?.calls;
        expect_none(calls.iter().find(|call| call.name == "model-only"), |call| {
            Finding::violated(
                "no call at the server",
                format!("model-only was called with {}", call.arguments),
            )
        })?;
        cx.expect_refused("basic", "modelOnly")
    }),
    fault: &faults::MODEL_TOOLS_CALLED.fault,
};

/// A host must not put tools without "model" into the list that the agent gets.
const APP_ONLY: Check = Check {
    id: "host/visibility/app-only-hidden",
    title: "the model is not offered tools that are for Views only",
    cites: &[must_not("apps.mdx#visibility", Span::ALWAYS)],
    aliases: &["visibility/app-tool-hidden", "mcp-apps-tool-04"],
    why: "the model calls what makes sense only from within the View",
    fix: "leave tools out of the model's list whose visibility does not have model",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let offered = offered(cx)?;
        let hidden = ["report", "save", "early", "elsewhere"];
        expect_none(hidden.into_iter().find(|name| offered.contains(name)), |name| {
            Finding::violated("no tool that is for Views only", format!("{name} is offered"))
        })
    }),
    fault: &faults::APP_TOOLS_OFFERED.fault,
};

/// A tool with "model" and "app" is there for both.
const BOTH: Check = Check {
    id: "host/visibility/both-served",
    title: "a tool for model and Views is offered to the one and called by the others",
    cites: &[must("apps.mdx#visibility", Span::ALWAYS)],
    aliases: &["mcp-apps-tool-03"],
    why: "a tool that is missing on one side cannot be used there",
    fix: "treat model and app as two questions with two answers",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let offered = offered(cx)?;
        if !offered.contains(&"echo") {
            return Err(Finding::violated("echo among the tools of the model", offered.join(", ")));
        }
        cx.capability("serverTools")?;
        let answer = cx.answer("basic", "echo")?;
        if answer["result"].is_object() {
            Ok(())
        } else {
            Err(Finding::violated("a result", shorten(answer)))
        }
    }),
    fault: &faults::TOOL_HIDDEN.fault,
};

/// Without a visibility a tool is for the model and for Views.
const DEFAULT: Check = Check {
    id: "host/visibility/default-both",
    title: "a View can call a tool that says nothing of its visibility",
    cites: &[must("apps.mdx#visibility", Span::ALWAYS)],
    aliases: &[],
    why: "most tools say nothing, and Views that call them stay without data",
    fix: "take an omitted visibility for both model and app",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.capability("serverTools")?;
        let answer = cx.answer("basic", "unsaid")?;
        if answer["result"].is_object() {
            Ok(())
        } else {
            Err(Finding::violated("a result", shorten(answer)))
        }
    }),
    fault: &faults::UNSAID_REFUSED.fault,
};

/// A tool with "app" is for Views of the same server connection only.
const OTHER_SERVER: Check = Check {
    id: "host/visibility/other-server-refused",
    title: "a View cannot call an app-only tool of another server",
    cites: &[must("apps.mdx#visibility", Span::ALWAYS)],
    aliases: &[],
    why: "one server's page acts with the rights of another one",
    fix: "forward tools/call to the server that the View came from, and to no other",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.scene("basic")?;
        let Some(other) = &cx.facts.other else {
            return Err(Finding::not_applicable("the host has no second server here"));
        };
        if other.initialize.is_none() {
            return Err(Finding::blocked("the host did not connect to the second server"));
        }
        expect_none(other.calls.first(), |call| {
            Finding::violated("no call at the other server", format!("{} was called", call.name))
        })?;
        cx.expect_refused("basic", "elsewhere")
    }),
    fault: &faults::OTHER_SERVER_CALLED.fault,
};

/// The names of the tools that the model is offered.
fn offered<'a>(cx: &HostCx<'a>) -> Result<Vec<&'a str>, Finding> {
    let names = cx.act_result("basic", "model-tools")?.as_array().map(Vec::as_slice).unwrap_or_default();
    if names.is_empty() {
        return Err(Finding::blocked("the driver read no tools"));
    }
    Ok(names.iter().filter_map(Value::as_str).collect())
}
