//! `completion/complete`

use serde_json::{Value, json};

use crate::context::{Call, Reply, Stop};
use crate::rpc::RpcError;

/// The most values that one answer may hold.
const MOST: usize = 100;

/// `completion/complete`
pub(crate) fn complete(call: &Call) -> Result<Reply, Stop> {
    let reference = &call.params["ref"];
    let argument = &call.params["argument"];
    let (Some(name), Some(value)) = (argument["name"].as_str(), argument["value"].as_str()) else {
        return Err(RpcError::invalid_params("completion/complete: `argument` needs `name` and `value`").into());
    };
    let candidates = match (reference["type"].as_str(), reference["name"].as_str(), reference["uri"].as_str()) {
        (Some("ref/prompt"), Some(prompt), _) => of_prompt(call, prompt, name)?,
        (Some("ref/resource"), _, Some(uri)) => call.server.catalogue.template_values(uri, name).ok_or_else(|| {
            RpcError::invalid_params(format!("no resource template {uri} with a variable `{name}`"))
        })?,
        _ => return Err(RpcError::invalid_params("completion/complete: `ref` names no prompt or resource").into()),
    };
    let lower = value.to_lowercase();
    let fitting: Vec<Value> =
        candidates.iter().filter(|c| c.to_lowercase().starts_with(&lower)).map(|c| Value::from(*c)).collect();
    let total = fitting.len();
    Ok(Reply::Done(json!({ "completion": {
        "values": fitting.into_iter().take(MOST).collect::<Vec<_>>(),
        "total": total,
        "hasMore": total > MOST,
    } })))
}

fn of_prompt(call: &Call, prompt: &str, argument: &str) -> Result<&'static [&'static str], RpcError> {
    let found = call.server.catalogue.prompt(prompt);
    let found = found.ok_or_else(|| RpcError::invalid_params(format!("unknown prompt: {prompt}")))?;
    let argument = found.arguments.iter().find(|a| a.name == argument);
    argument.map(|a| a.values).ok_or_else(|| RpcError::invalid_params(format!("prompt {prompt} has no such argument")))
}
