//! Display modes: which ones a View may ask for, and what a host answers.

use protocol::Span;
use protocol::apps::rule;
use server::fault::bridge as fault;

use super::about;
use crate::{Applies, Check, Run, Sides, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] = &[VIEW_MODES, HOST_MODES, MODE_KEPT];

/// A View must declare every display mode that it supports, and must ask only for modes that the host offers.
const VIEW_MODES: Check = Check {
    id: "wire/ui/view-modes",
    title: "a View asks only for display modes that it declared and the host offers",
    cites: &[must("apps.mdx#requirements", Span::ALWAYS)],
    aliases: &[],
    why: "the button that asks for it does nothing, or the host refuses",
    fix: "declare availableDisplayModes, and look into hostContext.availableDisplayModes before you ask",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Client, |cx| {
        about(cx, &[ASKED], |cx| super::must(cx, &[&rule::MODE_OFFERED, &rule::MODE_DECLARED]))
    }),
    fault: &fault::MODE_NOT_OFFERED,
};

/// A host must not switch a View to a mode that the View did not declare. Its answer to a request must name the
/// resulting mode, whether it changed or not.
const HOST_MODES: Check = Check {
    id: "wire/ui/host-modes",
    title: "a host never switches to an undeclared mode, and answers with the resulting mode",
    cites: &[must_not("apps.mdx#requirements", Span::ALWAYS)],
    aliases: &["mcp-apps-ctx-02", "mcp-apps-ctx-03"],
    why: "a View in a mode that it was not made for is cut off or empty",
    fix: "intersect with appCapabilities.availableDisplayModes, and answer with the mode that the View is in now",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| {
        about(cx, &[ASKED, CHANGED], |cx| {
            super::must(cx, &[&rule::MODE_UNDECLARED, &rule::MODE_ANSWERED, &rule::MODE_TRUE])
        })
    }),
    fault: &fault::MODE_UNDECLARED,
};

/// If a View asks for a mode that is not available, the host should answer with the current one.
const MODE_KEPT: Check = Check {
    id: "wire/ui/host-mode-kept",
    title: "asked for a mode that it does not have, a host answers with the current one",
    cites: &[should("apps.mdx#requirements", Span::ALWAYS)],
    aliases: &[],
    why: "a View believes the answer, and lays itself out for a mode that it is not in",
    fix: "answer with the current mode when the one that was asked for is not offered",
    applies: Applies::BetweenViewAndHost,
    run: Run::Wire(Sides::Server, |cx| about(cx, &[ASKED], |cx| super::should(cx, &[&rule::MODE_KEPT]))),
    fault: &fault::MODE_GIVEN_ANYWAY,
};

const ASKED: &str = "ui/request-display-mode";
const CHANGED: &str = "ui/notifications/host-context-changed";
