//! Tasks of 2025-11-25: how they begin, and what tasks/get and tasks/list show of them.

use protocol::capability::{TASKS_LIST, TASKS_TOOLS};
use protocol::code;
use serde_json::{Value, json};
use server::fault::{tasks as fault, tools};

use super::{TASKS, about, begin, begun, is_iso_8601, task_tool};
use crate::policy::is_fixture;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[CREATED, BEGINS_WORKING, IDS_UNIQUE, TIMES_SHOWN, TTL_SHOWN, UNKNOWN_REFUSED, LISTED, CURSOR_CHECKED];

/// How many pages of tasks are read.
const MAX_PAGES: usize = 20;

/// A server that accepts a call with `task` must answer with a CreateTaskResult. Task ids must be strings, made by the
/// server. It may refuse the call, as it may refuse any other.
const CREATED: Check = Check {
    id: "server/tasks/created",
    title: "a call that asks for a task gets one, whose id is a string",
    cites: &[
        must("basic/utilities/tasks#result-retrieval", TASKS),
        must("basic/utilities/tasks#task-id-requirements", TASKS),
    ],
    aliases: &["test_async_tool_support"],
    why: "without the id the client can neither look at the task nor fetch its result",
    fix: "answer with { task: { taskId, status, createdAt, lastUpdatedAt, ttl } }",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(created(cx))),
    fault: &fault::TASK_ID_NUMBER,
};

async fn created(cx: &ServerCx) -> Verdict {
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let answer = begin(cx, session, tool, &arguments).await?;
    if answer.reply.is_error() {
        return Err(Finding::blocked(format!("the call was refused: {}", answer.summary())));
    }
    let task = answer.expect_result()?["task"].clone();
    if task["taskId"].as_str().is_some_and(|id| !id.is_empty()) {
        return Ok(());
    }
    Err(answer.violated("task.taskId, a string", format!("task: {task}")))
}

/// A task must have the status `working` when it is created.
const BEGINS_WORKING: Check = Check {
    id: "server/tasks/begins-working",
    title: "a task begins with the status working",
    cites: &[must("basic/utilities/tasks#task-status-lifecycle", TASKS)],
    aliases: &[],
    why: "clients decide by the status whether to wait, to answer or to fetch",
    fix: "create tasks with the status working",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(begins_working(cx))),
    fault: &fault::TASK_BEGINS_PENDING,
};

/// A task that was updated since is no longer at its beginning. It may move on within the same tick of the clock; only the
/// fixture cannot, because it takes its time and asks for nothing.
async fn begins_working(cx: &ServerCx) -> Verdict {
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let answer = begin(cx, session, tool, &arguments).await?;
    let task = answer.reply.result().unwrap_or_default()["task"].clone();
    let moved = task["createdAt"] != task["lastUpdatedAt"];
    let known =
        matches!(task["status"].as_str(), Some("input_required" | "completed" | "failed" | "cancelled"));
    match task["status"].as_str() {
        None => Err(Finding::blocked("no task was created")),
        Some("working") => Ok(()),
        Some(_) if moved && known => Ok(()),
        Some(other) if known && !is_fixture(tool, cx.tools().await?) => {
            Err(Finding::not_applicable(format!("the task was {other} when it was first shown")))
        }
        Some(other) => Err(answer.violated("status working", format!("status {other}"))),
    }
}

/// A task id must be unique among all tasks of the server.
const IDS_UNIQUE: Check = Check {
    id: "server/tasks/ids-unique",
    title: "two tasks have two ids",
    cites: &[must("basic/utilities/tasks#task-id-requirements", TASKS)],
    aliases: &["test_async_tool_calls_validation"],
    why: "a client would fetch the result of another call",
    fix: "make task ids random, not derived from the call",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(ids_unique(cx))),
    fault: &fault::TASK_ID_REUSED,
};

async fn ids_unique(cx: &ServerCx) -> Verdict {
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let one = begun(cx, session, tool, &arguments).await?;
    let two = begun(cx, session, tool, &arguments).await?;
    if one == two { Err(Finding::violated("two ids", format!("{one} twice"))) } else { Ok(()) }
}

/// Every response about a task must have `createdAt` and `lastUpdatedAt`, timestamps in ISO 8601.
const TIMES_SHOWN: Check = Check {
    id: "server/tasks/times-shown",
    title: "a task says when it was created and last updated, in ISO 8601",
    cites: &[must("basic/utilities/tasks#ttl-and-resource-management", TASKS)],
    aliases: &[],
    why: "clients compute from it how long the task will be kept",
    fix: "send createdAt and lastUpdatedAt like 2025-11-25T10:30:00Z in every description of a task",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(times_shown(cx))),
    fault: &fault::TASK_TIME_NUMBER,
};

async fn times_shown(cx: &ServerCx) -> Verdict {
    looked_at(cx, |task| {
        let broken = ["createdAt", "lastUpdatedAt"].into_iter().find(|time| !is_iso_8601(&task[*time]))?;
        Some((format!("{broken}, a time in ISO 8601"), format!("{broken}: {}", task[broken])))
    })
    .await
}

/// A response to tasks/get must have `ttl`, the time for which the server really keeps the task, or null for no limit.
/// The server may override the requested one.
const TTL_SHOWN: Check = Check {
    id: "server/tasks/ttl-shown",
    title: "tasks/get says how long the task is kept",
    cites: &[must("basic/utilities/tasks#ttl-and-resource-management", TASKS)],
    aliases: &[],
    why: "a client that was not told may come too late, and find nothing",
    fix: "send ttl, the milliseconds that you really keep the task, or null for ever",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(ttl_shown(cx))),
    fault: &fault::TASK_WITHOUT_TTL,
};

async fn ttl_shown(cx: &ServerCx) -> Verdict {
    looked_at(cx, |task| match task.get("ttl") {
        Some(Value::Number(_) | Value::Null) => None,
        other => Some(("ttl, a number or null".to_owned(), format!("ttl: {other:?}"))),
    })
    .await
}

/// Creates a task and gets it; `flaw` says what is wrong with either response.
async fn looked_at(cx: &ServerCx, flaw: impl Fn(&Value) -> Option<(String, String)>) -> Verdict {
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let first = begin(cx, session, tool, &arguments).await?;
    let task = first.reply.result().unwrap_or_default()["task"].clone();
    if !task["taskId"].is_string() {
        return Err(Finding::blocked(format!("no task was created: {}", first.summary())));
    }
    let later = about(cx, session, "tasks/get", &task["taskId"]).await?;
    let got = later.expect_result()?;
    for (answer, task) in [(later, got), (first, task)] {
        if let Some((expected, actual)) = flaw(&task) {
            return Err(answer.violated(expected, actual));
        }
    }
    Ok(())
}

/// Tasks, protocol errors: tasks/get, tasks/result and tasks/cancel must answer -32602 to an unknown task id.
const UNKNOWN_REFUSED: Check = Check {
    id: "server/tasks/unknown-refused",
    title: "a request about a task that does not exist is refused with -32602",
    cites: &[must("basic/utilities/tasks#protocol-errors", TASKS)],
    aliases: &["test_async_tool_calls_validation"],
    why: "clients tell by the code that the task has expired, and stop asking",
    fix: "answer -32602 to tasks/get, tasks/result and tasks/cancel with an unknown taskId",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(unknown_refused(cx))),
    fault: &fault::TASK_UNKNOWN_WRONG_CODE,
};

async fn unknown_refused(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_TOOLS).await?;
    let cancels = cx.needs(protocol::capability::TASKS_CANCEL).await.is_ok();
    let session = cx.session().await?;
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        if method == "tasks/cancel" && !cancels {
            continue;
        }
        let answer = about(cx, session, method, &json!("yardstick-no-such-task")).await?;
        answer.expect_error(&[code::INVALID_PARAMS])?;
    }
    Ok(())
}

/// If a client can get a task with tasks/get, it must find it with tasks/list too.
const LISTED: Check = Check {
    id: "server/tasks/listed",
    title: "a task that tasks/get returns is in tasks/list",
    cites: &[must("basic/utilities/tasks#task-listing", TASKS)],
    aliases: &[],
    why: "a client that lost an id can find its task only in the list",
    fix: "list every task of the requestor, page by page with nextCursor",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed(cx))),
    fault: &fault::TASK_UNLISTED,
};

async fn listed(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_LIST).await?;
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let id = begun(cx, session, tool, &arguments).await?;
    let mut pages = cx.pages(session, "tasks/list", json!({}), MAX_PAGES);
    while let Some(answer) = pages.next().await {
        let answer = answer?;
        let page = answer.expect_result()?;
        if page["tasks"].as_array().into_iter().flatten().any(|task| task["taskId"] == id) {
            return Ok(());
        }
        if !pages.is_cut_short() {
            // The server may have deleted it meanwhile: it decides how long tasks are kept.
            if about(cx, session, "tasks/get", &id).await?.reply.result().is_none() {
                return Err(Finding::not_applicable("tasks/get does not find the task either"));
            }
            return Err(answer.violated(format!("task {id} in the list"), "a list without it"));
        }
    }
    Err(Finding::blocked("the list has too many pages"))
}

/// Tasks, protocol errors: tasks/list must answer -32602 to an invalid cursor.
const CURSOR_CHECKED: Check = Check {
    id: "server/tasks/bad-cursor-refused",
    title: "tasks/list refuses a made-up cursor with -32602",
    cites: &[must("basic/utilities/tasks#protocol-errors", TASKS)],
    aliases: &[],
    why: "a client that mixes up its cursors would read the wrong page without noticing",
    fix: "answer -32602 to a cursor that is not yours",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(cursor_checked(cx))),
    fault: &tools::CURSOR_UNCHECKED,
};

async fn cursor_checked(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_LIST).await?;
    let params = json!({ "cursor": "yardstick-made-this-up" });
    let answer = cx.request("tasks/list").await?.params(params).send().await?;
    answer.expect_error(&[code::INVALID_PARAMS])
}
