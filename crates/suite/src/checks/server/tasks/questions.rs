//! Tasks of 2025-11-25: requests that a task sends to the client, and why it failed.

use std::time::Duration;

use protocol::meta::RELATED_TASK;
use serde_json::{Value, json};
use server::fault::tasks as fault;
use transport::client::Session;

use super::{TASKS, about, begun, outcome, task_fixture};
use crate::clients::User;
use crate::{Applies, Check, Evidence, Excerpt, Finding, Party, Run, ServerCx, Verdict, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[QUESTION_RELATED, QUESTION_SHOWN, FAILURE_EXPLAINED];

/// A request that a task sends to the client must name the task in `_meta`, under
/// `io.modelcontextprotocol/related-task`.
const QUESTION_RELATED: Check = Check {
    id: "server/tasks/question-related",
    title: "a request that a task sends names the task in _meta",
    cites: &[
        must("basic/utilities/tasks#input-required-status", TASKS),
        must("basic/utilities/tasks#associating-task-related-messages", TASKS),
    ],
    aliases: &[],
    why: "the client cannot tell its user what the question is about",
    fix: "put io.modelcontextprotocol/related-task with the taskId into the _meta of the request",
    applies: Applies::Everywhere,
    run: Run::OtherClient(|cx| Box::pin(question_related(cx))),
    fault: &fault::TASK_QUESTION_UNRELATED,
};

async fn question_related(cx: &ServerCx) -> Verdict {
    let tool = task_fixture(cx, "confirm_delete").await?;
    // On a session of its own: requests on a shared one may belong to anything.
    let session = cx.partial(&User::default()).await?;
    let id = asking(cx, &session, tool).await?;
    let ask = cx.request_on(&session, "tasks/result").params(json!({ "taskId": id }));
    let mut pending = ask.start().await?;
    while let Some(message) = pending.next_within(cx.pace().limit()).await? {
        if message.method().as_deref() != Some("elicitation/create") {
            continue;
        }
        let meta = message.params().unwrap_or_default()["_meta"].clone();
        if meta[RELATED_TASK]["taskId"] == id {
            return Ok(());
        }
        let excerpt = Excerpt::from_bytes(Party::Server, &message.bytes);
        let evidence = Evidence::new(format!("related-task with taskId {id}"), format!("_meta: {meta}"));
        return Err(Finding::Violated(Box::new(evidence.showing(excerpt))));
    }
    Err(Finding::blocked("the task did not ask"))
}

async fn asking(cx: &ServerCx, session: &Session, tool: &Value) -> Result<Value, Finding> {
    begun(cx, session, tool, &json!({ "filename": "yardstick.txt" })).await
}

/// While a task needs a message from the client, its status should be `input_required`, and should change once it has
/// all input.
const QUESTION_SHOWN: Check = Check {
    id: "server/tasks/question-shown",
    title: "a task that waits for the client has the status input_required",
    cites: &[should("basic/utilities/tasks#input-required-status", TASKS)],
    aliases: &[],
    why: "the status is what tells the client to fetch the question; it would poll for ever",
    fix: "set input_required while a request of the task is open, and working again when it is answered",
    applies: Applies::Everywhere,
    run: Run::OtherClient(|cx| Box::pin(question_shown(cx))),
    fault: &fault::TASK_QUESTION_HIDDEN,
};

async fn question_shown(cx: &ServerCx) -> Verdict {
    let tool = task_fixture(cx, "confirm_delete").await?;
    // On a session of its own: requests on a shared one may belong to anything.
    let session = cx.partial(&User::default()).await?;
    let id = asking(cx, &session, tool).await?;
    let mut look = about(cx, &session, "tasks/get", &id).await?;
    for _ in 0..10 {
        if look.expect_result()?["status"] != "working" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        look = about(cx, &session, "tasks/get", &id).await?;
    }
    let status = look.expect_result()?["status"].clone();
    if status != "input_required" {
        return Err(look.violated("status input_required", format!("status {status}")));
    }
    outcome(cx, &session, &id).await?;
    let after = about(cx, &session, "tasks/get", &id).await?;
    let status = after.reply.result().unwrap_or_default()["status"].clone();
    if status == "input_required" {
        return Err(after.violated("another status once everything is answered", "status input_required"));
    }
    Ok(())
}

/// When the underlying request failed, the response to tasks/get should have a `statusMessage` that says why.
const FAILURE_EXPLAINED: Check = Check {
    id: "server/tasks/failure-explained",
    title: "a task that has failed says why",
    cites: &[should("basic/utilities/tasks#task-execution-errors", TASKS)],
    aliases: &[],
    why: "a person who looks at the list of tasks sees only that it failed",
    fix: "put the reason into statusMessage when the status is failed",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(failure_explained(cx))),
    fault: &fault::TASK_FAILS_SILENTLY,
};

async fn failure_explained(cx: &ServerCx) -> Verdict {
    let tool = task_fixture(cx, "protocol_error_job").await?;
    let session = cx.session().await?;
    let id = begun(cx, session, tool, &json!({})).await?;
    outcome(cx, session, &id).await?;
    let answer = about(cx, session, "tasks/get", &id).await?;
    let task = answer.expect_result()?;
    match (task["status"].as_str(), &task["statusMessage"]) {
        (Some("failed"), Value::String(_)) => Ok(()),
        (Some("failed"), other) => {
            Err(answer.violated("statusMessage, a string", format!("statusMessage: {other}")))
        }
        (Some(_) | None, _) => Err(Finding::not_applicable("the task did not fail")),
    }
}
