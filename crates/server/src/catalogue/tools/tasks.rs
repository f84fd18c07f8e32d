//! Tools that run as tasks.

use std::time::Duration;

use protocol::{Span, Version, code};
use serde_json::{Value, json};

use super::ask::describe_answer;
use crate::call::{Ask, Call, Stop};
use crate::catalogue::icon;
use crate::catalogue::tool::{Run, TaskSupport, Tool, text};
use crate::rpc::RpcError;

pub(super) const TOOLS: &[Tool] = &[RESEARCH, ARCHIVE, INTERVIEW, BREAK];

const SINCE_TASKS: Span = Span::since(Version::V2025_11_25);

const RESEARCH: Tool = Tool::new(
    "research",
    || define("Research", "Takes its time and reports; a task for clients that know tasks"),
    Run::Later(|call, arguments| Box::pin(work(call, arguments, "nothing was found"))),
)
.with_tasks(TaskSupport::Optional)
.with_icon(icon::CLOCK);

const ARCHIVE: Tool = Tool::new(
    "archive",
    || define("Archive", "Takes its time, and can be called as a task only"),
    Run::Later(|call, arguments| Box::pin(work(call, arguments, "everything is archived"))),
)
.in_span(SINCE_TASKS)
.with_tasks(TaskSupport::Required);

/// Asks the user while the task runs.
const INTERVIEW: Tool = Tool::new(
    "interview",
    || {
        define(
            "Interview",
            "Asks the user two questions in the midst of its work; needs a client with elicitation",
        )
    },
    Run::Later(|call, arguments| Box::pin(interview(call, arguments))),
)
.in_span(SINCE_TASKS)
.with_tasks(TaskSupport::Optional);

const BREAK: Tool = Tool::new(
    "break",
    || define("Break", "Takes its time, then breaks with a protocol error"),
    Run::Later(|call, arguments| {
        Box::pin(async move {
            work(call, arguments, "").await?;
            Err(RpcError::new(code::INTERNAL_ERROR, "broken on purpose").into())
        })
    }),
)
.in_span(SINCE_TASKS)
.with_tasks(TaskSupport::Optional);

async fn work(call: Call, arguments: Value, end: &str) -> Result<Value, Stop> {
    let total = arguments["ms"].as_u64().unwrap_or(100);
    for step in 1..=4 {
        tokio::time::sleep(Duration::from_millis(total / 4)).await;
        call.progress(step, 4, "still at it").await;
    }
    Ok(text(end))
}

async fn interview(call: Call, arguments: Value) -> Result<Value, Stop> {
    let name = call.ask(question("name", "What is your name?")).await?;
    work(call.clone(), arguments, "").await?;
    let trade = call.ask(question("trade", "What do you do?")).await?;
    Ok(text(format!("{}; {}", describe_answer(&name), describe_answer(&trade))))
}

fn question(key: &'static str, message: &str) -> Ask {
    let schema =
        json!({ "type": "object", "properties": { "answer": { "type": "string" } }, "required": ["answer"] });
    let form = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    Ask::elicitation(key, form)
}

fn define(title: &str, description: &str) -> Value {
    json!({
        "title": title,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": {
                "ms": { "type": "integer", "description": "How long it takes", "minimum": 0, "maximum": 600_000, "default": 100 },
            },
            "additionalProperties": false,
        },
        "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
    })
}
