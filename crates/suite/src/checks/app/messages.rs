//! Messages that an app did not expect.

use protocol::Span;
use serde_json::json;
use server::fault::view as fault;

use super::survives;
use crate::app::RowFinding;
use crate::app::rows::{FOREIGN_ID, name};
use crate::{AppCx, Applies, Check, Finding, Run, Verdict, advice};

pub(in crate::checks) const CHECKS: &[Check] = &[UNKNOWN, SOURCE, REPEATED, ERRORS];

/// The specification says that it will grow. Hosts send notifications that are newer than an app, and pages and browser
/// extensions post messages that are not MCP at all.
const UNKNOWN: Check = Check {
    id: "app/messages/unknown-ignored",
    title: "an app ignores messages that it does not know",
    cites: &[advice("apps.mdx#extensibility", Span::ALWAYS)],
    aliases: &[],
    why: "a newer host breaks the app with its first new notification",
    fix: "ignore notifications of other methods and whatever is not JSON-RPC 2.0",
    applies: Applies::ToViews,
    run: Run::App(&[name::HOSTILE], |cx| survives(cx, &[name::HOSTILE], "no error, whatever is posted")),
    fault: &fault::UNKNOWN_MESSAGE_BREAKS,
};

/// The specification says where the View's messages go, to the parent window, and not that it must check where those that it
/// gets come from. Every window that has a reference to the View can post to it.
const SOURCE: Check = Check {
    id: "app/messages/source-checked",
    title: "an app listens to its parent window alone",
    cites: &[advice(
        "https://developer.mozilla.org/en-US/docs/Web/API/Window/postMessage#security_concerns",
        Span::ALWAYS,
    )],
    aliases: &[],
    why: "another window can feed the app false data, or close it",
    fix: "ignore every message whose event.source is not window.parent",
    applies: Applies::ToViews,
    run: Run::App(&[name::HOSTILE], source),
    fault: &fault::ANY_SOURCE_BELIEVED,
};

/// JSON-RPC: a response belongs to a request by its id. What belongs to no open request has no meaning.
const REPEATED: Check = Check {
    id: "app/messages/stray-answers-ignored",
    title: "an app ignores answers that come twice, or to nothing that it asked",
    cites: &[advice("apps.mdx#communication-protocol", Span::ALWAYS)],
    aliases: &[],
    why: "an answer that comes after the app gave up breaks it",
    fix: "forget a request when it is answered, and ignore answers to unknown ids",
    applies: Applies::ToViews,
    run: Run::App(&[name::REPEATED], |cx| {
        survives(cx, &[name::REPEATED], "no error when answers are repeated or stray")
    }),
    fault: &fault::STRAY_ANSWER_BREAKS,
};

/// Every request of a View may be answered with an error: the host may deny it, and the user may.
const ERRORS: Check = Check {
    id: "app/messages/errors-survived",
    title: "an app copes with requests that fail",
    cites: &[advice("apps.mdx#requests-view--host", Span::ALWAYS)],
    aliases: &[],
    why: "what one host denies ends the app there, without a word to the user",
    fix: "catch the errors of every request, whatever their code is, and go on without",
    applies: Applies::ToViews,
    run: Run::App(&[name::OLD_ERRORS], |cx| {
        survives(cx, &[name::OLD_ERRORS], "no uncaught error when a request fails")
    }),
    fault: &fault::ERROR_UNCAUGHT,
};

fn source(cx: &AppCx<'_>) -> Verdict {
    cx.judge(&[name::HOSTILE], "no answer to a request from a window that is not the parent", |viewing| {
        let (answer, _) = viewing.response(&json!(FOREIGN_ID))?;
        Some(RowFinding::new("it answers a ping that another window posted").with_entry(answer))
    })?;
    match cx.row(name::HOSTILE).is_some_and(|viewing| viewing.response(&json!("from-the-host")).is_some()) {
        true => Ok(()),
        false => Err(Finding::not_applicable("the app answers no ping, so nothing shows whom it believes")),
    }
}
