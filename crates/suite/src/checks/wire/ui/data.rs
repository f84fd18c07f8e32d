//! What a View is told of its tool call.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::about;
use crate::{Check, On, Run, must};

pub(in crate::checks) const CHECKS: &[Check] = &[TOOL_DATA];

const TOOL_DATA: Check = Check {
    id: "wire/ui/host-tool-data",
    title: "input comes once and before the result, partial input before that, and the call ends once",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["mcp-apps-life-01", "mcp-apps-life-02", "mcp-apps-life-03", "mcp-apps-life-04"],
    why: "a View renders what it is told last: out of order it shows what is half, old or wrong",
    fix: "send tool-input once, stop partial input there, then send either tool-result or tool-cancelled",
    on: On::Bridge,
    run: Run::Wire(|cx| {
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
