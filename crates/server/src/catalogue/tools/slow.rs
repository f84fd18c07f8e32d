//! Slow tools: progress, log messages, cancellation.

use std::time::Duration;

use protocol::meta::LogLevel;
use serde_json::{Value, json};

use crate::call::{Call, Stop};
use crate::catalogue::icon;
use crate::catalogue::tool::{Run, Tool, text};

pub(super) const TOOLS: &[Tool] = &[COUNTDOWN];

const COUNTDOWN: Tool = Tool::new(
    "countdown",
    || {
        json!({
            "title": "Countdown",
            "description": "Takes its time, reports progress and logs; can be cancelled",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "steps": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 5 },
                    "intervalMs": { "type": "integer", "minimum": 0, "maximum": 10_000, "default": 20 },
                },
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Later(|call, arguments| Box::pin(countdown(call, arguments))),
)
.with_icon(icon::CLOCK);

async fn countdown(call: Call, arguments: Value) -> Result<Value, Stop> {
    let number =
        |name: &str, default| arguments[name].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(default);
    let (steps, interval) = (number("steps", 5), Duration::from_millis(number("intervalMs", 20).into()));
    call.log(LogLevel::Info, json!(format!("counting down from {steps}"))).await;
    for step in 1..=steps {
        tokio::time::sleep(interval).await;
        call.progress(step, steps, &format!("{} to go", steps - step)).await;
    }
    Ok(text(format!("counted down from {steps}")))
}
