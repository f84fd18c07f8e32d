//! `completion/complete`

use protocol::Version;
use serde_json::{Map, Value, json};

use crate::call::{Call, Reply, Stop};
use crate::catalogue::Suggestions;
use crate::rpc::RpcError;

/// The most values that one answer may hold.
const MAX_VALUES: usize = 100;

/// `completion/complete`
pub(crate) fn complete(call: &Call) -> Result<Reply, Stop> {
    let reference = &call.params["ref"];
    let argument = &call.params["argument"];
    let (Some(name), Some(value)) = (argument["name"].as_str(), argument["value"].as_str()) else {
        return Err(
            RpcError::invalid_params("completion/complete: `argument` needs `name` and `value`").into()
        );
    };
    let suggestions =
        match (reference["type"].as_str(), reference["name"].as_str(), reference["uri"].as_str()) {
            (Some("ref/prompt"), Some(prompt), _) => of_prompt(call, prompt, name)?,
            (Some("ref/resource"), _, Some(uri)) => {
                call.server.catalogue.suggestions(uri, name).ok_or_else(|| {
                    RpcError::invalid_params(format!("no resource template {uri} with a variable `{name}`"))
                })?
            }
            _ => {
                return Err(RpcError::invalid_params(
                    "completion/complete: `ref` names no prompt or resource",
                )
                .into());
            }
        };
    let candidates = suggestions.given(&chosen_arguments(call)?);
    let lower = value.to_lowercase();
    let fitting: Vec<Value> =
        candidates.iter().filter(|c| c.to_lowercase().starts_with(&lower)).map(|c| Value::from(*c)).collect();
    let total = fitting.len();
    Ok(Reply::Done(json!({ "completion": {
        "values": fitting.into_iter().take(MAX_VALUES).collect::<Vec<_>>(),
        "total": total,
        "hasMore": total > MAX_VALUES,
    } })))
}

fn of_prompt(call: &Call, prompt: &str, argument: &str) -> Result<Suggestions, RpcError> {
    let found = call.server.catalogue.prompt(call, prompt);
    let found = found.ok_or_else(|| RpcError::invalid_params(format!("unknown prompt: {prompt}")))?;
    let found = found.arguments.iter().find(|a| a.name == argument);
    found
        .map(|a| a.values)
        .ok_or_else(|| RpcError::invalid_params(format!("prompt {prompt} has no argument `{argument}`")))
}

/// The arguments that the client has already chosen (from 2025-06-18).
fn chosen_arguments(call: &Call) -> Result<Map<String, Value>, RpcError> {
    let context = call.params.get("context").filter(|_| call.version() >= Version::V2025_06_18);
    match context.and_then(|context| context.get("arguments")) {
        None => Ok(Map::new()),
        Some(Value::Object(others)) if others.values().all(Value::is_string) => Ok(others.clone()),
        Some(_) => {
            Err(RpcError::invalid_params("completion/complete: `context.arguments` must be strings by name"))
        }
    }
}
