//! How a View ends.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::{about, has_end};
use crate::{Check, Finding, On, Run, Verdict, WireCx, advised, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[TOLD, AWAITED, QUIET];

const TOLD: Check = Check {
    id: "wire/ui/host-teardown",
    title: "a host tells a View before it tears it down",
    cites: &[must("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &["mcp-apps-life-05"],
    why: "what the user did in the View is lost, for it had no chance to save it",
    fix: "send ui/resource-teardown before the frame goes, whatever the reason",
    on: On::Bridge,
    run: Run::Wire(|cx| ended(cx, |cx| super::must(cx, &[&rule::TEARDOWN_SENT]))),
    fault: &fault::TEARDOWN_UNTOLD,
};

const AWAITED: Check = Check {
    id: "wire/ui/host-teardown-awaited",
    title: "a host waits for the answer to the teardown",
    cites: &[should("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "a View that is saving is cut off half way",
    fix: "wait for the answer, with a limit, before the frame goes",
    on: On::Bridge,
    run: Run::Wire(|cx| {
        ended(cx, |cx| about(cx, &[TEARDOWN], |cx| super::should(cx, &[&rule::TEARDOWN_WAITED])))
    }),
    fault: &fault::TEARDOWN_HASTY,
};

const QUIET: Check = Check {
    id: "wire/ui/quiet-after-teardown",
    title: "after the teardown nothing more is said",
    cites: &[advised("apps.mdx#4-cleanup", Span::ALWAYS)],
    aliases: &[],
    why: "nobody listens any more, and what is said is lost",
    fix: "a host sends nothing but answers after ui/resource-teardown, a View nothing after its answer",
    on: On::Bridge,
    run: Run::Wire(|cx| about(cx, &[TEARDOWN], |cx| super::should(cx, &[&rule::QUIET_AFTER]))),
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
