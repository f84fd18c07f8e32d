//! The app as a page: that it shows something, and nothing breaks in it.

use protocol::Span;
use server::fault::view as fault;

use super::csp::is_of_eval;
use super::{PLAIN, survives};
use crate::app::rows::{STRICT, name};
use crate::app::{RowFinding, first_line};
use crate::{AppCx, Applies, Check, Finding, Run, Verdict, Viewing, advice};

pub(in crate::checks) const CHECKS: &[Check] = &[SHOWS, EXCEPTIONS, CONSOLE, BUTTONS];

/// An app is there to be seen, also in hosts that send no styles.
pub(super) const SHOWS: Check = Check {
    id: "app/page/shows-something",
    title: "an app shows something in every host",
    cites: &[advice("apps.mdx#theming", Span::ALWAYS)],
    aliases: &[],
    why: "the user looks at an empty box",
    fix: "show something at once, be it that the app waits; have a value of your own for every variable that you use",
    applies: Applies::ToViews,
    run: Run::App(name::WITH_CONTENT, |cx| {
        cx.judge(name::WITH_CONTENT, "a text, a picture or a control", |viewing| {
            let blank = viewing.facts.as_ref().is_some_and(|facts| facts.shown == 0);
            blank.then(|| RowFinding::new("nothing that a person could see"))
        })
    }),
    fault: &fault::BLANK,
};

/// Nobody catches such an error, so whatever was to come after it does not happen.
const EXCEPTIONS: Check = Check {
    id: "app/page/no-uncaught-errors",
    title: "an app runs without uncaught errors and unhandled rejections",
    cites: &[advice(
        "https://developer.mozilla.org/en-US/docs/Web/API/Window/unhandledrejection_event",
        Span::ALWAYS,
    )],
    aliases: &[],
    why: "a part of the app has stopped, and neither the user nor the host is told",
    fix: "catch the error where it occurs, and show or log it",
    applies: Applies::ToViews,
    run: Run::App(PLAIN, exceptions),
    fault: &fault::UNCAUGHT_ERROR,
};

/// An app that writes errors in a host that does nothing unusual has something to mend.
const CONSOLE: Check = Check {
    id: "app/page/no-console-errors",
    title: "an app writes no errors on its console",
    cites: &[advice("https://developer.mozilla.org/en-US/docs/Web/API/console/error_static", Span::ALWAYS)],
    aliases: &[],
    why: "among errors that do not matter nobody sees the one that does",
    fix: "fix what is reported; log what is not an error with another level",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT, name::DARK, name::PHONE], console),
    fault: &fault::CONSOLE_ERROR,
};

/// A host may deny what a button asks for.
const BUTTONS: Check = Check {
    id: "app/page/buttons-survive",
    title: "no button of an app leads to an uncaught error, though the host denies what it may",
    cites: &[advice("apps.mdx#requests-view--host", Span::ALWAYS)],
    aliases: &[],
    why: "the button does nothing, and the user never learns why",
    fix: "catch the errors of what a button starts, and show them beside it",
    applies: Applies::ToViews,
    run: Run::App(&[name::PRESSED], |cx| {
        survives(cx, &[name::PRESSED], "no uncaught error when a button is pressed")
    }),
    fault: &fault::BUTTON_BREAKS,
};

/// What cannot be reached from here may be all that is wrong.
fn without_network(cx: &AppCx<'_>, rows: &[&str], verdict: Verdict) -> Verdict {
    let Err(Finding::Violated(evidence)) = &verdict else { return verdict };
    let viewings = rows.iter().filter_map(|row| cx.row(row));
    match viewings.flat_map(Viewing::failed_network_requests).next() {
        Some(request) => Err(Finding::blocked(format!(
            "{} cannot be reached from here, which may be why there was {}",
            request.url, evidence.actual
        ))),
        None => verdict,
    }
}

fn exceptions(cx: &AppCx<'_>) -> Verdict {
    let verdict = cx.judge(PLAIN, "no uncaught error", |viewing| {
        let errors = viewing.exceptions.iter().map(String::as_str).filter(|error| !is_of_eval(error));
        let errors: Vec<&str> = errors.collect();
        let first = errors.first()?;
        Some(RowFinding::new(format!("an uncaught error: {}", first_line(first))).with_lines(errors))
    });
    without_network(cx, PLAIN, verdict)
}

fn console(cx: &AppCx<'_>) -> Verdict {
    let rows = [STRICT, name::DARK, name::PHONE];
    let verdict = cx.judge(&rows, "no line of the level error", |viewing| {
        let lines = viewing.console.iter().filter(|line| matches!(line.level.as_str(), "error" | "assert"));
        let texts: Vec<&str> =
            lines.map(|line| line.text.as_str()).filter(|text| !is_of_eval(text)).collect();
        let first = texts.first()?;
        Some(RowFinding::new(format!("console.error: {}", first_line(first))).with_lines(texts))
    });
    without_network(cx, &rows, verdict)
}
