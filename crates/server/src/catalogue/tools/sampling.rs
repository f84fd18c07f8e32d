//! Tools that sample the client's model.

use protocol::{Span, Version};
use serde_json::{Value, json};

use crate::call::{Ask, Call, Stop};
use crate::catalogue::tool::{Run, Tool, failure, text};

pub(super) const TOOLS: &[Tool] = &[SAMPLE, SAMPLE_WITH_TOOLS];

const SAMPLE: Tool = Tool::new(
    "sample",
    || {
        json!({
            "title": "Sample",
            "description": "Has the client's model answer a question; needs a client with sampling",
            "inputSchema": {
                "type": "object",
                "properties": { "question": { "type": "string", "default": "How long is a yard?" } },
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": true },
        })
    },
    Run::Later(|call, arguments| Box::pin(sample(call, arguments))),
);

async fn sample(call: Call, arguments: Value) -> Result<Value, Stop> {
    let question = arguments["question"].as_str().unwrap_or("How long is a yard?");
    let answer = call.ask(Ask::sampling("answer", request(&json!([text_message("user", question)])))).await?;
    Ok(text(format!("the model says: {}", words(&answer["content"]))))
}

/// The model may use a tool. When it does, it gets the result and is asked again.
const SAMPLE_WITH_TOOLS: Tool = Tool::new(
    "sample-with-tools",
    || {
        json!({
            "title": "Sample with tools",
            "description": "Has the client's model answer with the help of a tool; needs a client with sampling.tools",
            "inputSchema": { "type": "object", "additionalProperties": false },
            "annotations": { "readOnlyHint": true, "openWorldHint": true },
        })
    },
    Run::Later(|call, _| Box::pin(sample_with_tools(call))),
)
.in_span(Span::since(Version::V2025_11_25));

async fn sample_with_tools(call: Call) -> Result<Value, Stop> {
    let question = text_message("user", "What is 6 yards in metres? Use the tool.");
    let mut first = request(&json!([question]));
    first["tools"] = json!([converter()]);
    first["toolChoice"] = json!({ "mode": "required" });
    let used = call.ask(Ask::sampling("use", first)).await?;
    let results: Vec<_> =
        blocks(&used["content"]).filter(|block| block["type"] == "tool_use").map(result).collect();
    if results.is_empty() {
        return Ok(failure("the model did not use the tool that it was told to use"));
    }
    let turns = json!([question, { "role": "assistant", "content": used["content"] }, { "role": "user", "content": results }]);
    let mut second = request(&turns);
    second["tools"] = json!([converter()]);
    second["toolChoice"] = json!({ "mode": "none" });
    let end = call.ask(Ask::sampling("answer", second)).await?;
    Ok(text(format!("the model says: {}", words(&end["content"]))))
}

/// The result of one use of the tool.
fn result(used: &Value) -> Value {
    let yards = used["input"]["yards"].as_f64().unwrap_or(6.0);
    let metres = json!({ "type": "text", "text": (yards * 0.9144).to_string() });
    json!({ "type": "tool_result", "toolUseId": used["id"], "content": [metres] })
}

fn request(messages: &Value) -> Value {
    json!({
        "messages": messages,
        "systemPrompt": "You answer in one short sentence.",
        "modelPreferences": { "hints": [{ "name": "small" }], "speedPriority": 1, "costPriority": 0.5 },
        "temperature": 0,
        "maxTokens": 100,
    })
}

fn converter() -> Value {
    json!({
        "name": "metres",
        "description": "Converts yards to metres",
        "inputSchema": { "type": "object", "properties": { "yards": { "type": "number" } }, "required": ["yards"] },
    })
}

fn text_message(role: &str, words: &str) -> Value {
    json!({ "role": role, "content": { "type": "text", "text": words } })
}

/// Content is one block, or from 2025-11-25 on possibly a list.
fn blocks(content: &Value) -> impl Iterator<Item = &Value> {
    content.as_array().map_or_else(|| std::slice::from_ref(content), Vec::as_slice).iter()
}

pub(crate) fn words(content: &Value) -> String {
    let words: Vec<_> = blocks(content).filter_map(|block| block["text"].as_str()).collect();
    if words.is_empty() { "something other than text".to_owned() } else { words.join(" ") }
}
