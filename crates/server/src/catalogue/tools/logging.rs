//! Log messages of every level.

use protocol::meta::LogLevel;
use serde_json::{Value, json};

use crate::call::{Call, Stop};
use crate::catalogue::tool::{Run, Tool, text};

pub(super) const TOOLS: &[Tool] = &[LOG];

const LOG: Tool = Tool::new(
    "log",
    || {
        json!({
            "title": "Log",
            "description": "Logs a message at every level, from debug to emergency; the client sees those it wants",
            "inputSchema": {
                "type": "object",
                "properties": { "message": { "type": "string", "default": "hello" } },
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    },
    Run::Later(|call, arguments| Box::pin(log(call, arguments))),
);

async fn log(call: Call, arguments: Value) -> Result<Value, Stop> {
    let message = arguments["message"].as_str().unwrap_or("hello");
    for level in LogLevel::ALL {
        call.log(level, json!({ "message": message, "level": level.as_str() })).await;
    }
    Ok(text(format!("logged {} messages", LogLevel::ALL.len())))
}
