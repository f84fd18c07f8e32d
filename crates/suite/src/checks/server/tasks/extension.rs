//! The tasks extension of 2026-07-28 (SEP-2663): which requests get tasks, and what a new one looks like.

use protocol::capability::{TASKS_EXTENSION, extension};
use protocol::meta::CLIENT_CAPABILITIES;
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::{negotiation, tasks as fault};
use transport::client::{Profile, Session};

use super::{about, is_iso_8601};
use crate::checks::server::fixture::{call, fixture, fixtures};
use crate::expect::{Answer, NO_CODE};
use crate::verdict::expect_none;
use crate::{
    Applies, Check, Evidence, Excerpt, Finding, Party, Run, ServerCx, Verdict, defined, must, must_not,
};

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

/// A server must not return a task for a request that did not declare the extension, whatever earlier ones declared.
const NEGOTIATED_ONLY: Check = Check {
    id: "server/tasks/negotiated-only",
    title: "a request that does not declare the tasks extension gets no task",
    cites: &[
        must_not("sep-2663#capability-negotiation", Span::MODERN),
        must("basic/versioning#extension-negotiation", Span::MODERN),
    ],
    aliases: &["test_dynamic_async_support"],
    why: "the client does not know what a task is, and takes it for the result",
    fix: "check the clientCapabilities of the request at hand before you create a task",
    applies: Applies::Everywhere,
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

/// If a server cannot serve a request without a task, and the client did not declare the extension, the server must
/// answer -32021.
const NEEDS_EXTENSION: Check = Check {
    id: "server/tasks/extension-required-code",
    title: "a call that can only run as a task is refused with -32021 without the extension",
    cites: &[must("sep-2663#capability-negotiation", Span::MODERN)],
    aliases: &[],
    why: "the client learns what to declare, instead of seeing a failure that it cannot fix",
    fix: "answer -32021 and name the extension in data.requiredCapabilities",
    applies: Applies::Everywhere,
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

/// The extension defines the fields of a task. Only a response with the `resultType` `task` creates one.
const CREATED: Check = Check {
    id: "server/tasks/extension-created",
    title: "a new task has its id, status, times and time to live",
    cites: &[defined("sep-2663#tasks", Span::MODERN)],
    aliases: &["test_async_tool_support"],
    why: "the client has nothing else to go by: without them it cannot poll, or polls for ever",
    fix: "answer with resultType task, taskId, status, createdAt, lastUpdatedAt and ttlMs at the top of the result",
    applies: Applies::Everywhere,
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
    expect_none(flaw, |(what, _)| answer.violated(what, task.to_string()))
}

pub(super) fn is_status(status: &Value) -> bool {
    matches!(status.as_str(), Some("working" | "input_required" | "completed" | "failed" | "cancelled"))
}

/// A server must create a task durably before it returns it, so that tasks/get finds it. The result of tasks/get must
/// have the `resultType` `complete`: only the one that creates a task may have `task`.
const GET_COMPLETE: Check = Check {
    id: "server/tasks/extension-get",
    title: "tasks/get finds a new task, and its result has the resultType complete",
    cites: &[
        must_not("sep-2663#task-creation", Span::MODERN),
        must("sep-2663#task-polling", Span::MODERN),
        must_not("sep-2663#polymorphic-results", Span::MODERN),
    ],
    aliases: &[],
    why: "with resultType task the client would follow a new task, and with an error it would lose this one",
    fix: "create the task before you answer, and give the result of tasks/get the resultType complete",
    applies: Applies::Everywhere,
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

/// Protocol errors: a server must answer tasks/get with -32602 if the task id is unknown. For tasks/update and
/// tasks/cancel it only should.
const UNKNOWN_REFUSED: Check = Check {
    id: "server/tasks/extension-unknown-refused",
    title: "tasks/get of a task that does not exist is refused with -32602",
    cites: &[must("sep-2663#protocol-errors", Span::MODERN)],
    aliases: &["test_async_tool_calls_validation"],
    why: "clients tell by the code that the task has expired, and stop asking",
    fix: "answer -32602 to tasks/get with an unknown taskId",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(unknown_refused(cx))),
    fault: &fault::TASK_UNKNOWN_WRONG_CODE,
};

async fn unknown_refused(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let answer = about(cx, &session, "tasks/get", &json!("yardstick-no-such-task")).await?;
    answer.expect_error(&[code::INVALID_PARAMS])
}

/// Protocol errors: a server must answer -32021 to tasks/get, tasks/update and tasks/cancel if the request does not
/// declare the extension.
const UNDECLARED_REFUSED: Check = Check {
    id: "server/tasks/extension-undeclared-refused",
    title: "a request about a task is refused with -32021 if it does not declare the extension",
    cites: &[must("sep-2663#protocol-errors", Span::MODERN)],
    aliases: &[],
    why: "clients declare capabilities with every request, so a server has to check them for every request",
    fix: "answer -32021 to tasks/get, tasks/update and tasks/cancel when the extension is not declared",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(undeclared_refused(cx))),
    fault: &fault::TASK_SERVED_UNDECLARED,
};

async fn undeclared_refused(cx: &ServerCx) -> Verdict {
    let session = with_tasks(cx).await?;
    let id = begun(cx, &session).await?;
    let ask = cx.request_on(&session, "tasks/get").params(json!({ "taskId": id }));
    let answer = ask.with(|r| r.meta(CLIENT_CAPABILITIES, json!({}))).send().await?;
    answer.expect_error(&[code::MISSING_REQUIRED_CLIENT_CAPABILITY])
}

/// A server must answer an error that names the missing capability (-32021) to a subscription for tasks if the request
/// does not declare the extension.
const LISTEN_UNDECLARED: Check = Check {
    id: "server/tasks/extension-listen-undeclared",
    title: "a subscription to tasks is refused with -32021 if it does not declare the extension",
    cites: &[must("sep-2663#task-status-notifications", Span::MODERN)],
    aliases: &[],
    why: "the client would wait for notifications that the server may not send it",
    fix: "answer -32021 to subscriptions/listen with taskIds when the extension is not declared",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(listen_undeclared(cx))),
    fault: &fault::TASK_SERVED_UNDECLARED,
};

async fn listen_undeclared(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_EXTENSION).await?;
    let session = cx.exclusive_session().await?;
    let params = json!({ "notifications": { "taskIds": ["yardstick-no-such-task"] } });
    let ask = cx.request_on(&session, "subscriptions/listen").params(params);
    let mut pending = ask.with(|r| r.meta(CLIENT_CAPABILITIES, json!({}))).start().await?;
    let first = loop {
        match pending.next_within(cx.pace().limit()).await? {
            // On a pipe, messages that belong to other requests may come first.
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
    Err(Finding::Violated(Box::new(evidence.showing(Excerpt::from_bytes(Party::Server, &first.bytes)))))
}

/// The extension has neither tasks/list nor tasks/result. Messages must follow JSON-RPC 2.0, which has -32601 for a
/// method that a server does not have. No page forbids serving them all the same, and then the task of this request is
/// unknown.
const OLD_METHODS_GONE: Check = Check {
    id: "server/tasks/extension-old-methods-unknown",
    title: "tasks/list and tasks/result are served, or answered with -32601",
    cites: &[must("basic/index#messages", Span::MODERN)],
    aliases: &[],
    why: "this code tells a client that knows the older tasks that it has to poll",
    fix: "answer -32601 to tasks/list and tasks/result in this revision",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(old_methods_gone(cx))),
    fault: &fault::TASK_METHODS_KEPT,
};

async fn old_methods_gone(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_EXTENSION).await?;
    let session = with_tasks(cx).await?;
    for method in ["tasks/list", "tasks/result"] {
        let answer = about(cx, &session, method, &json!("yardstick-no-such-task")).await?;
        if answer.reply.result().is_none() {
            answer.expect_error(&[code::METHOD_NOT_FOUND, code::INVALID_PARAMS])?;
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
