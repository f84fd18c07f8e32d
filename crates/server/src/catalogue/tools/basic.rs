//! Basic tools: harmless and instant, each with another kind of content.

use serde_json::{Value, json};

use crate::call::Call;
use crate::catalogue::icon;
use crate::catalogue::tool::{Run, Tool, failure, text};

pub(super) const TOOLS: &[Tool] = &[ECHO, ADD, FAIL];

const ECHO: Tool = Tool::new(
    "echo",
    || {
        json!({
            "title": "Echo",
            "description": "Returns the text that it is given",
            "inputSchema": {
                "type": "object",
                "properties": { "text": { "type": "string", "description": "What to return" } },
                "required": ["text"],
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Text(|arguments| arguments["text"].as_str().unwrap_or_default().to_owned()),
)
.with_icon(icon::ECHO);

const ADD: Tool = Tool::new(
    "add",
    || {
        json!({
            "title": "Add",
            "description": "Adds two numbers, and gives the sum as text and as structured content",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
                "required": ["a", "b"],
            },
            "outputSchema": {
                "type": "object",
                "properties": { "sum": { "type": "number" } },
                "required": ["sum"],
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Now(add),
);

const FAIL: Tool = Tool::new(
    "fail",
    || {
        json!({
            "title": "Fail",
            "description": "Always fails, in the way a tool should",
            "inputSchema": { "type": "object", "additionalProperties": false },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    },
    Run::Now(|_, _| failure("this tool always fails")),
);

fn add(_: &Call, arguments: &Value) -> Value {
    let sum = arguments["a"].as_f64().unwrap_or_default() + arguments["b"].as_f64().unwrap_or_default();
    let mut result = text(sum.to_string());
    result["structuredContent"] = json!({ "sum": sum });
    result
}
