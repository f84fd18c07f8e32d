//! `tools/list` and `tools/call`.

use protocol::Version;
use serde_json::{Value, json};

use crate::catalogue::{Run, ToolEntry};
use crate::context::{Call, Reply, Stop};
use crate::fault::tools as fault;
use crate::lists;
use crate::rpc::RpcError;

/// More than there are: clients that ask for one page only still see every tool.
const PAGE: usize = 200;

/// `tools/list`
pub(crate) fn list(call: &Call) -> Result<Reply, Stop> {
    let mut tools: Vec<_> = call.server.catalogue.tools(call).map(|tool| tool.described(call)).collect();
    if call.server.is_broken(&fault::TOOLS_UNSORTED) {
        let turn = call.server.catalogue.turn() % tools.len().max(1);
        tools.rotate_left(turn);
    }
    let mut page = lists::page(call, "tools", tools, PAGE)?;
    if call.server.is_broken(&fault::PAGES_REPEAT) {
        page["nextCursor"] = json!("again");
    }
    Ok(Reply::Done(page))
}

/// `tools/call`
pub(crate) fn call(call: &Call) -> Result<Reply, Stop> {
    let name = call.text("name")?;
    let tool = call.server.catalogue.tool(name).filter(|tool| tool.is_offered(call));
    if tool.is_none() && call.server.is_broken(&fault::UNKNOWN_TOOL_SUCCEEDS) {
        return Ok(Reply::Done(json!({ "content": [{ "type": "text", "text": "ok" }] })));
    }
    let tool = tool.ok_or_else(|| RpcError::invalid_params(format!("unknown tool: {name}")))?;
    let arguments = match call.params.get("arguments") {
        None => json!({}),
        Some(arguments @ Value::Object(_)) => arguments.clone(),
        Some(_) => return Err(RpcError::invalid_params("tools/call: `arguments` must be an object").into()),
    };
    let problem = tool.problem(&arguments).filter(|_| !call.server.is_broken(&fault::ARGUMENTS_UNCHECKED));
    if let Some(problem) = problem {
        return invalid(call, tool, &problem);
    }
    match tool.tool.run {
        Run::Now(run) => Ok(Reply::Done(run(call, &arguments))),
        Run::Later(run) => Ok(Reply::Later(Box::new(move |call| run(call, arguments)))),
    }
}

/// From 2025-11-25 on the model is told what is wrong with its arguments, so that it can mend them; before, the
/// specification counted that among protocol errors.
fn invalid(call: &Call, tool: &ToolEntry, problem: &str) -> Result<Reply, Stop> {
    let text = format!("invalid arguments for {}: {problem}", tool.tool.name);
    if call.version() < Version::V2025_11_25 {
        return Err(RpcError::invalid_params(text).into());
    }
    Ok(Reply::Done(json!({ "content": [{ "type": "text", "text": text }], "isError": true })))
}
