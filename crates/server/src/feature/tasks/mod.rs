//! Tasks: requests that run in the background.
//!
//! There are two kinds. In 2025-11-25 the client asks for a task (`params.task`), polls it with `tasks/get` and
//! `tasks/list`, and gets its questions and its result with `tasks/result`. In 2026-07-28 they are the extension
//! `io.modelcontextprotocol/tasks`: the server decides, `tasks/get` shows everything, and `tasks/update` takes answers.
//! Both use the state machine in `state`.

mod start;
mod state;
mod store;
mod task;

use std::sync::Arc;

use protocol::Era;
use protocol::meta::RELATED_TASK;
use serde_json::{Value, json};
use transport::serve::Out;

use self::task::Next;
use crate::call::{Call, Reply, Stop};
use crate::lists;
use crate::rpc::RpcError;

pub(crate) use start::{Plan, plan, start};
pub(crate) use store::Tasks;
pub(crate) use task::Task;

/// Small enough that a test can have more than one page.
const PAGE_SIZE: usize = 10;

/// The task of that id, with all details.
pub(crate) fn describe(call: &Call, id: &str) -> Option<Value> {
    let task = call.server.tasks.find(call.version().era(), &call.peer, id)?;
    Some(task.describe())
}

/// `tasks/get`
pub(crate) fn get(call: &Call) -> Result<Reply, Stop> {
    Ok(Reply::Done(find(call)?.describe()))
}

/// `tasks/list` (2025-11-25)
pub(crate) fn list(call: &Call) -> Result<Reply, Stop> {
    let tasks = call.server.tasks.visible_to(Era::Legacy, &call.peer);
    let tasks = tasks.iter().map(|task| task.outline_only()).collect();
    Ok(Reply::Done(lists::page(call, "tasks", tasks, PAGE_SIZE)?))
}

/// `tasks/cancel`. For a task that has ended, it is an error in 2025-11-25 and has no effect in 2026-07-28.
pub(crate) fn cancel(call: &Call) -> Result<Reply, Stop> {
    let task = find(call)?;
    let cancelled = task.cancel(&call.server);
    match call.version().era() {
        Era::Modern => Ok(Reply::Done(json!({}))),
        Era::Legacy if cancelled => Ok(Reply::Done(task.outline_only())),
        Era::Legacy => {
            let why = format!("task {} is {} already", task.id, task.status().as_str());
            Err(RpcError::invalid_params(why).into())
        }
    }
}

/// `tasks/update` (2026-07-28)
pub(crate) fn update(call: &Call) -> Result<Reply, Stop> {
    let task = find(call)?;
    let Some(Value::Object(responses)) = call.params.get("inputResponses") else {
        return Err(RpcError::invalid_params("tasks/update: `inputResponses` must be an object").into());
    };
    task.answer(&call.server, responses);
    Ok(Reply::Done(json!({})))
}

/// `tasks/result` (2025-11-25): waits for the end, and meanwhile passes on the questions of the task.
pub(crate) fn result(call: &Call) -> Result<Reply, Stop> {
    let task = find(call)?;
    Ok(Reply::Later(Box::new(|call| Box::pin(async move { wait(&call, &task).await }))))
}

async fn wait(call: &Call, task: &Task) -> Result<Value, Stop> {
    loop {
        match task.next().await {
            Next::Request(request) => {
                if let Some(out) = &call.out {
                    // The client has gone. The question can still be answered, or times out with the task.
                    let _ = out.send(Out::Message(request)).await;
                }
            }
            Next::End(None) => {
                return Err(RpcError::invalid_params(format!("task {} was cancelled", task.id)).into());
            }
            Next::End(Some(outcome)) => {
                let mut result = outcome?;
                result["_meta"][RELATED_TASK] = json!({ "taskId": task.id });
                return Ok(result);
            }
        }
    }
}

/// The task that a request names.
fn find(call: &Call) -> Result<Arc<Task>, RpcError> {
    let id = call.text("taskId")?;
    let task = call.server.tasks.find(call.version().era(), &call.peer, id);
    task.ok_or_else(|| {
        RpcError::invalid_params(format!("no task {id}: it never was, or its time has passed"))
    })
}
