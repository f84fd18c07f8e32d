//! Every rule that the bridge is judged by.
//!
//! Where the text says MUST or SHOULD, so does the rule. What follows from the definition of a message, or from the order in
//! the diagrams, is a MUST too. The text leaves the base to MCP ("JSON-RPC 2.0 over `postMessage`", an "MCP-like
//! handshake"), so ids and the handshake are held to what 2025-11-25 says of them.

#![expect(missing_docs, reason = "the text of a rule says what it asks for")]

use super::breach::Gravity::{Must, Note, Should};
use super::breach::{BridgeRule, Gravity};

pub static JSON_RPC: BridgeRule = rule(
    "ui/message/json-rpc",
    "apps.mdx#communication-protocol",
    Must,
    "what is posted is a JSON-RPC 2.0 message",
);
pub static FOREIGN: BridgeRule = rule(
    "ui/message/foreign",
    "apps.mdx#communication-protocol",
    Note,
    "nothing else is posted on the channel",
);
pub static METHOD_SPELLED: BridgeRule = rule(
    "ui/message/method-spelled",
    "apps.mdx#mcp-apps-specific-messages",
    Must,
    "methods are spelled as they are defined",
);
pub static METHOD_KNOWN: BridgeRule = rule(
    "ui/message/method-known",
    "apps.mdx#mcp-apps-specific-messages",
    Note,
    "methods are ones that the text has",
);
pub static DIRECTION: BridgeRule = rule(
    "ui/message/direction",
    "apps.mdx#mcp-apps-specific-messages",
    Must,
    "a message goes the way that it is defined for",
);
pub static KIND: BridgeRule = rule(
    "ui/message/kind",
    "apps.mdx#mcp-apps-specific-messages",
    Must,
    "requests have an id, and notifications have none",
);
pub static SHAPE: BridgeRule = rule(
    "ui/message/shape",
    "apps.mdx#mcp-apps-specific-messages",
    Must,
    "messages have the members that their definitions ask for",
);
pub static SPELLING: BridgeRule = rule(
    "ui/message/spelling",
    "apps.mdx#mcp-apps-specific-messages",
    Note,
    "members are spelled as they are defined",
);
pub static SENSE: BridgeRule =
    rule("ui/message/sense", "apps.mdx#mcp-apps-specific-messages", Note, "a message says something");
pub static SIZE: BridgeRule =
    rule("ui/message/size", "apps.mdx#notifications-host--view", Must, "sizes are not negative");
pub static HOST_CONTEXT: BridgeRule = rule(
    "ui/message/host-context",
    "apps.mdx#host-context-in-mcpuiinitializeresult",
    Should,
    "the answer to ui/initialize has a hostContext",
);
pub static PROTOCOL_VERSION: BridgeRule = rule(
    "ui/message/protocol-version",
    "apps.mdx#transport-layer",
    Note,
    "the protocol version is a known one",
);
pub static INITIALIZE_FIRST: BridgeRule =
    rule("ui/lifecycle/initialize-first", "apps.mdx#lifecycle", Must, "a View begins with ui/initialize");
pub static INITIALIZE_AWAITED: BridgeRule = rule(
    "ui/lifecycle/initialize-awaited",
    "apps.mdx#lifecycle",
    Should,
    "a View waits for the answer to ui/initialize",
);
pub static INITIALIZE_ONCE: BridgeRule =
    rule("ui/lifecycle/initialize-once", "apps.mdx#lifecycle", Must, "a View initialises once");
pub static INITIALIZED_AFTER: BridgeRule = rule(
    "ui/lifecycle/initialized-after-answer",
    "apps.mdx#lifecycle",
    Must,
    "initialized follows the answer to ui/initialize",
);
pub static INITIALIZED_ONCE: BridgeRule =
    rule("ui/lifecycle/initialized-once", "apps.mdx#lifecycle", Note, "initialized is said once");
pub static HOST_QUIET: BridgeRule = rule(
    "ui/lifecycle/host-quiet",
    "apps.mdx#sandbox-proxy",
    Must,
    "a host sends nothing but answers before initialized",
);
pub static ANSWER_KNOWN: BridgeRule =
    rule("ui/answers/known-id", "apps.mdx#transport-layer", Must, "an answer has the id of a request");
pub static ANSWERED_ONCE: BridgeRule =
    rule("ui/answers/once", "apps.mdx#transport-layer", Must, "a request is answered once");
pub static ID_FRESH: BridgeRule =
    rule("ui/answers/fresh-id", "apps.mdx#transport-layer", Must, "no id is used twice");
pub static ANSWERED: BridgeRule =
    rule("ui/answers/given", "apps.mdx#transport-layer", Must, "every request is answered");
pub static INPUT_ONCE: BridgeRule =
    rule("ui/data/input-once", "apps.mdx#notifications-host--view", Must, "tool-input is sent at most once");
pub static INPUT_FIRST: BridgeRule = rule(
    "ui/data/input-first",
    "apps.mdx#notifications-host--view",
    Must,
    "tool-input comes before tool-result",
);
pub static INPUT_SENT: BridgeRule = rule(
    "ui/data/input-sent",
    "apps.mdx#notifications-host--view",
    Must,
    "a View is told the arguments of its tool call",
);
pub static PARTIAL_BEFORE: BridgeRule = rule(
    "ui/data/partial-before-input",
    "apps.mdx#notifications-host--view",
    Must,
    "partial input stops with tool-input",
);
pub static RESULT_ONCE: BridgeRule = rule(
    "ui/data/result-once",
    "apps.mdx#notifications-host--view",
    Must,
    "the end of the tool call is told once",
);
pub static RESULT_OR_CANCELLED: BridgeRule = rule(
    "ui/data/result-or-cancelled",
    "apps.mdx#2-ui-initialization-desktopnative-hosts",
    Must,
    "a tool call has a result or was cancelled, not both",
);
pub static MODE_OFFERED: BridgeRule = rule(
    "ui/modes/offered",
    "apps.mdx#requirements",
    Must,
    "a View asks only for display modes that the host offers",
);
pub static MODE_DECLARED: BridgeRule = rule(
    "ui/modes/declared",
    "apps.mdx#requirements",
    Must,
    "a View declares the display modes that it asks for",
);
pub static MODE_UNDECLARED: BridgeRule = rule(
    "ui/modes/undeclared",
    "apps.mdx#requirements",
    Must,
    "a host never switches to a display mode that the View did not declare",
);
pub static MODE_ANSWERED: BridgeRule = rule(
    "ui/modes/answered",
    "apps.mdx#requirements",
    Must,
    "the answer to ui/request-display-mode names the resulting mode",
);
pub static MODE_TRUE: BridgeRule = rule(
    "ui/modes/true",
    "apps.mdx#requirements",
    Must,
    "the mode in the answer is the one that the View is in",
);
pub static MODE_KEPT: BridgeRule = rule(
    "ui/modes/kept",
    "apps.mdx#requirements",
    Should,
    "asked for a mode that it does not have, a host answers with the current one",
);
pub static MODE_INITIAL: BridgeRule =
    rule("ui/modes/initial", "apps.mdx#display-modes", Note, "a View begins in a mode that both sides know");
pub static RESERVED: BridgeRule = rule(
    "ui/sandbox/reserved",
    "apps.mdx#reserved-messages-sandbox-proxy",
    Must,
    "sandbox messages stay between host and proxy",
);
pub static PROXY_QUIET: BridgeRule = rule(
    "ui/sandbox/no-own-requests",
    "apps.mdx#sandbox-proxy",
    Should,
    "a proxy makes up no messages of its own",
);
pub static RESOURCE_AFTER_READY: BridgeRule = rule(
    "ui/sandbox/resource-after-ready",
    "apps.mdx#sandbox-proxy",
    Must,
    "the HTML is sent once the proxy is ready",
);
pub static RESOURCE_SENT: BridgeRule =
    rule("ui/sandbox/resource-sent", "apps.mdx#sandbox-proxy", Must, "a proxy that is ready gets the HTML");
pub static PROXY_READY_ONCE: BridgeRule =
    rule("ui/sandbox/ready-once", "apps.mdx#sandbox-proxy", Note, "a proxy is ready once");
pub static HOST_ANNOUNCED: BridgeRule = rule(
    "ui/capabilities/host-announced",
    "apps.mdx#host-capabilities",
    Note,
    "a View uses what the host announced",
);
pub static SAMPLING_ANNOUNCED: BridgeRule = rule(
    "ui/capabilities/sampling-announced",
    "apps.mdx#host-capabilities",
    Must,
    "a View samples only where the host announced it",
);
pub static HOST_KEEPS: BridgeRule =
    rule("ui/capabilities/host-keeps", "apps.mdx#host-capabilities", Should, "a host does what it announced");
pub static APP_ANNOUNCED: BridgeRule = rule(
    "ui/capabilities/app-announced",
    "apps.mdx#app-capabilities-in-uiinitialize",
    Must,
    "a host asks for tools only of a View that declared them",
);
pub static APP_KEEPS: BridgeRule = rule(
    "ui/capabilities/app-keeps",
    "apps.mdx#app-capabilities-in-uiinitialize",
    Must,
    "a View that declares tools answers for them",
);
pub static LIST_CHANGED: BridgeRule = rule(
    "ui/capabilities/list-changed",
    "apps.mdx#host-capabilities",
    Note,
    "changes of a list are told only if that was announced",
);
pub static MODALITY: BridgeRule = rule(
    "ui/capabilities/modality",
    "apps.mdx#host-capabilities",
    Note,
    "a View sends kinds of content that the host takes",
);
pub static CONTEXT_NEW: BridgeRule = rule(
    "ui/context/new",
    "apps.mdx#notifications-host--view",
    Note,
    "host-context-changed says what changed",
);
pub static QUIET_AFTER: BridgeRule =
    rule("ui/teardown/quiet-after", "apps.mdx#4-cleanup", Should, "after the teardown nothing more is said");
pub static TEARDOWN_SENT: BridgeRule = rule(
    "ui/teardown/sent",
    "apps.mdx#notifications-host--view",
    Must,
    "a View is told before it is torn down",
);
pub static TEARDOWN_WAITED: BridgeRule = rule(
    "ui/teardown/waited",
    "apps.mdx#notifications-host--view",
    Should,
    "a host waits for the View to answer the teardown",
);

/// Every rule.
pub static ALL: &[&BridgeRule] = &[
    &JSON_RPC,
    &FOREIGN,
    &METHOD_SPELLED,
    &METHOD_KNOWN,
    &DIRECTION,
    &KIND,
    &SHAPE,
    &SPELLING,
    &SENSE,
    &SIZE,
    &HOST_CONTEXT,
    &PROTOCOL_VERSION,
    &INITIALIZE_FIRST,
    &INITIALIZE_AWAITED,
    &INITIALIZE_ONCE,
    &INITIALIZED_AFTER,
    &INITIALIZED_ONCE,
    &HOST_QUIET,
    &ANSWER_KNOWN,
    &ANSWERED_ONCE,
    &ID_FRESH,
    &ANSWERED,
    &INPUT_ONCE,
    &INPUT_FIRST,
    &INPUT_SENT,
    &PARTIAL_BEFORE,
    &RESULT_ONCE,
    &RESULT_OR_CANCELLED,
    &MODE_OFFERED,
    &MODE_DECLARED,
    &MODE_UNDECLARED,
    &MODE_ANSWERED,
    &MODE_TRUE,
    &MODE_KEPT,
    &MODE_INITIAL,
    &RESERVED,
    &PROXY_QUIET,
    &RESOURCE_AFTER_READY,
    &RESOURCE_SENT,
    &PROXY_READY_ONCE,
    &HOST_ANNOUNCED,
    &SAMPLING_ANNOUNCED,
    &HOST_KEEPS,
    &APP_ANNOUNCED,
    &APP_KEEPS,
    &LIST_CHANGED,
    &MODALITY,
    &CONTEXT_NEW,
    &QUIET_AFTER,
    &TEARDOWN_SENT,
    &TEARDOWN_WAITED,
];

const fn rule(id: &'static str, place: &'static str, gravity: Gravity, about: &'static str) -> BridgeRule {
    BridgeRule { id, place, gravity, about }
}

/// The rule of that id.
pub fn named(id: &str) -> Option<&'static BridgeRule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_lead_to_their_rules() {
        let ids: HashSet<_> = ALL.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for rule in ALL {
            assert_eq!(named(rule.id), Some(*rule));
            assert!(rule.id.starts_with("ui/") && rule.place.starts_with("apps.mdx#"));
        }
    }
}
