//! The tasks extension of 2026-07-28: who gets tasks, and what a new one looks like.

use protocol::capability::{TASKS_EXTENSION, extension};
use protocol::meta::CLIENT_CAPABILITIES;
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::{negotiation, tasks as fault};
use transport::client::{Profile, Session};

use super::{about, is_iso_8601};
use crate::checks::server::fixture::{call, fixture, fixtures};
use crate::expect::{Answer, NO_CODE};
use crate::{Check, Evidence, Excerpt, Finding, On, Party, Run, ServerCx, Verdict, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[
    NEGOTIATED_ONLY,
    NEEDS_EXTENSION,
    CREATED,
    GET_COMPLETE,
    UNKNOWN_REFUSED,
    UNDECLARED_REFUSED,
    LISTEN_UNDECLARED,
    OLD_METHODS_GONE,
];

const NEGOTIATED_ONLY: Check = Check {
    id: "server/tasks/negotiated-only",
    title: "a request that does not declare the tasks extension gets no task",
    cites: &[
        must_not("sep-2663#capability-negotiation", Span::MODERN),
        must("basic/versioning#extension-negotiation", Span::MODERN),
    ],
    aliases: &["test_dynamic_async_support"],
    why: "the client does not know what a task is, and takes the handle for the result",
    fix: "look at the clientCapabilities of this very request before you create a task",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(negotiated_only(cx))),
    fault: &fault::TASK_UNNEGOTIATED,
};

async fn negotiated_only(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_EXTENSION).await?;
    let session = cx.session().await?;
    for tool in fixtures(cx, &["slow_compute", "failing_job"]).await? {
        let arguments = if tool["name"] == "slow_compute" { quick() } else { json!({}) };
        let ask = call(cx, session, tool, &arguments).with(|r| r.meta(CLIENT_CAPABILITIES, json!({})));
        let answer = ask.send().await?;
        if answer.reply.result_type().as_deref() == Some("task") {
            return Err(answer.violated("a complete result, or error -32021", "a task"));
        }
    }
    Ok(())
}

const NEEDS_EXTENSION: Check = Check {
    id: "server/tasks/extension-required-code",
    title: "what can only be a task is refused with -32021 to clients without the extension",
    cites: &[must("sep-2663#capability-negotiation", Span::MODERN)],
    aliases: &[],
    why: "the client learns what to declare, instead of seeing a failure that it cannot mend",
    fix: "answer -32021 and name the extension in data.requiredCapabilities",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(needs_extension(cx))),
    fault: &negotiation::MISSING_CAPABILITY_WRONG_CODE,
};

/// A server may also run it as an ordinary call.
async fn needs_extension(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_EXTENSION).await?;
    let tool = fixture(cx, "failing_job").await?;
    let session = cx.session().await?;
    let ask = call(cx, session, tool, &json!({})).with(|r| r.meta(CLIENT_CAPABILITIES, json!({})));
    let answer = ask.send().await?;
    if answer.reply.result().is_some() {
        return Err(Finding::not_applicable("the tool runs without a task as well"));
    }
    answer.expect_error(&[code::MISSING_REQUIRED_CLIENT_CAPABILITY])
}

const CREATED: Check = Check {
    id: "server/tasks/extension-created",
    title: "a new task has its id, status, times and time to live",
    cites: &[must("sep-2663#polymorphic-results", Span::MODERN), must("sep-2663#tasks", Span::MODERN)],
    aliases: &["test_async_tool_support"],
    why: "the client has nothing else to go by: without them it cannot poll, or polls for ever",
    fix: "answer with resultType task, taskId, status, createdAt, lastUpdatedAt and ttlMs at the top of the result",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(created(cx))),
    fault: &fault::TASK_ID_NUMBER,
};

async fn created(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let answer = begin(cx, &session).await?;
    let task = answer.expect_result()?;
    let flaw = [
        ("taskId, a string", task["taskId"].as_str().is_some_and(|id| !id.is_empty())),
        ("status, one of five", is_status(&task["status"])),
        ("createdAt, a time in ISO 8601", is_iso_8601(&task["createdAt"])),
        ("lastUpdatedAt, a time in ISO 8601", is_iso_8601(&task["lastUpdatedAt"])),
        ("ttlMs, a number or null", matches!(task.get("ttlMs"), Some(Value::Number(_) | Value::Null))),
    ]
    .into_iter()
    .find(|(_, there)| !there);
    match flaw {
        Some((what, _)) => Err(answer.violated(what, task.to_string())),
        None => Ok(()),
    }
}

pub(super) fn is_status(status: &Value) -> bool {
    matches!(status.as_str(), Some("working" | "input_required" | "completed" | "failed" | "cancelled"))
}

const GET_COMPLETE: Check = Check {
    id: "server/tasks/extension-get",
    title: "a new task can be looked at, and the look is a complete result",
    cites: &[
        must_not("sep-2663#task-creation", Span::MODERN),
        must("sep-2663#task-polling", Span::MODERN),
        must_not("sep-2663#polymorphic-results", Span::MODERN),
    ],
    aliases: &[],
    why: "a look that calls itself a task makes the client follow the wrong one, and one that fails loses it",
    fix: "create the task before you answer, and give the result of tasks/get the resultType complete",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(get_complete(cx))),
    fault: &fault::TASK_GET_CALLED_TASK,
};

async fn get_complete(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let id = begun(cx, &session).await?;
    let answer = about(cx, &session, "tasks/get", &id).await?;
    let task = answer.expect_result()?;
    if task["taskId"] != id || !is_status(&task["status"]) {
        return Err(answer.violated(format!("task {id} and its status"), task.to_string()));
    }
    if task["resultType"] == "complete" {
        return Ok(());
    }
    Err(answer.violated("resultType complete", format!("resultType {}", task["resultType"])))
}

const UNKNOWN_REFUSED: Check = Check {
    id: "server/tasks/extension-unknown-refused",
    title: "looking at a task that does not exist is refused with -32602",
    cites: &[must("sep-2663#protocol-errors", Span::MODERN)],
    aliases: &["test_async_tool_calls_validation"],
    why: "clients tell by the code that the task has expired, and stop asking",
    fix: "answer -32602 to tasks/get with an unknown taskId",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(unknown_refused(cx))),
    fault: &fault::TASK_UNKNOWN_WRONG_CODE,
};

async fn unknown_refused(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let answer = about(cx, &session, "tasks/get", &json!("yardstick-no-such-task")).await?;
    answer.expect_error(&[code::INVALID_PARAMS])
}

const UNDECLARED_REFUSED: Check = Check {
    id: "server/tasks/extension-undeclared-refused",
    title: "the methods of tasks are refused with -32021 to requests that do not declare the extension",
    cites: &[must("sep-2663#protocol-errors", Span::MODERN)],
    aliases: &[],
    why: "what is negotiated on every request has to be looked at on every request",
    fix: "answer -32021 to tasks/get, tasks/update and tasks/cancel when the extension is not declared",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(undeclared_refused(cx))),
    fault: &fault::TASK_SERVED_UNDECLARED,
};

async fn undeclared_refused(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let id = begun(cx, &session).await?;
    let ask = cx.on(&session, "tasks/get").params(json!({ "taskId": id }));
    let answer = ask.with(|r| r.meta(CLIENT_CAPABILITIES, json!({}))).send().await?;
    answer.expect_error(&[code::MISSING_REQUIRED_CLIENT_CAPABILITY])
}

const LISTEN_UNDECLARED: Check = Check {
    id: "server/tasks/extension-listen-undeclared",
    title: "listening to tasks is refused with -32021 to requests that do not declare the extension",
    cites: &[must("sep-2663#task-status-notifications", Span::MODERN)],
    aliases: &[],
    why: "the client would wait for notifications that the server may not send it",
    fix: "answer -32021 to subscriptions/listen with taskIds when the extension is not declared",
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(listen_undeclared(cx))),
    fault: &fault::TASK_SERVED_UNDECLARED,
};

async fn listen_undeclared(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_EXTENSION).await?;
    let session = cx.alone().await?;
    let params = json!({ "notifications": { "taskIds": ["yardstick-no-such-task"] } });
    let ask = cx.on(&session, "subscriptions/listen").params(params);
    let mut pending = ask.with(|r| r.meta(CLIENT_CAPABILITIES, json!({}))).start().await?;
    let first = loop {
        match pending.next_within(cx.pace().limit()).await? {
            // What else comes on a pipe is about something else.
            Some(message) if message.method().is_some_and(|name| !name.contains("subscriptions")) => {}
            Some(message) => break message,
            None => return Err(Finding::violated("error -32021", "the end of the stream")),
        }
    };
    let code = first.value().unwrap_or_default()["error"]["code"].clone();
    if ::wire::integer_of(&code) == Some(code::MISSING_REQUIRED_CLIENT_CAPABILITY) {
        return Ok(());
    }
    if code.is_string() {
        return Err(Finding::blocked(NO_CODE));
    }
    let evidence = Evidence::new("error -32021", "another message");
    Err(Finding::Violated(Box::new(evidence.showing(Excerpt::of(Party::Server, &first.bytes)))))
}

const OLD_METHODS_GONE: Check = Check {
    id: "server/tasks/extension-old-methods-unknown",
    title: "tasks/list and tasks/result, where they are not served, are unknown",
    cites: &[must("basic/index#messages", Span::MODERN)],
    aliases: &[],
    why: "a client that knows the older tasks tells by this code that it has to poll",
    fix: "answer -32601 to tasks/list and tasks/result in this revision",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(old_methods_gone(cx))),
    fault: &fault::TASK_METHODS_KEPT,
};

async fn old_methods_gone(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_EXTENSION).await?;
    let session = with_tasks(cx).await?;
    for method in ["tasks/list", "tasks/result"] {
        let answer = about(cx, &session, method, &json!("yardstick-no-such-task")).await?;
        if answer.reply.result().is_none() {
            answer.expect_error(&[code::METHOD_NOT_FOUND])?;
        }
    }
    Ok(())
}

/// A session of a client that knows tasks.
pub(super) async fn with_tasks(cx: &ServerCx) -> Result<Session, Finding> {
    cx.needs(TASKS_EXTENSION).await?;
    let capabilities = json!({
        "sampling": {},
        "elicitation": { "form": {}, "url": {} },
        "roots": {},
        "extensions": { extension::TASKS: {} },
    });
    Ok(cx.session().await?.with_profile(Profile::default().with_capabilities(capabilities)))
}

/// Calls the fixture that takes a while; not applicable when it does not become a task.
async fn begin(cx: &ServerCx, session: &Session) -> Result<Answer, Finding> {
    started(cx, session, "slow_compute", &quick()).await
}

/// Calls a fixture; not applicable when it does not become a task.
pub(super) async fn started(
    cx: &ServerCx,
    session: &Session,
    name: &str,
    arguments: &Value,
) -> Result<Answer, Finding> {
    let tool = fixture(cx, name).await?;
    let answer = call(cx, session, tool, arguments).send().await?;
    if answer.reply.result_type().as_deref() == Some("task") {
        return Ok(answer);
    }
    Err(Finding::not_applicable(format!("{name} did not become a task: {}", answer.summary())))
}

async fn begun(cx: &ServerCx, session: &Session) -> Result<Value, Finding> {
    id_of(&begin(cx, session).await?)
}

pub(super) fn id_of(answer: &Answer) -> Result<Value, Finding> {
    let id = answer.reply.result().unwrap_or_default()["taskId"].clone();
    if id.is_string() { Ok(id) } else { Err(Finding::blocked("the task has no id")) }
}

fn quick() -> Value {
    json!({ "seconds": 0.15, "label": "yardstick" })
}
