//! Text inside HTML.

use suite::Outcome;
use wire::markup;

use crate::text::{visible, visible_lines};

/// `text` on one line, with nothing that HTML would read as markup.
pub(super) fn escape(text: &str) -> String {
    markup::escape(&visible(text))
}

/// Like [`escape`], but line breaks stay.
pub(super) fn escape_lines(text: &str) -> String {
    markup::escape(&visible_lines(text))
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
