//! How a task begins, and what is shown of it (2025-11-25).

use protocol::capability::{TASKS_LIST, TASKS_TOOLS};
use protocol::code;
use serde_json::{Value, json};
use server::fault::{tasks as fault, tools};

use super::{TASKS, about, begin, begun, is_iso_8601, task_tool};
use crate::policy::is_fixture;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[CREATED, BEGINS_WORKING, IDS_UNIQUE, TIMES_SHOWN, TTL_SHOWN, UNKNOWN_REFUSED, LISTED, CURSOR_CHECKED];

const CREATED: Check = Check {
    id: "server/tasks/created",
    title: "a call that asks for a task gets one, with an id that is a string",
    cites: &[
        must("basic/utilities/tasks#result-retrieval", TASKS),
        must("basic/utilities/tasks#task-id-requirements", TASKS),
    ],
    aliases: &["test_async_tool_support"],
    why: "without the id the client can neither look at the task nor fetch its result",
    fix: "answer with { task: { taskId, status, createdAt, lastUpdatedAt, ttl } }",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(created(cx))),
    fault: &fault::TASK_ID_NUMBER,
};

async fn created(cx: &ServerCx) -> Verdict {
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let answer = begin(cx, session, tool, &arguments).await?;
    let task = answer.expect_result()?["task"].clone();
    if task["taskId"].as_str().is_some_and(|id| !id.is_empty()) {
        return Ok(());
    }
    Err(answer.violated("task.taskId, a string", format!("task: {task}")))
}

const BEGINS_WORKING: Check = Check {
    id: "server/tasks/begins-working",
    title: "a task begins with the status working",
    cites: &[must("basic/utilities/tasks#task-status-lifecycle", TASKS)],
    aliases: &[],
    why: "clients decide by the status whether to wait, to answer or to fetch",
    fix: "create tasks with the status working",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(begins_working(cx))),
    fault: &fault::TASK_BEGINS_PENDING,
};

/// One that has moved on since is no longer at its beginning. It may do so within the same tick of the clock, but for the
/// fixture, which takes its time and asks nothing.
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

const IDS_UNIQUE: Check = Check {
    id: "server/tasks/ids-unique",
    title: "two tasks have two ids",
    cites: &[must("basic/utilities/tasks#task-id-requirements", TASKS)],
    aliases: &["test_async_tool_calls_validation"],
    why: "the result of one call is fetched as that of another",
    fix: "make ids from randomness, not from the call",
    on: On::Any,
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

const TIMES_SHOWN: Check = Check {
    id: "server/tasks/times-shown",
    title: "a task says when it was created and last updated, in ISO 8601",
    cites: &[must("basic/utilities/tasks#ttl-and-resource-management", TASKS)],
    aliases: &[],
    why: "clients work out from it how long the task is still kept",
    fix: "send createdAt and lastUpdatedAt like 2025-11-25T10:30:00Z in every description of a task",
    on: On::Any,
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

const TTL_SHOWN: Check = Check {
    id: "server/tasks/ttl-shown",
    title: "tasks/get says how long the task is kept",
    cites: &[must("basic/utilities/tasks#ttl-and-resource-management", TASKS)],
    aliases: &[],
    why: "a client that comes too late finds nothing, and nobody told it",
    fix: "send ttl, the milliseconds that you really keep the task, or null for ever",
    on: On::Any,
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

/// Creates a task and looks at it; `flaw` says what is wrong with it.
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

const UNKNOWN_REFUSED: Check = Check {
    id: "server/tasks/unknown-refused",
    title: "a task that does not exist is refused with -32602",
    cites: &[must("basic/utilities/tasks#protocol-errors", TASKS)],
    aliases: &["test_async_tool_calls_validation"],
    why: "clients tell by the code that the task has expired, and stop asking",
    fix: "answer -32602 to tasks/get, tasks/result and tasks/cancel with an unknown taskId",
    on: On::Any,
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

const LISTED: Check = Check {
    id: "server/tasks/listed",
    title: "a task that can be looked at is in the list",
    cites: &[must("basic/utilities/tasks#task-listing", TASKS)],
    aliases: &[],
    why: "a client that lost an id finds its task again by the list alone",
    fix: "list every task of the requestor, page by page with nextCursor",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(listed(cx))),
    fault: &fault::TASK_UNLISTED,
};

async fn listed(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_LIST).await?;
    let (tool, arguments) = task_tool(cx, false).await?;
    let session = cx.session().await?;
    let id = begun(cx, session, tool, &arguments).await?;
    let mut params = json!({});
    for _ in 0..20 {
        let answer = cx.on(session, "tasks/list").params(params).send().await?;
        let page = answer.expect_result()?;
        if page["tasks"].as_array().into_iter().flatten().any(|task| task["taskId"] == id) {
            return Ok(());
        }
        match page.get("nextCursor").filter(|cursor| cursor.is_string()) {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => return Err(answer.violated(format!("task {id} in the list"), "a list without it")),
        }
    }
    Err(Finding::blocked("the list has too many pages"))
}

const CURSOR_CHECKED: Check = Check {
    id: "server/tasks/bad-cursor-refused",
    title: "a cursor that tasks/list did not hand out is refused with -32602",
    cites: &[must("basic/utilities/tasks#protocol-errors", TASKS)],
    aliases: &[],
    why: "a client that mixes up its cursors would read the wrong page without noticing",
    fix: "answer -32602 to a cursor that is not yours",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(cursor_checked(cx))),
    fault: &tools::CURSOR_UNCHECKED,
};

async fn cursor_checked(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_LIST).await?;
    let params = json!({ "cursor": "yardstick-made-this-up" });
    let answer = cx.request("tasks/list").await?.params(params).send().await?;
    answer.expect_error(&[code::INVALID_PARAMS])
}
