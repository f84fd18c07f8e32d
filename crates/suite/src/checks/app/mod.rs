//! Apps in a browser, shown by hosts that differ.
//!
//! Each check judges an app by what was recorded of it in some rows of the matrix of hosts. What a View says is judged by the
//! checks of recorded sessions too; here stands what can only be seen when the app runs.

pub(super) mod access;
pub(super) mod csp;
pub(super) mod data;
pub(super) mod grants;
pub(super) mod lifecycle;
pub(super) mod looks;
pub(super) mod messages;
pub(super) mod modes;
pub(super) mod page;
pub(super) mod size;
pub(super) mod theme;

use crate::app::RowFinding;
use crate::app::rows::{STRICT, name};
use crate::{AppCx, Verdict, Viewing};

/// The rows whose hosts do nothing unusual: whatever is wrong there is wrong with the app.
const PLAIN: &[&str] =
    &[STRICT, name::DARK, name::PHONE, name::FULLSCREEN, name::FIXED, name::SLOW, name::CLOSED];

/// Passes unless one of `rows` makes the app fail in a way in which it does not fail in the strict row.
fn survives(cx: &AppCx<'_>, rows: &[&str], expected: &str) -> Verdict {
    cx.judge(rows, expected, |viewing| cx.find_new_errors(viewing))
}

/// A finding about a document that the check needs and that is blank.
fn facts_of(viewing: &Viewing) -> Option<&crate::DocumentFacts> {
    viewing.facts.as_ref().filter(|facts| facts.shown > 0)
}

/// Some names, for a line of a report.
fn listed(names: &[String]) -> String {
    const MAX_NAMES: usize = 3;
    let more = names.len().saturating_sub(MAX_NAMES);
    let named = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// A finding about a fact of the document, if `wrong` finds something wrong with it.
fn judge_document(
    viewing: &Viewing,
    wrong: impl Fn(&crate::DocumentFacts) -> Option<String>,
) -> Option<RowFinding> {
    facts_of(viewing).and_then(wrong).map(RowFinding::new)
}
