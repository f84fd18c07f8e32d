//! What people need who do not see the app, or do not use a mouse.

use protocol::Span;
use server::fault::view as fault;

use super::page::SHOWS;
use super::{facts_of, judge_document, listed};
use crate::app::rows::STRICT;
use crate::{AppCx, Applies, Check, DocumentFacts, Finding, Run, Verdict, advice};

pub(in crate::checks) const CHECKS: &[Check] = &[LANGUAGE, TITLE, NAMES, KEYBOARD, MAIN];

/// WCAG 3.1.1: the language of a page can be found out by a program.
const LANGUAGE: Check = Check {
    id: "app/access/language",
    title: "the document of an app declares its language",
    cites: &[advice("https://www.w3.org/TR/WCAG22/#language-of-page", Span::ALWAYS)],
    aliases: &[],
    why: "a screen reader pronounces the text in the wrong language",
    fix: "set the lang attribute of the html element",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT], |cx| {
        strict(cx, "a lang attribute on the html element", |facts| {
            facts.language.is_empty().then(|| "there is none".to_owned())
        })
    }),
    fault: &fault::NO_LANGUAGE,
};

/// WCAG 2.4.2: a page has a title that describes it.
const TITLE: Check = Check {
    id: "app/access/title",
    title: "the document of an app has a title",
    cites: &[advice("https://www.w3.org/TR/WCAG22/#page-titled", Span::ALWAYS)],
    aliases: &[],
    why: "a screen reader announces the frame by its title",
    fix: "give the document a title element",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT], |cx| {
        strict(cx, "a title element with text", |facts| {
            facts.title.is_empty().then(|| "the title is empty".to_owned())
        })
    }),
    fault: &fault::NO_TITLE,
};

/// WCAG 4.1.2: controls have a name that a program can read.
const NAMES: Check = Check {
    id: "app/access/control-names",
    title: "every control of an app has a name",
    cites: &[advice("https://www.w3.org/TR/WCAG22/#name-role-value", Span::ALWAYS)],
    aliases: &[],
    why: "a screen reader says \"button\", and not which",
    fix: "give the control a text, a label element or an aria-label",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT], |cx| {
        strict(cx, "a name for every control", |facts| {
            (!facts.nameless.is_empty()).then(|| format!("no name: {}", listed(&facts.nameless)))
        })
    }),
    fault: &fault::NAMELESS_CONTROL,
};

/// WCAG 2.1.1: whatever can be done with a mouse can be done with a keyboard.
const KEYBOARD: Check = Check {
    id: "app/access/keyboard",
    title: "the keyboard reaches every control of an app",
    cites: &[advice("https://www.w3.org/TR/WCAG22/#keyboard", Span::ALWAYS)],
    aliases: &[],
    why: "who does not use a mouse cannot use the app",
    fix: "use button and a elements, or give the element tabindex=0 and a key handler",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT], |cx| {
        strict(cx, "a tab stop at everything that reacts to a click", |facts| {
            (!facts.unreachable.is_empty()).then(|| format!("no tab stop: {}", listed(&facts.unreachable)))
        })
    }),
    fault: &fault::MOUSE_ONLY,
};

/// A main landmark lets people skip what is around the content.
const MAIN: Check = Check {
    id: "app/access/main-landmark",
    title: "the document of an app has one main landmark",
    cites: &[advice("https://www.w3.org/WAI/ARIA/apg/patterns/landmarks/examples/main.html", Span::ALWAYS)],
    aliases: &[],
    why: "who moves by landmarks does not find the content",
    fix: "put the content into one main element",
    applies: Applies::ToViews,
    run: Run::App(&[STRICT], |cx| {
        strict(cx, "one main element", |facts| match facts.mains {
            1 => None,
            0 => Some("there is none".to_owned()),
            many => Some(format!("there are {many}")),
        })
    }),
    fault: &fault::NO_MAIN,
};

/// Judges the document in the strict row. One that is blank is another check's.
fn strict(cx: &AppCx<'_>, expected: &str, wrong: impl Fn(&DocumentFacts) -> Option<String>) -> Verdict {
    if cx.ready_viewings(&[STRICT])?.iter().all(|viewing| facts_of(viewing).is_none()) {
        return Err(Finding::blocked_by(SHOWS.id, "the app shows nothing"));
    }
    cx.judge(&[STRICT], expected, |viewing| judge_document(viewing, &wrong))
}
