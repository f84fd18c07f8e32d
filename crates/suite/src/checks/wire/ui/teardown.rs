//! Teardown: how a View ends.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::{about, has_end};
use crate::{Applies, Check, Finding, Run, Sides, Verdict, WireCx, advised, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[TOLD, AWAITED, QUIET];

/// A host must send ui/resource-teardown before it removes the View.
const TOLD: Check = Check {
    id: "wire/ui/host-teardown",
    title: "a host tells a View before it tears it down",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["mcp-apps-life-05"],
    why: "the View has no chance to save what the user did in it",
    fix: "send ui/resource-teardown before you remove the frame, whatever the reason",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| ended(cx, |cx| super::must(cx, &[&rule::TEARDOWN_SENT]))),
    fault: &fault::TEARDOWN_UNTOLD,
};

/// A host should wait for the response to ui/resource-teardown before it removes the View.
const AWAITED: Check = Check {
    id: "wire/ui/host-teardown-awaited",
    title: "a host waits for the response to the teardown",
    cites: &[should("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "a View that is still saving is cut off",
    fix: "wait for the response, with a time limit, before you remove the frame",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| {
        ended(cx, |cx| about(cx, &[TEARDOWN], |cx| super::should(cx, &[&rule::TEARDOWN_WAITED])))
    }),
    fault: &fault::TEARDOWN_HASTY,
};

/// Cleanup: the teardown is the last exchange. That nothing but responses follows it is implied.
const QUIET: Check = Check {
    id: "wire/ui/quiet-after-teardown",
    title: "after the teardown nothing more is said",
    cites: &[advised("apps.mdx#4-cleanup", Span::ALWAYS)],
    aliases: &[],
    why: "the other side no longer listens, and the message is lost",
    fix: "a host sends only responses after ui/resource-teardown, a View nothing after its response",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Either, |cx| about(cx, &[TEARDOWN], |cx| super::should(cx, &[&rule::QUIET_AFTER]))),
    fault: &fault::TALKS_ON,
};

const TEARDOWN: &str = "ui/resource-teardown";

/// Judges sessions whose record says that the View was torn down.
fn ended(cx: &WireCx<'_>, judge: impl FnOnce(&WireCx<'_>) -> Verdict) -> Verdict {
    if has_end(cx) {
        return judge(cx);
    }
    Err(Finding::not_applicable("the record does not say that the View was torn down"))
}
