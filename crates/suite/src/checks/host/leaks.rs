//! Ways to the network that leave the document, or that a content security policy does not govern.

use protocol::Span;
use serde_json::Value;

use crate::host::faults;
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, advice, must};

pub(in crate::checks) const CHECKS: &[Check] = &[LEAVING, WEBRTC, HINTS, NAMES];

/// Connections to undeclared domains must be blocked, also those that lead a window there.
const LEAVING: Check = Check {
    id: "host/leaks/leaving-blocked",
    title: "a View leads neither the page nor a new window to an origin that it did not declare",
    cites: &[must("apps.mdx#4-content-security-policy-enforcement", Span::ALWAYS)],
    aliases: &[],
    why: "the address alone carries away whatever the View knows",
    fix: "leave allow-popups, allow-top-navigation and form-action out, and offer ui/open-link",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let came = cx.shown("leaks")?.undeclared_hits.first();
        expect_none(came, |path| Finding::violated("no request", format!("{path} was asked for")))?;
        cx.scene("leaks").map(drop)
    }),
    fault: &faults::LEAVING_ALLOWED.fault,
};

/// No directive of a content security policy governs WebRTC in every browser.
const WEBRTC: Check = Check {
    id: "host/leaks/webrtc-blocked",
    title: "a View reaches no host by WebRTC",
    cites: &[advice("apps.mdx#4-content-security-policy-enforcement", Span::ALWAYS)],
    aliases: &[],
    why: "the name of a STUN server carries data to whoever runs it",
    fix: "send Connection-Allowlist, or webrtc 'block' where the browser knows it",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let heard = cx.scene("leaks")?.datagrams;
        expect_none((heard > 0).then_some(heard), |heard| {
            Finding::violated("no datagram", format!("{heard} came"))
        })
    }),
    fault: &faults::SIDE_WAYS_OPEN.fault,
};

/// Hints such as preconnect open connections before anything is asked for.
const HINTS: Check = Check {
    id: "host/leaks/hints-blocked",
    title: "a View opens no connection by hints to the browser",
    cites: &[advice("apps.mdx#4-content-security-policy-enforcement", Span::ALWAYS)],
    aliases: &[],
    why: "a name that is looked up carries data",
    fix: "send Connection-Allowlist and x-dns-prefetch-control: off",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let came = cx.scene("leaks")?.hinted;
        expect_none((came > 0).then_some(came), |came| {
            Finding::violated("no connection", format!("{came} came"))
        })
    }),
    fault: &faults::NO_POLICY.fault,
};

/// The lookup of a name is a message to whoever runs its name server. No directive of a content security policy governs it.
const NAMES: Check = Check {
    id: "host/leaks/names-kept",
    title: "no name is looked up that a View did not declare",
    cites: &[advice("apps.mdx#4-content-security-policy-enforcement", Span::ALWAYS)],
    aliases: &[],
    why: "a name carries data to whoever runs its name server",
    fix: "send Connection-Allowlist and x-dns-prefetch-control: off",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let names = cx.act_result("leaks", "names")?.as_array().map(Vec::as_slice).unwrap_or_default();
        expect_none(names.first(), |_| {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
            Finding::violated("no lookup", format!("names were looked up by {}", names.join(", ")))
        })?;
        cx.scene("leaks").map(drop)
    }),
    fault: &faults::SIDE_WAYS_OPEN.fault,
};
