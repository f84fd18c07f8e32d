//! What an app does with the input and the result of its tool.

use protocol::Span;
use server::fault::view as fault;

use super::{facts_of, survives};
use crate::app::RowFinding;
use crate::app::rows::{FAILURE_TEXT, name};
use crate::{Applies, Check, Run, Viewing, advice, should};

pub(in crate::checks) const CHECKS: &[Check] = &[PARTIAL, CANCELLED, FAILED];

/// A View may use partial input. It should then cope with members that are missing or change from one notification to the
/// next.
const PARTIAL: Check = Check {
    id: "app/data/partial-input-survived",
    title: "an app copes with input that is not complete",
    cites: &[should("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "hosts stream the arguments while the model writes them, and the app breaks on the first piece",
    fix: "take every member of partial arguments as optional, or ignore tool-input-partial",
    applies: Applies::ToViews,
    run: Run::App(&[name::STREAMED], |cx| {
        survives(cx, &[name::STREAMED], "no error while the arguments arrive in pieces")
    }),
    fault: &fault::PARTIAL_INPUT_BREAKS,
};

/// A host must tell a View that the call was cancelled. What the View does then is its own affair.
const CANCELLED: Check = Check {
    id: "app/data/cancellation-survived",
    title: "an app copes with a call that is cancelled",
    cites: &[advice("apps.mdx#notifications-host--view", Span::ALWAYS)],
    aliases: &[],
    why: "the app breaks, or waits for a result that never comes",
    fix: "listen to ui/notifications/tool-cancelled, and say that there is nothing to show",
    applies: Applies::ToViews,
    run: Run::App(&[name::CANCELLED], |cx| {
        survives(cx, &[name::CANCELLED], "no error when the call is cancelled")
    }),
    fault: &fault::CANCELLATION_BREAKS,
};

/// A result with isError is a result. The specification does not say how a View shows it.
const FAILED: Check = Check {
    id: "app/data/failure-shown",
    title: "an app shows that its tool failed",
    cites: &[advice("apps.mdx#data-passing", Span::ALWAYS)],
    aliases: &[],
    why: "the user sees an empty app, or old data, and takes it for the result",
    fix: "look at isError in ui/notifications/tool-result, and show the text of the content",
    applies: Applies::ToViews,
    run: Run::App(&[name::TOOL_ERROR], |cx| {
        cx.judge(&[name::TOOL_ERROR], "words that tell of a failure", swallowed)
    }),
    fault: &fault::FAILURE_SWALLOWED,
};

/// Words that tell of a failure. An app may have its own for it.
const WORDS: [&str; 12] = [
    "error",
    "fail",
    "problem",
    "wrong",
    "unable",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "invalid",
    "sorry",
    "not available",
];

fn swallowed(viewing: &Viewing) -> Option<RowFinding> {
    if viewing.uncalled.is_some() {
        return None;
    }
    let facts = facts_of(viewing)?;
    let text = facts.text.to_lowercase();
    let told = facts.text.contains(FAILURE_TEXT) || WORDS.iter().any(|word| text.contains(word));
    let (result, _) = viewing.messages_to_view().find(|(_, message)| message["params"]["isError"] == true)?;
    let shown: String =
        facts.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect();
    (!told).then(|| RowFinding::new(format!("the app shows \"{shown}\"")).with_entry(result))
}
