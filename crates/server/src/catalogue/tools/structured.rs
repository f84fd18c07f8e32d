//! Tools with structured results.

use protocol::Span;
use serde_json::{Value, json};

use crate::catalogue::tool::{Run, Tool, failure, structured};

pub(super) const TOOLS: &[Tool] = &[STATISTICS, SQUARES];

const STATISTICS: Tool = Tool::new(
    "statistics",
    || {
        json!({
            "title": "Statistics",
            "description": "Count, least, greatest and mean of some numbers",
            "inputSchema": numbers(),
            "outputSchema": {
                "type": "object",
                "properties": {
                    "count": { "type": "integer", "minimum": 1 },
                    "least": { "type": "number" },
                    "greatest": { "type": "number" },
                    "mean": { "type": "number" },
                },
                "required": ["count", "least", "greatest", "mean"],
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Now(|_, arguments| {
        let numbers = given(arguments);
        let (least, greatest) = numbers.iter().fold((f64::MAX, f64::MIN), |(l, g), n| (l.min(*n), g.max(*n)));
        // The count fits: a message cannot hold more numbers.
        let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let mean = numbers.iter().sum::<f64>() / f64::from(count);
        if !mean.is_finite() {
            return failure("the numbers are too large to have a mean");
        }
        structured(&json!({ "count": count, "least": least, "greatest": greatest, "mean": mean }))
    }),
);

/// A result that is not an object, which only the newest revision allows.
const SQUARES: Tool = Tool::new(
    "squares",
    || {
        json!({
            "title": "Squares",
            "description": "The squares of some numbers, as a list",
            "inputSchema": numbers(),
            "outputSchema": { "type": "array", "items": { "type": "number", "minimum": 0 } },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Now(|_, arguments| structured(&given(arguments).iter().map(|n| n * n).collect())),
)
.in_span(Span::MODERN);

fn numbers() -> Value {
    json!({
        "type": "object",
        "properties": { "numbers": { "type": "array", "items": { "type": "number" }, "minItems": 1 } },
        "required": ["numbers"],
        "additionalProperties": false,
    })
}

fn given(arguments: &Value) -> Vec<f64> {
    arguments["numbers"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
