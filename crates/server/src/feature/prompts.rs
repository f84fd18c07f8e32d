//! `prompts/*`

use serde_json::{Map, Value, json};

use crate::call::{Call, Reply, Stop};
use crate::catalogue::{Argument, Prompt, Render};
use crate::lists;
use crate::rpc::RpcError;

const PAGE_SIZE: usize = 50;

/// `prompts/list`
pub(crate) fn list(call: &Call) -> Result<Reply, Stop> {
    let prompts = call.server.catalogue.prompts(call).map(Prompt::describe).collect();
    Ok(Reply::Done(lists::page(call, "prompts", prompts, PAGE_SIZE)?))
}

/// `prompts/get`
pub(crate) fn get(call: &Call) -> Result<Reply, Stop> {
    let name = call.text("name")?;
    let prompt = call.server.catalogue.prompt(call, name);
    let prompt = prompt.ok_or_else(|| RpcError::invalid_params(format!("unknown prompt: {name}")))?;
    let none = Map::new();
    let arguments = match call.params.get("arguments") {
        None => &none,
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(RpcError::invalid_params("prompts/get: `arguments` must be an object").into()),
    };
    check(prompt, arguments)?;
    let described = |messages| json!({ "description": prompt.description, "messages": messages });
    match prompt.render {
        Render::Now(render) => Ok(Reply::Done(described(render(arguments)))),
        Render::Later(render) => Ok(Reply::Later(Box::new(move |call| {
            Box::pin(async move { Ok(described(render(call).await?)) })
        }))),
    }
}

/// Checks that arguments are strings, and that the required ones are given.
fn check(prompt: &Prompt, arguments: &Map<String, Value>) -> Result<(), RpcError> {
    let wrong = |argument: &Argument, how: &str| {
        let why = format!("prompt {}: argument `{}` {how}", prompt.name, argument.name);
        Err(RpcError::invalid_params(why))
    };
    for argument in prompt.arguments {
        match arguments.get(argument.name) {
            Some(value) if !value.is_string() => return wrong(argument, "must be a string"),
            None if argument.required => return wrong(argument, "is missing"),
            Some(_) | None => {}
        }
    }
    Ok(())
}
