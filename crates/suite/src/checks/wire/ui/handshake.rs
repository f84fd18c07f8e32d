//! How a View begins.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use crate::{Check, On, Run, advised, defined, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[VIEW_INITIALIZES, VIEW_WAITS, HOST_QUIET];

const VIEW_INITIALIZES: Check = Check {
    id: "wire/ui/view-initializes",
    title: "a View begins with ui/initialize, once, and says initialized after the answer",
    cites: &[defined("apps.mdx#lifecycle", Span::ALWAYS)],
    aliases: &[],
    why: "a host that has not heard of the View yet refuses what it asks, or never sends it any data",
    fix: "send ui/initialize first, wait for its result, then send ui/notifications/initialized",
    on: On::Bridge,
    run: Run::Wire(|cx| {
        super::must(cx, &[&rule::INITIALIZE_FIRST, &rule::INITIALIZE_ONCE, &rule::INITIALIZED_AFTER])
    }),
    fault: &fault::INITIALIZES_TWICE,
};

const VIEW_WAITS: Check = Check {
    id: "wire/ui/view-waits",
    title: "a View asks for nothing before ui/initialize is answered",
    cites: &[advised("apps.mdx#lifecycle", Span::ALWAYS)],
    aliases: &[],
    why: "it cannot know yet what the host is able to do",
    fix: "wait for the result of ui/initialize",
    on: On::Bridge,
    run: Run::Wire(|cx| super::should(cx, &[&rule::INITIALIZE_AWAITED])),
    fault: &fault::VIEW_IMPATIENT,
};

const HOST_QUIET: Check = Check {
    id: "wire/ui/host-quiet-first",
    title: "a host sends nothing but answers before the handshake is over",
    cites: &[must_not("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "a View that does not listen yet misses the data of its tool call, and stays empty",
    fix: "queue everything until ui/notifications/initialized came",
    on: On::Bridge,
    run: Run::Wire(|cx| super::must(cx, &[&rule::HOST_QUIET])),
    fault: &fault::HOST_TOO_EARLY,
};
