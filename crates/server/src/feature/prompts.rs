//! `prompts/*`

use serde_json::{Map, Value, json};

use crate::context::{Call, Reply, Stop};
use crate::fault::resources as fault;
use crate::lists;
use crate::rpc::RpcError;

const PAGE: usize = 50;

/// `prompts/list`
pub(crate) fn list(call: &Call) -> Result<Reply, Stop> {
    let prompts = call.server.catalogue.prompts(call).map(|p| p.described()).collect();
    Ok(Reply::Done(lists::page(call, "prompts", prompts, PAGE)?))
}

/// `prompts/get`
pub(crate) fn get(call: &Call) -> Result<Reply, Stop> {
    let name = call.text("name")?;
    let prompt = call.server.catalogue.prompt(name).filter(|prompt| prompt.span.contains(call.version()));
    if prompt.is_none() && call.server.is_broken(&fault::UNKNOWN_PROMPT_SERVED) {
        return Ok(Reply::Done(json!({ "messages": [] })));
    }
    let prompt = prompt.ok_or_else(|| RpcError::invalid_params(format!("unknown prompt: {name}")))?;
    let arguments = match call.params.get("arguments") {
        None => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(RpcError::invalid_params("prompts/get: `arguments` must be an object").into()),
    };
    for argument in prompt.arguments {
        match arguments.get(argument.name) {
            Some(value) if !value.is_string() => {
                let why = format!("prompt {name}: argument `{}` must be a string", argument.name);
                return Err(RpcError::invalid_params(why).into());
            }
            None if argument.required && !call.server.is_broken(&fault::PROMPT_ARGUMENT_OPTIONAL) => {
                let why = format!("prompt {name}: argument `{}` is missing", argument.name);
                return Err(RpcError::invalid_params(why).into());
            }
            Some(_) | None => {}
        }
    }
    let messages = (prompt.render)(call, &arguments)?;
    Ok(Reply::Done(json!({ "description": prompt.description, "messages": messages })))
}
