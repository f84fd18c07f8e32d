//! What the server lists, written as the JSON that goes over the wire.

use rmcp::ErrorData;
use rmcp::model::{ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The resource that can be read, and changed with the tool `touch`.
pub(crate) const GREETING: &str = "peer://greeting";
/// The names that complete.
pub(crate) const NAMES: [&str; 3] = ["Ada", "Alan", "Grace"];

/// Turns JSON into one of rmcp's types; most of them have no public constructor for all fields.
pub(crate) fn model<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// The same for a result; rmcp takes the mark away again for peers that do not know it.
pub(crate) fn result<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = json!("complete");
    model(value)
}

pub(crate) fn tools() -> Result<ListToolsResult, ErrorData> {
    let number = json!({ "type": "number" });
    let text = json!({ "type": "string" });
    let object = |properties: Value| json!({ "type": "object", "properties": properties });
    let required = |properties: Value, names: Value| json!({ "type": "object", "properties": properties, "required": names });
    result(json!({ "tools": [
        {
            "name": "echo",
            "description": "Says what it was told",
            "inputSchema": required(json!({ "text": text }), json!(["text"])),
            "annotations": { "readOnlyHint": true },
        },
        {
            "name": "add",
            "description": "Adds two numbers",
            "inputSchema": required(json!({ "a": number, "b": number }), json!(["a", "b"])),
            "outputSchema": required(json!({ "sum": number }), json!(["sum"])),
        },
        {
            "name": "slow",
            "description": "Takes its time and reports progress",
            "inputSchema": object(json!({ "steps": { "type": "integer" }, "delay": number })),
        },
        {
            "name": "log",
            "description": "Sends a log message",
            "inputSchema": object(json!({ "message": text })),
        },
        { "name": "touch", "description": "Changes the greeting", "inputSchema": object(json!({})) },
        { "name": "ask-user", "description": "Asks the user for a colour", "inputSchema": object(json!({})) },
        {
            "name": "ask-model",
            "description": "Asks the model of the client",
            "inputSchema": object(json!({ "prompt": text })),
        },
        { "name": "ask-roots", "description": "Asks for the roots of the client", "inputSchema": object(json!({})) },
    ] }))
}

pub(crate) fn resources() -> Result<ListResourcesResult, ErrorData> {
    result(json!({ "resources": [{ "uri": GREETING, "name": "greeting", "mimeType": "text/plain" }] }))
}

pub(crate) fn templates() -> Result<ListResourceTemplatesResult, ErrorData> {
    let template = format!("{GREETING}/{{name}}");
    result(json!({ "resourceTemplates": [{ "uriTemplate": template, "name": "greeting-for" }] }))
}

pub(crate) fn prompts() -> Result<ListPromptsResult, ErrorData> {
    let argument = json!({ "name": "name", "required": true });
    result(json!({ "prompts": [
        { "name": "greet", "description": "Asks for a greeting", "arguments": [argument] },
    ] }))
}
