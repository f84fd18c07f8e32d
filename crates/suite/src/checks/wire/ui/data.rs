//! The tool call that a View belongs to: the order in which the host sends its input and result.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::about;
use crate::{Applies, Check, Run, Sides, must};

pub(in crate::checks) const CHECKS: &[Check] = &[TOOL_DATA];

/// After the handshake a host must send the complete tool input, once, before the result. Partial input may come only
/// before it. The call ends with either a result or a cancellation.
const TOOL_DATA: Check = Check {
    id: "wire/ui/host-tool-data",
    title: "input comes once and before the result, partial input before that, and the call ends once",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["mcp-apps-life-01", "mcp-apps-life-02", "mcp-apps-life-03", "mcp-apps-life-04"],
    why: "a View renders the last thing that it gets: out of order, that is incomplete, old or wrong",
    fix: "send tool-input once, stop partial input there, then send either tool-result or tool-cancelled",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| {
        about(cx, TOLD, |cx| {
            super::must(
                cx,
                &[
                    &rule::INPUT_ONCE,
                    &rule::INPUT_FIRST,
                    &rule::PARTIAL_BEFORE,
                    &rule::RESULT_ONCE,
                    &rule::RESULT_OR_CANCELLED,
                ],
            )
        })
    }),
    fault: &fault::INPUT_TWICE,
};

const TOLD: &[&str] = &[
    "ui/notifications/tool-input",
    "ui/notifications/tool-input-partial",
    "ui/notifications/tool-result",
    "ui/notifications/tool-cancelled",
];
