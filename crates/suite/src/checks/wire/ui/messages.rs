//! Messages by themselves, and their answers.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::about;
use crate::{Check, On, Run, defined, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[JSON_RPC, SHAPE, ANSWERED, CONTEXT];

const JSON_RPC: Check = Check {
    id: "wire/ui/json-rpc",
    title: "what is posted is JSON-RPC 2.0, requests with an id and notifications without",
    cites: &[defined("apps.mdx#communication-protocol", Span::ALWAYS)],
    aliases: &[],
    why: "the other end cannot tell the message from those of browser extensions, and drops it",
    fix: "post an object with jsonrpc \"2.0\"; give requests an id, and notifications none",
    on: On::Bridge,
    run: Run::Wire(|cx| super::must(cx, &[&rule::JSON_RPC, &rule::KIND])),
    fault: &fault::NOT_JSON_RPC,
};

const SHAPE: Check = Check {
    id: "wire/ui/message-shape",
    title: "messages of the bridge are spelled, directed and made as they are defined",
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
    why: "whoever reads the message with types drops all of it when one member is missing",
    fix: "compare the message with the definition that is named, member by member",
    on: On::Bridge,
    run: Run::Wire(|cx| {
        super::must(cx, &[&rule::SHAPE, &rule::SIZE, &rule::METHOD_SPELLED, &rule::DIRECTION])
    }),
    fault: &fault::SHAPE_WRONG,
};

const ANSWERED: Check = Check {
    id: "wire/ui/answered-once",
    title: "every request is answered once, by its id",
    cites: &[defined("apps.mdx#transport-layer", Span::ALWAYS)],
    aliases: &[],
    why: "an answer too many is taken for the answer to something else, and one that is missing is waited for",
    fix: "keep the ids that wait, zero and strings included, and answer each of them once",
    on: On::Bridge,
    run: Run::Wire(|cx| {
        super::must(cx, &[&rule::ANSWER_KNOWN, &rule::ANSWERED_ONCE, &rule::ID_FRESH, &rule::ANSWERED])
    }),
    fault: &fault::ANSWERED_TWICE,
};

const CONTEXT: Check = Check {
    id: "wire/ui/host-context-told",
    title: "the answer to ui/initialize tells of the surroundings",
    cites: &[should("apps.mdx#host-context-in-mcpuiinitializeresult", Span::ALWAYS)],
    aliases: &[],
    why: "a View that knows neither theme nor room looks out of place until it is told",
    fix: "put hostContext into the result, with what you know",
    on: On::Bridge,
    run: Run::Wire(|cx| about(cx, &["ui/initialize"], |cx| super::should(cx, &[&rule::HOST_CONTEXT]))),
    fault: &fault::CONTEXT_MISSING,
};
