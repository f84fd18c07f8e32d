//! The tasks extension of 2026-07-28 (SEP-2663): how a task gets its input, is cancelled, and ends.

use std::time::Duration;

use protocol::Span;
use serde_json::{Value, json};
use server::fault::tasks as fault;
use tokio::time::Instant;
use transport::client::Session;

use super::about;
use super::extension::{id_of, started, with_tasks};
use crate::checks::server::fixture::responses;
use crate::expect::Answer;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] =
    &[OUTCOME_SHOWN, TOOL_ERROR_COMPLETES, INPUT_TAKEN, ACKNOWLEDGED_EMPTY, CANCEL_ACKNOWLEDGED];

/// How long to wait before a task is asked for again, unless it says itself, and how long to go on asking.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const TASK_TIMEOUT: Duration = Duration::from_secs(3);

/// tasks/get must return the result of a completed task, and the JSON-RPC error of a failed one.
const OUTCOME_SHOWN: Check = Check {
    id: "server/tasks/extension-outcome-shown",
    title: "tasks/get returns the result of a completed task, and the error of a failed one",
    cites: &[
        must("sep-2663#task-polling", Span::MODERN),
        must("sep-2663#task-execution-errors", Span::MODERN),
    ],
    aliases: &["test_async_echo_tool"],
    why: "the client has no other way to get it",
    fix: "put the result into result when completed, and the error into error when failed",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(outcome_shown(cx))),
    fault: &fault::TASK_WITHOUT_OUTCOME,
};

async fn outcome_shown(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    for (name, arguments) in
        [("slow_compute", json!({ "seconds": 0.1, "label": "yardstick" })), ("protocol_error_job", json!({}))]
    {
        let begun = match started(cx, &session, name, &arguments).await {
            Err(Finding::NotApplicable(_)) if name != "slow_compute" => continue,
            begun => begun?,
        };
        let (answer, task) = until(cx, &session, &id_of(&begun)?, is_end).await?;
        let shown = match task["status"].as_str() {
            Some("completed") => task["result"].is_object(),
            Some("failed") => ::wire::integer_of(&task["error"]["code"]).is_some(),
            Some(_) | None => return Err(Finding::blocked("the task did not end in time")),
        };
        if !shown {
            return Err(answer.violated("result when completed, error when failed", task.to_string()));
        }
    }
    Ok(())
}

/// `failed` must be used only for JSON-RPC errors. A task whose tool returned a result with `isError` must be
/// `completed`.
const TOOL_ERROR_COMPLETES: Check = Check {
    id: "server/tasks/extension-tool-error-completes",
    title: "a task whose tool reports an error is completed, not failed",
    cites: &[must_not("sep-2663#task-execution-errors", Span::MODERN)],
    aliases: &[],
    why: "failed means a protocol error; what a tool reports is for the model to read",
    fix: "use failed only for JSON-RPC errors; a result with isError is a result",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(tool_error_completes(cx))),
    fault: &fault::TASK_FAILS_FOR_TOOL,
};

async fn tool_error_completes(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let begun = started(cx, &session, "failing_job", &json!({})).await?;
    let (answer, task) = until(cx, &session, &id_of(&begun)?, is_end).await?;
    let is_error = task["result"]["isError"] == true;
    match task["status"].as_str() {
        Some("completed") if is_error => Ok(()),
        Some("failed") if is_error || task["error"].is_null() => {
            Err(answer.violated("status completed, with the result", "status failed"))
        }
        Some(_) | None => Err(Finding::not_applicable("the tool did not report an error")),
    }
}

/// A task in `input_required` must list all its open requests in `inputRequests`. The client answers them with
/// tasks/update, and the task goes on.
const INPUT_TAKEN: Check = Check {
    id: "server/tasks/extension-input-taken",
    title: "a task lists its input requests, takes the responses from tasks/update, and goes on",
    cites: &[
        must("sep-2663#task-polling", Span::MODERN),
        must("sep-2663#task-update-requests", Span::MODERN),
    ],
    aliases: &[],
    why: "a task that cannot be answered never ends",
    fix: "show outstanding requests in inputRequests, and match inputResponses by key",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(input_taken(cx))),
    fault: &fault::TASK_UPDATE_IGNORED,
};

async fn input_taken(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let (id, _) = asking(cx, &session).await?;
    let (answer, task) = until(cx, &session, &id, |task| task["status"] != "input_required").await?;
    if task["status"] == "input_required" {
        return Err(answer.violated("a task that goes on once it is answered", "status input_required"));
    }
    Ok(())
}

/// A server must acknowledge tasks/update with an empty result, whose `resultType` must be `complete`.
const ACKNOWLEDGED_EMPTY: Check = Check {
    id: "server/tasks/extension-update-acknowledged",
    title: "tasks/update is acknowledged with an empty result",
    cites: &[must("sep-2663#task-update-requests", Span::MODERN)],
    aliases: &[],
    why: "clients read the state of a task from tasks/get; a second place could contradict it",
    fix: "answer with resultType complete and nothing else",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(acknowledged_empty(cx))),
    fault: &fault::TASK_UPDATE_TALKS,
};

async fn acknowledged_empty(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let (_, updated) = asking(cx, &session).await?;
    empty(&updated)
}

/// A server must acknowledge tasks/cancel with an empty result, whose `resultType` must be `complete`. Whether and when
/// the task ends as `cancelled` is open.
const CANCEL_ACKNOWLEDGED: Check = Check {
    id: "server/tasks/extension-cancel-acknowledged",
    title: "tasks/cancel is acknowledged with an empty result",
    cites: &[must("sep-2663#task-cancellation", Span::MODERN)],
    aliases: &["test_async_tool_cancellation"],
    why: "whether the work stops is up to the server, but the client must know that its request arrived",
    fix: "answer with resultType complete and nothing else",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(cancel_acknowledged(cx))),
    fault: &fault::TASK_CANCEL_REFUSED,
};

async fn cancel_acknowledged(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let slow = json!({ "seconds": 3, "label": "yardstick" });
    let begun = started(cx, &session, "slow_compute", &slow).await?;
    let answer = about(cx, &session, "tasks/cancel", &id_of(&begun)?).await?;
    empty(&answer)
}

fn empty(answer: &Answer) -> Verdict {
    let result = answer.expect_result()?;
    let more =
        result.as_object().into_iter().flatten().find(|(name, _)| *name != "resultType" && *name != "_meta");
    match more {
        Some((name, _)) => Err(answer.violated("an empty result", format!("{name} in the result"))),
        None if result["resultType"] == "complete" => Ok(()),
        None => Err(answer.violated("resultType complete", format!("resultType {}", result["resultType"]))),
    }
}

/// Begins the task that asks for input, waits for its request and answers it: the task's id, and the response to tasks/update.
async fn asking(cx: &ServerCx, session: &Session) -> Result<(Value, Answer), Finding> {
    let begun = started(cx, session, "confirm_delete", &json!({ "filename": "yardstick.txt" })).await?;
    let id = id_of(&begun)?;
    let (answer, task) = until(cx, session, &id, |task| task["status"] != "working").await?;
    if task["status"] != "input_required" {
        return Err(Finding::not_applicable("the task did not ask"));
    }
    let given = responses(session, &task["inputRequests"]);
    if given.as_object().is_none_or(serde_json::Map::is_empty) {
        return Err(answer.violated("inputRequests that can be answered", task.to_string()));
    }
    let params = json!({ "taskId": id, "inputResponses": given });
    let updated = cx.request_on(session, "tasks/update").params(params).send().await?;
    Ok((id, updated))
}

fn is_end(task: &Value) -> bool {
    matches!(task["status"].as_str(), Some("completed" | "failed" | "cancelled"))
}

/// Polls a task until `done`, or for [`TASK_TIMEOUT`] time: the last response, and the task in it. Servers may limit how often a task
/// is polled, so the interval that it gives is kept.
async fn until(
    cx: &ServerCx,
    session: &Session,
    id: &Value,
    done: impl Fn(&Value) -> bool,
) -> Result<(Answer, Value), Finding> {
    let deadline = Instant::now() + TASK_TIMEOUT;
    loop {
        let look = about(cx, session, "tasks/get", id).await?;
        let task = look.expect_result().map_err(Finding::into_obstacle)?;
        if done(&task) {
            return Ok((look, task));
        }
        let pause =
            task["pollIntervalMs"].as_u64().map_or(POLL_INTERVAL, Duration::from_millis).max(POLL_INTERVAL);
        match deadline.checked_duration_since(Instant::now()) {
            None => return Ok((look, task)),
            Some(_) if pause > TASK_TIMEOUT => {
                let why = format!("the task is to be polled every {} ms", pause.as_millis());
                return Err(Finding::blocked(why));
            }
            Some(_) => tokio::time::sleep(pause).await,
        }
    }
}
