//! `tools/list` and `tools/call`.

use std::sync::LazyLock;

use protocol::{Era, Version};
use serde_json::{Value, json};

use crate::call::{Call, Later, Reply, Stop, Work};
use crate::catalogue::tool::{failure, text};
use crate::catalogue::{Run, ToolEntry};
use crate::feature::tasks::{self, Plan};
use crate::lists;
use crate::rpc::RpcError;

/// More than there are, so that clients that read only one page see every tool.
const PAGE_SIZE: usize = 200;

/// The arguments of a call that gives none.
static EMPTY: LazyLock<Value> = LazyLock::new(|| json!({}));

/// `tools/list`
pub(crate) fn list(call: &Call) -> Result<Reply, Stop> {
    let tools = call.server.catalogue.tools(call).map(|tool| tool.describe(call)).collect();
    Ok(Reply::Done(lists::page(call, "tools", tools, PAGE_SIZE)?))
}

/// `tools/call`
pub(crate) fn call(call: &Call) -> Result<Reply, Stop> {
    let name = call.text("name")?;
    let tool = call.server.catalogue.tool(name).filter(|tool| tool.is_offered(call));
    let tool = tool.ok_or_else(|| RpcError::invalid_params(format!("unknown tool: {name}")))?;
    let plan = tasks::plan(call, tool.tool)?;
    let arguments = match call.params.get("arguments") {
        None => &EMPTY,
        Some(arguments @ Value::Object(_)) => arguments,
        Some(_) => return Err(RpcError::invalid_params("tools/call: `arguments` must be an object").into()),
    };
    if let Some(problem) = tool.problem(arguments) {
        return invalid(call, tool, plan, &problem);
    }
    run(call, tool.tool.run, plan, arguments)
}

fn run(call: &Call, run: Run, plan: Plan, arguments: &Value) -> Result<Reply, Stop> {
    match (plan, run) {
        (Plan::Call, Run::Now(run)) => Ok(Reply::Done(run(call, arguments))),
        (Plan::Call, Run::Text(run)) => Ok(Reply::Text(run(arguments))),
        (Plan::Call, Run::Later(run)) => {
            let arguments = arguments.clone();
            Ok(Reply::Later(Box::new(move |call| run(call, arguments))))
        }
        (Plan::Call, Run::Staged(before, after)) => {
            let arguments = arguments.clone();
            Ok(Reply::Later(run_stages(before, after, arguments)))
        }
        (Plan::Task(ttl), Run::Staged(before, after)) if call.version().era() == Era::Modern => {
            let arguments = arguments.clone();
            Ok(Reply::Later(Box::new(move |call| {
                Box::pin(async move {
                    let made = before(call.clone(), arguments).await?;
                    Ok(tasks::start(&call, ttl, move |call| after(call, made))?)
                })
            })))
        }
        (Plan::Task(ttl), run) => {
            let arguments = arguments.clone();
            Ok(Reply::Done(tasks::start(call, ttl, run_whole(run, arguments))?))
        }
    }
}

/// Both stages of a tool as one piece of work.
fn run_whole(run: Run, arguments: Value) -> Work {
    match run {
        Run::Now(run) => Box::new(move |call| Box::pin(async move { Ok(run(&call, &arguments)) })),
        Run::Text(run) => Box::new(move |_| Box::pin(async move { Ok(text(run(&arguments))) })),
        Run::Later(run) => Box::new(move |call| run(call, arguments)),
        Run::Staged(before, after) => run_stages(before, after, arguments),
    }
}

fn run_stages(before: fn(Call, Value) -> Later, after: fn(Call, Value) -> Later, arguments: Value) -> Work {
    Box::new(move |call| {
        Box::pin(async move {
            let made = before(call.clone(), arguments).await?;
            after(call, made).await
        })
    })
}

/// From 2025-11-25 on the model gets a result that says what is wrong with its arguments, so that it can correct them.
/// Before, the specification made that a protocol error. A client that asked for a task gets a task or an error.
fn invalid(call: &Call, tool: &ToolEntry, plan: Plan, problem: &str) -> Result<Reply, Stop> {
    let text = format!("invalid arguments for {}: {problem}", tool.tool.name);
    let wants_task = plan != Plan::Call && call.version().era() == Era::Legacy;
    if wants_task || call.version() < Version::V2025_11_25 {
        return Err(RpcError::invalid_params(text).into());
    }
    Ok(Reply::Done(failure(text)))
}
