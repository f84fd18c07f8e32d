//! Tasks of 2025-11-25: which calls may become tasks, and which may not.

use protocol::capability::{Capabilities, TASKS_TOOLS};
use protocol::code;
use serde_json::{Value, json};
use server::fault::tasks as fault;

use super::{TASKS, begin};
use crate::checks::server::fixture::call;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[REQUIRED_REFUSED, FORBIDDEN_REFUSED, UNDECLARED_IGNORED];

/// If `taskSupport` of a tool is `required`, the server must answer a call without a task with -32601. The section on protocol
/// errors gives -32600 for the same case, so that passes too.
const REQUIRED_REFUSED: Check = Check {
    id: "server/tasks/required-enforced",
    title: "a tool that runs only as a task refuses an ordinary call with -32601 or -32600",
    cites: &[must("basic/utilities/tasks#tool-level-negotiation", TASKS)],
    aliases: &["test_async_tools_capability"],
    why: "the client would wait for hours on one request",
    fix: "answer -32601 when taskSupport is required and the call has no task",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(required_refused(cx))),
    fault: &fault::TASK_SUPPORT_IGNORED,
};

async fn required_refused(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_TOOLS).await?;
    let (tool, good) = of_support(cx, |support| support == "required").await?;
    let answer = call(cx, cx.session().await?, tool, &good).send().await?;
    answer.expect_error(&[code::METHOD_NOT_FOUND, code::INVALID_REQUEST])
}

/// If `taskSupport` of a tool is missing or `forbidden`, the server should answer a call as a task with -32601.
const FORBIDDEN_REFUSED: Check = Check {
    id: "server/tasks/forbidden-refused",
    title: "a tool that cannot run as a task refuses a call as one with -32601",
    cites: &[should("basic/utilities/tasks#tool-level-negotiation", TASKS)],
    aliases: &["test_async_tools_capability"],
    why: "the client waits for a task, and gets a result that it does not expect",
    fix: "answer -32601 when the call asks for a task and taskSupport is missing or forbidden",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(forbidden_refused(cx))),
    fault: &fault::TASK_SUPPORT_IGNORED,
};

async fn forbidden_refused(cx: &ServerCx) -> Verdict {
    cx.needs(TASKS_TOOLS).await?;
    let (tool, good) = of_support(cx, |support| support == "forbidden").await?;
    begin(cx, cx.session().await?, tool, &good).await?.expect_error(&[code::METHOD_NOT_FOUND])
}

/// A server that does not declare tasks for a kind of request must process it normally, and ignore that it asks for a
/// task.
const UNDECLARED_IGNORED: Check = Check {
    id: "server/tasks/undeclared-ignored",
    title: "a request that cannot be a task is served normally even if it asks for one",
    cites: &[must("basic/utilities/tasks#task-support-and-handling", TASKS)],
    aliases: &["test_dynamic_async_support"],
    why: "a client that always asks for tasks gets errors from every server that has none",
    fix: "ignore the member task of the params for requests that you declared no tasks for",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(undeclared_ignored(cx))),
    fault: &fault::TASK_UNDECLARED,
};

/// Lists can never be tasks; calls cannot where the capability was not declared.
async fn undeclared_ignored(cx: &ServerCx) -> Verdict {
    let params = json!({ "task": { "ttl": 1000 } });
    cx.tools().await?;
    let list = cx.request("tools/list").await?.params(params).send().await?;
    if !list.expect_result()?["tools"].is_array() {
        return Err(list.violated("the list of tools", "another result"));
    }
    let declared = cx.capabilities().await?;
    if Capabilities::from_value(&declared).has(TASKS_TOOLS) {
        return Ok(());
    }
    let (tool, good) = match of_support(cx, |_| true).await {
        Err(Finding::NotApplicable(_)) => return Ok(()),
        found => found?,
    };
    let answer = begin(cx, cx.session().await?, tool, &good).await?;
    if answer.reply.is_error() {
        // The tool may refuse our arguments, whether as a task or not.
        let plain = call(cx, cx.session().await?, tool, &good).send().await?;
        if plain.reply.result().is_none() {
            return Ok(());
        }
    }
    let result = answer.expect_result()?;
    if result["content"].is_array() {
        return Ok(());
    }
    Err(answer.violated("the ordinary result of the call", result.to_string()))
}

/// A harmless tool with that support for tasks, and arguments for it.
async fn of_support(cx: &ServerCx, fits: impl Fn(&str) -> bool) -> Result<(&Value, Value), Finding> {
    for tool in cx.harmless_tools().await? {
        let support = tool["execution"]["taskSupport"].as_str().unwrap_or("forbidden");
        if let Some(good) = cx.arguments_for(tool).await.filter(|_| fits(support)) {
            return Ok((tool, good));
        }
    }
    Err(cx.no_tool("has such support for tasks").await)
}
