//! The handshake between View and host.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use crate::{Applies, Check, Run, Sides, advised, defined, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[VIEW_INITIALIZES, VIEW_WAITS, HOST_QUIET];

/// Lifecycle: a View sends ui/initialize, and after the response ui/notifications/initialized.
const VIEW_INITIALIZES: Check = Check {
    id: "wire/ui/view-initializes",
    title: "a View begins with one ui/initialize, and sends initialized after the response",
    cites: &[defined("apps.mdx#lifecycle", Span::ALWAYS)],
    aliases: &[],
    why: "without a handshake the host refuses the View's requests, or never sends it any data",
    fix: "send ui/initialize first, wait for its result, then send ui/notifications/initialized",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Client, |cx| {
        super::must(cx, &[&rule::INITIALIZE_FIRST, &rule::INITIALIZE_ONCE, &rule::INITIALIZED_AFTER])
    }),
    fault: &fault::INITIALIZES_TWICE,
};

/// Lifecycle: the response to ui/initialize comes before anything else that a View does. That it waits for it is
/// implied.
const VIEW_WAITS: Check = Check {
    id: "wire/ui/view-waits",
    title: "a View sends no other request before ui/initialize is answered",
    cites: &[advised("apps.mdx#lifecycle", Span::ALWAYS)],
    aliases: &[],
    why: "the View cannot know yet what the host supports",
    fix: "wait for the result of ui/initialize",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Client, |cx| super::should(cx, &[&rule::INITIALIZE_AWAITED])),
    fault: &fault::VIEW_IMPATIENT,
};

/// Sandbox proxy: a host must not send anything to the View before ui/notifications/initialized. Responses are
/// excepted.
const HOST_QUIET: Check = Check {
    id: "wire/ui/host-quiet-first",
    title: "a host sends only responses before the handshake is complete",
    cites: &[must_not("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "a View that does not listen yet misses the data of its tool call, and stays empty",
    fix: "queue everything until ui/notifications/initialized has arrived",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| super::must(cx, &[&rule::HOST_QUIET])),
    fault: &fault::HOST_TOO_EARLY,
};
