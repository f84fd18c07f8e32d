//! Text inside HTML.

use suite::Outcome;

use crate::text::{visible, visible_lines};

/// On one line, with nothing that HTML would read as markup.
pub(super) fn escape(text: &str) -> String {
    entities(&visible(text))
}

/// Like [`escape`], but line breaks stay.
pub(super) fn escape_lines(text: &str) -> String {
    entities(&visible_lines(text))
}

pub(super) fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        push(&mut out, c);
    }
    out
}

/// One character, safe in text and in a quoted attribute.
pub(super) fn push(out: &mut String, c: char) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '"' => out.push_str("&quot;"),
        '\'' => out.push_str("&#39;"),
        other => out.push(other),
    }
}

/// The class that gives an outcome its colour.
pub(super) const fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Warned => "warned",
        Outcome::Blocked => "blocked",
        Outcome::NotApplicable => "absent",
        Outcome::Broke => "broke",
        Outcome::KnownFailure => "known",
        Outcome::UnexpectedPass => "unexpected",
    }
}

/// The sign of an outcome, for those who do not see colours.
pub(super) const fn sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "✓",
        Outcome::Failed => "✕",
        Outcome::Warned => "!",
        Outcome::Blocked => "⊘",
        Outcome::NotApplicable => "–",
        Outcome::Broke => "‼",
        Outcome::KnownFailure => "≈",
        Outcome::UnexpectedPass => "↑",
    }
}
