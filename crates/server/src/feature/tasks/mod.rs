//! Tasks: requests that are worked on by themselves.
//!
//! They exist twice. In 2025-11-25 the client asks for a task (`params.task`), looks after it with `tasks/get` and
//! `tasks/list`, and fetches its end, and the questions on the way, with `tasks/result`. In 2026-07-28 they are the
//! extension `io.modelcontextprotocol/tasks`: the server decides, `tasks/get` shows everything, `tasks/update` takes
//! answers. `state` is the machine behind both.

mod start;
mod state;
mod store;
mod task;

use std::sync::Arc;

use protocol::meta::RELATED_TASK;
use protocol::{Era, code};
use serde_json::{Value, json};
use transport::serve::Out;

use self::task::Next;
use crate::context::{Call, Reply, Stop};
use crate::fault::tasks as fault;
use crate::lists;
use crate::rpc::RpcError;

pub(crate) use start::{Plan, plan, start};
pub(crate) use store::Tasks;
pub(crate) use task::Task;

/// Small enough that a test can have more than one page.
const PAGE: usize = 10;

/// The task of that id, with everything that there is to tell.
pub(crate) fn described(call: &Call, id: &str) -> Option<Value> {
    let task = call.server.tasks.find(call.version().era(), &call.peer, id)?;
    Some(task.described())
}

/// `tasks/get`
pub(crate) fn get(call: &Call) -> Result<Reply, Stop> {
    Ok(Reply::Done(find(call)?.described()))
}

/// `tasks/list` (2025-11-25)
pub(crate) fn list(call: &Call) -> Result<Reply, Stop> {
    let tasks = call.server.tasks.of(Era::Legacy, &call.peer);
    let tasks = tasks.iter().map(|task| task.outlined()).collect();
    Ok(Reply::Done(lists::page(call, "tasks", tasks, PAGE)?))
}

/// `tasks/cancel`: once it has ended that is an error in 2025-11-25, and nothing to speak of in 2026-07-28.
pub(crate) fn cancel(call: &Call) -> Result<Reply, Stop> {
    let task = find(call)?;
    if call.server.is_broken(&fault::TASK_CANCEL_REFUSED) {
        return Err(RpcError::new(code::INTERNAL_ERROR, "tasks cannot be cancelled here").into());
    }
    let cancelled = task.cancel(&call.server) || call.server.is_broken(&fault::TASK_CANCELLED_TWICE);
    match call.version().era() {
        Era::Modern => Ok(Reply::Done(json!({}))),
        Era::Legacy if cancelled => Ok(Reply::Done(task.outlined())),
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
    if !call.server.is_broken(&fault::TASK_UPDATE_IGNORED) {
        task.answer(&call.server, responses);
    }
    Ok(Reply::Done(json!({})))
}

/// `tasks/result` (2025-11-25): waits for the end, and meanwhile asks what the task asks.
pub(crate) fn result(call: &Call) -> Result<Reply, Stop> {
    let task = find(call)?;
    if call.server.is_broken(&fault::TASK_RESULT_EARLY) && !task.status().is_terminal() {
        return Err(RpcError::invalid_params("the task has not ended").into());
    }
    Ok(Reply::Later(Box::new(|call| Box::pin(async move { wait(&call, &task).await }))))
}

async fn wait(call: &Call, task: &Task) -> Result<Value, Stop> {
    loop {
        match task.next().await {
            Next::Request(request) => {
                if let Some(out) = &call.out {
                    // The client has gone; the request can be answered all the same, or times out with the task.
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
