//! Tasks of 2025-11-25: how they end, with a result, an error or a cancellation.

use protocol::capability::TASKS_CANCEL;
use protocol::code;
use protocol::meta::RELATED_TASK;
use serde_json::json;
use server::fault::tasks as fault;

use super::{TASKS, about, begun, outcome, task_fixture, task_tool};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[RESULT_WAITS, RESULT_RELATED, ERROR_RETURNED, CANCELLED, END_NOT_CANCELLED];

/// tasks/result must block until the task has ended, and must then return exactly what the underlying request would
/// have returned. If that failed, it is an error.
const RESULT_WAITS: Check = Check {
    id: "server/tasks/result-waits",
    title: "tasks/result waits for the end of the task, and returns the result of the call",
    cites: &[must("basic/utilities/tasks#result-retrieval", TASKS)],
    aliases: &["test_async_echo_tool"],
    why: "clients ask for the result once, and take the response for the final one",
    fix: "hold the response to tasks/result until the task has ended",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(result_waits(cx))),
    fault: &fault::TASK_RESULT_EARLY,
};

async fn result_waits(cx: &ServerCx) -> Verdict {
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let id = begun(cx, session, tool, &arguments).await?;
    let answer = outcome(cx, session, &id).await?;
    if answer.reply.is_error() {
        let task = about(cx, session, "tasks/get", &id).await?.reply.result().unwrap_or_default();
        if matches!(task["status"].as_str(), Some("failed" | "cancelled")) {
            return Err(Finding::not_applicable("the task did not end with a result"));
        }
    }
    let result = answer.expect_result()?;
    if result["content"].is_array() {
        return Ok(());
    }
    Err(answer.violated("the result of the call, with content", result.to_string()))
}

/// Every message about a task must name it in `_meta`, under `io.modelcontextprotocol/related-task`. That includes the
/// response to tasks/result, which has no other place for the id.
const RESULT_RELATED: Check = Check {
    id: "server/tasks/result-related",
    title: "the result of tasks/result names its task in _meta",
    cites: &[
        must("basic/utilities/tasks#related-task-metadata", TASKS),
        must("basic/utilities/tasks#associating-task-related-messages", TASKS),
    ],
    aliases: &[],
    why: "the result of a call does not say which task it is from",
    fix: "put io.modelcontextprotocol/related-task with the taskId into the _meta of the result",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(result_related(cx))),
    fault: &fault::TASK_RESULT_UNRELATED,
};

async fn result_related(cx: &ServerCx) -> Verdict {
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let id = begun(cx, session, tool, &arguments).await?;
    let answer = outcome(cx, session, &id).await?;
    let Some(result) = answer.reply.result() else {
        return Err(Finding::blocked(format!("tasks/result has no result: {}", answer.summary())));
    };
    if result["_meta"][RELATED_TASK]["taskId"] == id {
        return Ok(());
    }
    Err(answer.violated(format!("related-task with taskId {id}"), format!("_meta: {}", result["_meta"])))
}

/// If the underlying request ended in a JSON-RPC error, tasks/result must return that error.
const ERROR_RETURNED: Check = Check {
    id: "server/tasks/error-returned",
    title: "tasks/result returns the error in which the request ended",
    cites: &[must("basic/utilities/tasks#task-execution-errors", TASKS)],
    aliases: &[],
    why: "the client would take a failure for a success",
    fix: "keep the error of the request, and answer tasks/result with it",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(error_returned(cx))),
    fault: &fault::TASK_ERROR_SWALLOWED,
};

async fn error_returned(cx: &ServerCx) -> Verdict {
    let tool = task_fixture(cx, "protocol_error_job").await?;
    let session = cx.session().await?;
    let id = begun(cx, session, tool, &json!({})).await?;
    outcome(cx, session, &id).await?.expect_any_error()
}

/// A server that accepts tasks/cancel must set the status to `cancelled` before it responds, and the task must keep
/// that status. The server may delete the task at once.
const CANCELLED: Check = Check {
    id: "server/tasks/cancelled",
    title: "a cancelled task has the status cancelled from the response on",
    cites: &[must("basic/utilities/tasks#task-cancellation", TASKS)],
    aliases: &["test_async_tool_cancellation"],
    why: "the client shows the task as stopped, while it goes on",
    fix: "set the status before you answer tasks/cancel, whatever the work still does",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(cancelled(cx))),
    fault: &fault::TASK_CANCEL_PENDING,
};

async fn cancelled(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_CANCEL).await?;
    let (tool, arguments) = task_tool(cx, true).await?;
    let session = cx.session().await?;
    let id = begun(cx, session, tool, &arguments).await?;
    let answer = about(cx, session, "tasks/cancel", &id).await?;
    if answer.reply.code() == Some(code::INVALID_PARAMS) {
        return Err(Finding::not_applicable("the task had ended before it could be cancelled"));
    }
    let task = answer.expect_result()?;
    if task["status"] != "cancelled" {
        return Err(answer.violated("status cancelled", format!("status {}", task["status"])));
    }
    let later = about(cx, session, "tasks/get", &id).await?;
    // It may be gone by now.
    match later.reply.result() {
        Some(task) if task["status"] != "cancelled" => {
            Err(later.violated("status cancelled", format!("status {}", task["status"])))
        }
        Some(_) | None => Ok(()),
    }
}

/// A server must refuse to cancel a task that has ended, with -32602.
const END_NOT_CANCELLED: Check = Check {
    id: "server/tasks/ended-not-cancelled",
    title: "cancelling a task that has ended is refused with -32602",
    cites: &[
        must("basic/utilities/tasks#task-cancellation", TASKS),
        must("basic/utilities/tasks#protocol-errors", TASKS),
    ],
    aliases: &["test_dynamic_async_cancellation"],
    why: "the client would believe that nothing was done",
    fix: "answer -32602 to tasks/cancel when the task is completed, failed or cancelled",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(end_not_cancelled(cx))),
    fault: &fault::TASK_CANCELLED_TWICE,
};

async fn end_not_cancelled(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_CANCEL).await?;
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let id = begun(cx, session, tool, &arguments).await?;
    let ended = outcome(cx, session, &id).await?;
    if ended.reply.result().is_none() {
        return Err(Finding::blocked(format!("the task did not end well: {}", ended.summary())));
    }
    about(cx, session, "tasks/cancel", &id).await?.expect_error(&[code::INVALID_PARAMS])
}
