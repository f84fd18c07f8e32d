//! `expense_form`, `submit_expense` and `clear_expenses`.

use serde_json::{Value, json};

use super::{no_arguments, read_only, text_and_structure};
use crate::apps::app;
use crate::apps::ledger::{CATEGORIES, Expense};
use crate::apps::link::{EVERYBODY, Link, MODEL_ONLY};
use crate::call::Call;
use crate::catalogue::tool::{Run, Tool, failure, text};

pub(super) const EXPENSE_FORM: Tool = Tool::new(
    "expense_form",
    || {
        json!({
            "title": "Expense form",
            "description": "Opens a form for an expense; without a form, lists the expenses so far",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "currency": { "type": "string", "pattern": "^[A-Z]{3}$", "description": "Chosen in the form" },
                    "title": { "type": "string", "maxLength": 80, "description": "Filled in in the form" },
                },
                "additionalProperties": false,
            },
            "outputSchema": expenses_schema(json!({}), &["entries", "total"]),
            "annotations": read_only(),
        })
    },
    Run::Now(form),
)
.with_ui(Link::to(&app::FORM, "Opening the form", "Opened the form"));

/// The schema only has types. The tool checks the values itself and reports errors by field, as the form expects.
pub(super) const SUBMIT_EXPENSE: Tool = Tool::new(
    "submit_expense",
    || {
        json!({
            "title": "Submit an expense",
            "description": "Writes an expense down, in memory and for all users of this server, until it stops",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "title": { "type": "string", "description": "What it was for" },
                    "amount": { "type": "number", "description": "More than 0" },
                    "currency": { "type": "string", "description": "An ISO 4217 code, such as EUR" },
                    "category": { "type": "string", "description": format!("One of {}", CATEGORIES.join(", ")) },
                    "date": { "type": "string", "description": "The day, as YYYY-MM-DD" },
                },
                "required": ["title", "amount", "currency", "category", "date"],
                "additionalProperties": false,
            },
            "outputSchema": expenses_schema(json!({ "id": { "type": "string" } }), &["id", "entries", "total"]),
            "annotations": {
                "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false,
            },
        })
    },
    Run::Now(submit),
)
.with_ui(Link::only_for(EVERYBODY));

/// For the model only: a host must refuse it to an app.
pub(super) const CLEAR_EXPENSES: Tool = Tool::new(
    "clear_expenses",
    || {
        json!({
            "title": "Clear the expenses",
            "description": "Forgets all expenses that were submitted",
            "inputSchema": no_arguments(),
            "annotations": {
                "readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false,
            },
        })
    },
    Run::Now(|call, _| match call.server.apps.ledger.clear() {
        0 => text("There were no expenses to forget."),
        1 => text("One expense is forgotten."),
        count => text(format!("{count} expenses are forgotten.")),
    }),
)
.with_ui(Link::only_for(MODEL_ONLY));

fn form(call: &Call, _: &Value) -> Value {
    let ledger = &call.server.apps.ledger;
    let said = format!("{} A new one goes to submit_expense.", ledger.in_words());
    text_and_structure(said, ledger.to_value())
}

fn submit(call: &Call, arguments: &Value) -> Value {
    let expense = match Expense::from_arguments(arguments) {
        Ok(expense) => expense,
        Err(why) => return failure(why),
    };
    let ledger = &call.server.apps.ledger;
    let said = format!("Submitted: {}.", expense.in_words());
    let id = ledger.add(expense);
    let mut structured = ledger.to_value();
    structured["id"] = id.into();
    text_and_structure(format!("{said} {}", ledger.in_words()), structured)
}

fn expenses_schema(more: Value, required: &[&str]) -> Value {
    let text = json!({ "type": "string" });
    let mut properties = json!({
        "entries": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": text, "title": text, "amount": { "type": "number" }, "currency": text,
                    "category": text, "date": text,
                },
                "required": ["id", "title", "amount", "currency", "category", "date"],
            },
        },
        "total": {
            "type": "object",
            "additionalProperties": { "type": "number" },
            "description": "The sum in each currency",
        },
    });
    if let (Some(properties), Value::Object(more)) = (properties.as_object_mut(), more) {
        properties.extend(more);
    }
    json!({ "type": "object", "properties": properties, "required": required })
}
