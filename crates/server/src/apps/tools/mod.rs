//! The tools of the apps: those that open an app, and those that an app calls.

mod chart;
mod expenses;
mod inspect;
mod monitor;
mod place;
mod poem;

use serde_json::{Value, json};

use super::locale::{self, Locale};
use crate::call::Call;
use crate::catalogue::tool::{Tool, text};

/// The tools, in the order in which they are listed.
pub(crate) const TOOLS: &[Tool] = &[
    monitor::SYSTEM_MONITOR,
    monitor::POLL_SYSTEM,
    expenses::EXPENSE_FORM,
    expenses::SUBMIT_EXPENSE,
    expenses::CLEAR_EXPENSES,
    chart::DRAW_CHART,
    place::WHERE_AM_I,
    poem::POEM_CARD,
    inspect::INSPECT_HOST,
];

/// An input schema for no arguments.
fn no_arguments() -> Value {
    json!({ "type": "object", "additionalProperties": false })
}

/// The annotations of a read-only tool.
fn read_only() -> Value {
    json!({ "readOnlyHint": true, "openWorldHint": false })
}

/// A result as text and, for the app, as structured content.
fn text_and_structure(said: impl Into<String>, structured: Value) -> Value {
    let mut result = text(said);
    result["structuredContent"] = structured;
    result
}

/// A result in the caller's language, which it declares.
fn in_language_of(call: &Call, make: impl FnOnce(Locale) -> Value) -> Value {
    let mut result = make(Locale::for_caller(call));
    locale::declare_language(call, &mut result);
    result
}
