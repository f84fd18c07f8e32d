//! Tools that change what the server offers.

use serde_json::{Value, json};

use crate::call::Call;
use crate::catalogue::List;
use crate::catalogue::tool::{Run, Tool, text};

pub(super) const TOOLS: &[Tool] = &[TOGGLE, TOUCH, GUEST];

const TOGGLE: Tool = Tool::new(
    "toggle",
    || {
        json!({
            "title": "Toggle",
            "description": "Adds or removes the tool, prompt or resource that comes and goes, so that a list changes",
            "inputSchema": {
                "type": "object",
                "properties": { "what": { "type": "string", "enum": ["tool", "prompt", "resource"], "default": "tool" } },
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false },
        })
    },
    Run::Now(toggle),
);

fn toggle(call: &Call, arguments: &Value) -> Value {
    let what = arguments["what"].as_str().unwrap_or("tool");
    let list = match what {
        "prompt" => List::Prompts,
        "resource" => List::Resources,
        _ => List::Tools,
    };
    let there = call.server.catalogue.toggle(call, list);
    text(format!("the {what} `guest` is {} there", if there { "now" } else { "no longer" }))
}

const TOUCH: Tool = Tool::new(
    "touch",
    || {
        json!({
            "title": "Touch",
            "description": "Changes the resource yardstick://counter, so that its subscribers are told",
            "inputSchema": { "type": "object", "additionalProperties": false },
            "annotations": { "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false },
        })
    },
    Run::Now(|call, _| text(format!("touched {} times", call.server.catalogue.touch(call)))),
);

const GUEST: Tool = Tool::new(
    "guest",
    || {
        json!({
            "title": "The tool that comes and goes",
            "description": "Listed while the tool `toggle` has it switched on",
            "inputSchema": { "type": "object", "additionalProperties": false },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    },
    Run::Now(|_, _| text("I am here for now")),
)
.switched();
