//! Messages between the host and its sandbox proxy.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::about;
use crate::{Applies, Check, Run, Sides, defined, must, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[RESERVED, HTML_AFTER_READY, PROXY_QUIET];

/// Messages whose method starts with `ui/notifications/sandbox-` are reserved for host and sandbox proxy.
const RESERVED: Check = Check {
    id: "wire/ui/reserved",
    title: "View and host never send each other messages that are reserved for the sandbox",
    cites: &[defined("apps.mdx#reserved-messages-sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "a View that can speak as the proxy makes the host load other HTML, or load it for ever",
    fix: "let the proxy drop ui/notifications/sandbox-* from the View, and send them only to the proxy",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Either, |cx| super::must(cx, &[&rule::RESERVED])),
    fault: &fault::RESERVED_SPOKEN,
};

/// The sandbox must announce that it is ready. Only then the host must send it the HTML.
const HTML_AFTER_READY: Check = Check {
    id: "wire/ui/host-html-after-ready",
    title: "the host sends the HTML once the sandbox proxy is ready",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &["mcp-apps-sbox-01"],
    why: "a proxy that does not listen yet loses the HTML, and the View stays empty",
    fix: "wait for ui/notifications/sandbox-proxy-ready",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| {
        about(cx, &[HTML], |cx| super::must(cx, &[&rule::RESOURCE_AFTER_READY]))
    }),
    fault: &fault::HTML_TOO_EARLY,
};

/// Apart from its own notifications, the sandbox must pass on every message, and should not make requests of its own.
const PROXY_QUIET: Check = Check {
    id: "wire/ui/host-proxy-quiet",
    title: "the sandbox proxy sends no requests of its own",
    cites: &[should_not("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "its ids collide with those of the View, and answers go astray",
    fix: "forward the messages of host and View, and send nothing else",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| about(cx, &[READY], |cx| super::should(cx, &[&rule::PROXY_QUIET]))),
    fault: &fault::PROXY_ASKS,
};

const HTML: &str = "ui/notifications/sandbox-resource-ready";
const READY: &str = "ui/notifications/sandbox-proxy-ready";
