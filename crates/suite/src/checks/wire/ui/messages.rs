//! Single messages of the bridge, and the responses to them.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::about;
use crate::{Applies, Check, Run, Sides, defined, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[JSON_RPC, SHAPE, ANSWERED, CONTEXT];

/// View and host speak JSON-RPC 2.0 over postMessage.
const JSON_RPC: Check = Check {
    id: "wire/ui/json-rpc",
    title: "messages of the bridge are JSON-RPC 2.0, requests with an id and notifications without",
    cites: &[defined("apps.mdx#communication-protocol", Span::ALWAYS)],
    aliases: &[],
    why: "the other side cannot tell the message from those of browser extensions, and drops it",
    fix: "post an object with jsonrpc \"2.0\"; give requests an id, and notifications none",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Either, |cx| super::must(cx, &[&rule::JSON_RPC, &rule::KIND])),
    fault: &fault::NOT_JSON_RPC,
};

/// The extension defines its messages: their methods, who sends them, and the types of their members. ui/initialize
/// must have `appCapabilities`.
const SHAPE: Check = Check {
    id: "wire/ui/message-shape",
    title: "messages of the bridge have a defined method, direction and shape",
    cites: &[
        defined("apps.mdx#mcp-apps-specific-messages", Span::ALWAYS),
        must("apps.mdx#app-capabilities-in-uiinitialize", Span::ALWAYS),
    ],
    aliases: &[
        "mcp-apps-life-06",
        "mcp-apps-life-07",
        "mcp-apps-ctx-01",
        "mcp-apps-ctx-04",
        "mcp-apps-ctx-05",
        "mcp-apps-ctx-06",
        "mcp-apps-req-01",
        "mcp-apps-req-02",
        "mcp-apps-req-03",
        "mcp-apps-req-04",
    ],
    why: "a typed receiver drops the whole message when one member is missing",
    fix: "compare the message with the definition that is named, member by member",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Either, |cx| {
        super::must(cx, &[&rule::SHAPE, &rule::SIZE, &rule::METHOD_SPELLED, &rule::DIRECTION])
    }),
    fault: &fault::SHAPE_WRONG,
};

/// The transport layer carries JSON-RPC 2.0, in which each request gets one response, with its id.
pub(crate) const ANSWERED: Check = Check {
    id: "wire/ui/answered-once",
    title: "every request is answered once, with its id",
    cites: &[defined("apps.mdx#transport-layer", Span::ALWAYS)],
    aliases: &[],
    why: "a surplus response is taken for that to another request, and a missing one is waited for",
    fix: "keep the ids of open requests, zero and strings included, and answer each of them once",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Either, |cx| {
        super::must(cx, &[&rule::ANSWER_KNOWN, &rule::ANSWERED_ONCE, &rule::ID_FRESH, &rule::ANSWERED])
    }),
    fault: &fault::ANSWERED_TWICE,
};

/// The result of ui/initialize should have `hostContext`, with theme, size and more of the kind.
const CONTEXT: Check = Check {
    id: "wire/ui/host-context-told",
    title: "the response to ui/initialize has a hostContext",
    cites: &[should("apps.mdx#host-context-in-mcpuiinitializeresult", Span::ALWAYS)],
    aliases: &[],
    why: "a View that does not know theme and size looks out of place",
    fix: "put hostContext into the result, with what you know",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| {
        about(cx, &["ui/initialize"], |cx| super::should(cx, &[&rule::HOST_CONTEXT]))
    }),
    fault: &fault::CONTEXT_MISSING,
};
