//! How each request is answered, one file per part of the protocol.

mod completion;
pub(crate) mod dialect;
pub(crate) mod lifecycle;
mod logging;
pub(crate) mod modern;
mod prompts;
mod resources;
pub(crate) mod subscriptions;
pub(crate) mod tasks;
mod tools;

use protocol::meta::SERVER_INFO;
use protocol::{Era, code};
use serde_json::{Value, json};

use crate::apps;
use crate::call::{Call, Reply, Stop};
use crate::rpc::RpcError;

/// The cache hints of a result.
const TTL_MS: u64 = 60_000;

/// Answers a request, or returns the work that will.
pub(crate) fn dispatch(call: &Call) -> Result<Reply, Stop> {
    match call.method.name {
        "initialize" => lifecycle::initialize(call),
        "ping" => Ok(Reply::Done(json!({}))),
        "server/discover" => Ok(Reply::Done(lifecycle::discover(call))),
        "tools/list" => tools::list(call),
        "tools/call" => tools::call(call),
        "resources/list" => resources::list(call),
        "resources/templates/list" => resources::templates(call),
        "resources/read" => resources::read(call),
        "resources/subscribe" => resources::subscribe(call),
        "resources/unsubscribe" => resources::unsubscribe(call),
        "prompts/list" => prompts::list(call),
        "prompts/get" => prompts::get(call),
        "completion/complete" => completion::complete(call),
        "logging/setLevel" => logging::set_level(call),
        "subscriptions/listen" => subscriptions::listen(call),
        "tasks/get" => tasks::get(call),
        "tasks/list" => tasks::list(call),
        "tasks/result" => tasks::result(call),
        "tasks/cancel" => tasks::cancel(call),
        "tasks/update" => tasks::update(call),
        name => Err(RpcError::method_not_found(name).into()),
    }
}

/// Adapts a result to the client's revision: removes what came later, and adds what a modern result must have.
pub(crate) fn finish(call: &Call, result: &mut Value) -> Result<(), RpcError> {
    let version = call.version();
    let Some(members) = result.as_object_mut() else { return Ok(()) };
    let complete = members.get("resultType").is_none_or(|kind| kind == "complete");
    if complete && call.method.cacheable(version) {
        members.entry("ttlMs").or_insert_with(|| TTL_MS.into());
        // Lists differ between clients that show apps and others, so they must not be shared.
        members.entry("cacheScope").or_insert_with(|| "private".into());
    }
    apps::shape(call, result).map_err(|unfit| RpcError::new(code::INTERNAL_ERROR, unfit.to_string()))?;
    if version.era() == Era::Legacy {
        return Ok(());
    }
    // A result without `_meta` of its own is signed when it is written.
    if let Some(meta) = result.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.entry(SERVER_INFO).or_insert_with(lifecycle::signature);
    }
    Ok(())
}
