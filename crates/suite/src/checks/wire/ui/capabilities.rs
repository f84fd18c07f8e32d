//! Capabilities of View and host: each uses only what the other declared, and serves what it declares.

use ::wire::Entry;
use protocol::Span;
use protocol::apps::{BridgeDirection, BridgeRule, rule};
use serde_json::Value;
use server::fault::bridge as fault;

use super::about;
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, advice, advised, defined};

pub(in crate::checks) const CHECKS: &[Check] = &[HOST_APP_TOOLS, VIEW_APP_TOOLS, HOST_KEEPS, VIEW_SAMPLING];

/// The View declares in `appCapabilities` whether it has tools. A host calls tools/list and tools/call only on a View
/// that does.
const HOST_APP_TOOLS: Check = Check {
    id: "wire/ui/host-app-tools",
    title: "a host asks for tools only of a View that declared them",
    cites: &[defined("apps.mdx#app-capabilities-in-uiinitialize", Span::ALWAYS)],
    aliases: &[],
    why: "a View without tools cannot answer, and the model is promised tools that do not exist",
    fix: "look for appCapabilities.tools before tools/list and tools/call",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| asked_for_tools(cx, &rule::APP_ANNOUNCED)),
    fault: &fault::APP_TOOLS_ASSUMED,
};

/// A View that declares `tools` in `appCapabilities` says that it answers tools/list and tools/call.
const VIEW_APP_TOOLS: Check = Check {
    id: "wire/ui/view-app-tools",
    title: "a View that declares tools answers for them",
    cites: &[defined("apps.mdx#app-capabilities-in-uiinitialize", Span::ALWAYS)],
    aliases: &[],
    why: "the model is offered tools of the View, and every call fails",
    fix: "handle tools/list and tools/call, or do not declare tools",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Client, |cx| asked_for_tools(cx, &rule::APP_KEEPS)),
    fault: &fault::APP_TOOLS_FORGOTTEN,
};

/// `hostCapabilities` says which requests of a View the host supports. That it then knows their methods is implied.
const HOST_KEEPS: Check = Check {
    id: "wire/ui/host-keeps-word",
    title: "a host serves the methods that its capabilities announce",
    cites: &[advised("apps.mdx#host-capabilities", Span::ALWAYS)],
    aliases: &[],
    why: "a View relies on what the host declares, and it does not work",
    fix: "handle what you announce, or leave it out of hostCapabilities",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| super::should(cx, &[&rule::HOST_KEEPS])),
    fault: &fault::LINKS_FORGOTTEN,
};

/// Only the draft of MCP Apps has sampling: a View may sample if the host declares it. The stable text does not speak
/// of it, so this is advice.
const VIEW_SAMPLING: Check = Check {
    id: "wire/ui/view-sampling",
    title: "a View samples only from a host that announced sampling",
    cites: &[advice(DRAFT, Span::ALWAYS)],
    aliases: &[],
    why: "most hosts do not support sampling, and a View that relies on it does nothing there",
    fix: "check hostCapabilities.sampling, and sampling.tools if you send tools, and do without if they are missing",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Client, |cx| {
        about(cx, &["sampling/createMessage"], |cx| super::must(cx, &[&rule::SAMPLING_ANNOUNCED]))
    }),
    fault: &fault::SAMPLES_ANYWAY,
};

/// Sampling is in the text of ext-apps 2.x, which is a draft.
const DRAFT: &str = "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/draft/apps.mdx#standard-mcp-messages";

/// Judges sessions in which the host asked the View for its tools.
fn asked_for_tools(cx: &WireCx<'_>, rule: &'static BridgeRule) -> Verdict {
    let asks = |(entry, value): (&Entry, Value)| {
        BridgeDirection::of_entry(entry) == BridgeDirection::HostToView
            && matches!(value["method"].as_str(), Some("tools/list" | "tools/call"))
    };
    if super::posted(cx).any(asks) {
        return super::must(cx, &[rule]);
    }
    Err(Finding::not_applicable("the host asked the View for no tools"))
}
