//! What was announced is used, and what is used was announced.

use ::wire::Entry;
use protocol::Span;
use protocol::apps::{Rule, Way, rule};
use serde_json::Value;
use server::fault::bridge as fault;

use super::about;
use crate::{Check, Finding, On, Run, Verdict, WireCx, advice, advised, defined};

pub(in crate::checks) const CHECKS: &[Check] = &[HOST_APP_TOOLS, VIEW_APP_TOOLS, HOST_KEEPS, VIEW_SAMPLING];

const HOST_APP_TOOLS: Check = Check {
    id: "wire/ui/host-app-tools",
    title: "a host asks for tools only of a View that declared them",
    cites: &[defined("apps.mdx#app-capabilities-in-uiinitialize", Span::ALWAYS)],
    aliases: &[],
    why: "a View without tools cannot answer, and the model is promised what is not there",
    fix: "look for appCapabilities.tools before tools/list and tools/call",
    on: On::Bridge,
    run: Run::Wire(|cx| asked_for_tools(cx, &rule::APP_ANNOUNCED)),
    fault: &fault::APP_TOOLS_ASSUMED,
};

const VIEW_APP_TOOLS: Check = Check {
    id: "wire/ui/view-app-tools",
    title: "a View that declares tools answers for them",
    cites: &[defined("apps.mdx#app-capabilities-in-uiinitialize", Span::ALWAYS)],
    aliases: &[],
    why: "the model is offered tools of the View, and every call fails",
    fix: "handle tools/list and tools/call, or do not declare tools",
    on: On::Bridge,
    run: Run::Wire(|cx| asked_for_tools(cx, &rule::APP_KEEPS)),
    fault: &fault::APP_TOOLS_FORGOTTEN,
};

const HOST_KEEPS: Check = Check {
    id: "wire/ui/host-keeps-word",
    title: "a host knows the methods that its capabilities announce",
    cites: &[advised("apps.mdx#host-capabilities", Span::ALWAYS)],
    aliases: &[],
    why: "a View shows what the host says that it can do, and it does not work",
    fix: "handle what you announce, or leave it out of hostCapabilities",
    on: On::Bridge,
    run: Run::Wire(|cx| super::should(cx, &[&rule::HOST_KEEPS])),
    fault: &fault::LINKS_FORGOTTEN,
};

const VIEW_SAMPLING: Check = Check {
    id: "wire/ui/view-sampling",
    title: "a View samples only from a host that announced sampling",
    cites: &[advice(DRAFT, Span::ALWAYS)],
    aliases: &[],
    why: "most hosts have no sampling, and a View that counts on it does nothing there",
    fix: "look for hostCapabilities.sampling, and sampling.tools if you bring tools, and do without",
    on: On::Bridge,
    run: Run::Wire(|cx| {
        about(cx, &["sampling/createMessage"], |cx| super::must(cx, &[&rule::SAMPLING_ANNOUNCED]))
    }),
    fault: &fault::SAMPLES_ANYWAY,
};

/// Sampling is in the text of ext-apps 2.x, which is a draft.
const DRAFT: &str = "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/draft/apps.mdx#standard-mcp-messages";

/// Judges sessions in which the host asked the View for its tools.
fn asked_for_tools(cx: &WireCx<'_>, rule: &'static Rule) -> Verdict {
    let asks = |(entry, value): (&Entry, Value)| {
        Way::of_entry(entry) == Way::HostToView
            && matches!(value["method"].as_str(), Some("tools/list" | "tools/call"))
    };
    if super::posted(cx).any(asks) {
        return super::must(cx, &[rule]);
    }
    Err(Finding::not_applicable("the host asked the View for no tools"))
}
