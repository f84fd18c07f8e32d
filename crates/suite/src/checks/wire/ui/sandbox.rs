//! What is between host and sandbox proxy.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::about;
use crate::{Check, On, Run, defined, must, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[RESERVED, HTML_AFTER_READY, PROXY_QUIET];

const RESERVED: Check = Check {
    id: "wire/ui/reserved",
    title: "View and host never send each other the messages of the sandbox",
    cites: &[defined("apps.mdx#reserved-messages-sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "a View that can speak as the proxy makes the host load other HTML, or load it for ever",
    fix: "drop ui/notifications/sandbox-* from the View in the proxy, and send it to the proxy alone",
    on: On::Bridge,
    run: Run::Wire(|cx| super::must(cx, &[&rule::RESERVED])),
    fault: &fault::RESERVED_SPOKEN,
};

const HTML_AFTER_READY: Check = Check {
    id: "wire/ui/host-html-after-ready",
    title: "the host sends the HTML once the sandbox proxy is ready",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &["mcp-apps-sbox-01"],
    why: "a proxy that does not listen yet loses the HTML, and the View stays empty",
    fix: "wait for ui/notifications/sandbox-proxy-ready",
    on: On::Bridge,
    run: Run::Wire(|cx| about(cx, &[HTML], |cx| super::must(cx, &[&rule::RESOURCE_AFTER_READY]))),
    fault: &fault::HTML_TOO_EARLY,
};

const PROXY_QUIET: Check = Check {
    id: "wire/ui/host-proxy-quiet",
    title: "the sandbox proxy makes up no requests of its own",
    cites: &[should_not("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "its ids collide with those of the View, and answers go astray",
    fix: "pass on what host and View say, and say nothing else",
    on: On::Bridge,
    run: Run::Wire(|cx| about(cx, &[READY], |cx| super::should(cx, &[&rule::PROXY_QUIET]))),
    fault: &fault::PROXY_ASKS,
};

const HTML: &str = "ui/notifications/sandbox-resource-ready";
const READY: &str = "ui/notifications/sandbox-proxy-ready";
