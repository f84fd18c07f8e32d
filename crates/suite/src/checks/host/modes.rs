//! Display modes.

use protocol::Span;

use crate::host::{faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, advice, defined, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] = &[ANSWERED, CHANGE_TOLD, LEFT_AGAIN, UNDECLARED, UNAVAILABLE];

/// The answer to ui/request-display-mode must name the resulting mode, changed or not.
const ANSWERED: Check = Check {
    id: "host/modes/answered",
    title: "ui/request-display-mode is answered with the resulting mode",
    cites: &[must("apps.mdx#requirements", Span::ALWAYS)],
    aliases: &["display/return-resulting-mode", "mcp-apps-ctx-03"],
    why: "a View does not know how much room it has",
    fix: "answer {mode} with the mode that the View is in after the request",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        for attempt in ["modeFullscreen", "modeInline"] {
            let answer = cx.answer("basic", attempt)?;
            let mode = answer["result"]["mode"].as_str();
            if !mode.is_some_and(|mode| ["inline", "fullscreen", "pip"].contains(&mode)) {
                return Err(Finding::violated("a result with a mode", shorten(answer)));
            }
        }
        Ok(())
    }),
    fault: &faults::MODE_UNANSWERED.fault,
};

/// Hosts tell of changes of the display mode by host-context-changed with displayMode.
const CHANGE_TOLD: Check = Check {
    id: "host/modes/change-told",
    title: "a View is told that its display mode changed",
    cites: &[defined("apps.mdx#notifying-changes", Span::ALWAYS)],
    aliases: &[],
    why: "a View that listens for changes keeps the layout of the mode that it left",
    fix: "send ui/notifications/host-context-changed with displayMode whenever the mode changes",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        if cx.answer("basic", "modeFullscreen")?["result"]["mode"] != "fullscreen" {
            return Err(Finding::not_applicable("the host did not switch to fullscreen"));
        }
        let mut told = cx.scene("basic")?.messages_with_method("ui/notifications/host-context-changed");
        if told.any(|it| it["params"]["displayMode"] == "fullscreen") {
            return Ok(());
        }
        Err(Finding::violated("a change with the displayMode fullscreen", "it never came"))
    }),
    fault: &faults::MODE_UNTOLD.fault,
};

/// No sentence says that a mode can be left. One that cannot holds its user.
const LEFT_AGAIN: Check = Check {
    id: "host/modes/left-again",
    title: "a View that was switched to fullscreen can go back",
    cites: &[advice("apps.mdx#requirements", Span::ALWAYS)],
    aliases: &[],
    why: "the conversation stays hidden behind the app",
    fix: "grant the mode that the View came from, whatever else you refuse",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let before = cx.scene("basic")?.fact("modeBefore");
        let switched = cx.answer("basic", "modeFullscreen")?["result"]["mode"] == "fullscreen";
        if !switched || before != "inline" {
            return Err(Finding::not_applicable("the View was not switched from inline to fullscreen"));
        }
        let answer = cx.answer("basic", "modeInline")?;
        if answer["result"]["mode"] == "inline" {
            return Ok(());
        }
        Err(Finding::violated("the mode inline", shorten(answer)))
    }),
    fault: &faults::MODE_STUCK.fault,
};

/// A host must not switch a View to a mode that is not among those that the View declared.
const UNDECLARED: Check = Check {
    id: "host/modes/undeclared-refused",
    title: "a View is not switched to a mode that it did not declare",
    cites: &[must_not("apps.mdx#requirements", Span::ALWAYS)],
    aliases: &["display/no-undeclared-mode", "display/decline-undeclared", "mcp-apps-ctx-02"],
    why: "a View in a mode that it was not made for is cut off or empty",
    fix: "compare with appCapabilities.availableDisplayModes of ui/initialize",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("basic")?;
        let granted = cx.answer("basic", "modePip")?["result"]["mode"] == "pip";
        let told = scene
            .messages_with_method("ui/notifications/host-context-changed")
            .find(|it| it["params"]["displayMode"] == "pip");
        expect_none((granted || told.is_some()).then_some(()), |()| {
            Finding::violated("another mode than pip", "the View was switched to pip")
        })
    }),
    fault: &faults::MODE_UNDECLARED.fault,
};

/// Asked for a mode that is not available, a host should answer with the current one.
const UNAVAILABLE: Check = Check {
    id: "host/modes/unavailable-current",
    title: "asked for a mode that is not available, the host answers with the current one",
    cites: &[should("apps.mdx#requirements", Span::ALWAYS)],
    aliases: &["display/unavailable-returns-current"],
    why: "a View that gets an error does not know in which mode it is",
    fix: "answer with a result that names the mode that the View is in",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let current = cx.scene("basic")?.fact("modeBefore");
        let answer = cx.answer("basic", "modePip")?;
        if answer["result"]["mode"] == "pip" {
            return Err(Finding::blocked_by(UNDECLARED.id, "the View was switched to pip"));
        }
        if answer["result"]["mode"] == *current {
            return Ok(());
        }
        Err(Finding::violated(format!("the mode {current}"), shorten(answer)))
    }),
    fault: &faults::MODE_FAILED.fault,
};
