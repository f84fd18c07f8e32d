//! The dialect of mcp-validator, which is not MCP. Checked only where a server declares it, and never more than advice.

use std::time::Duration;

use protocol::Span;
use serde_json::{Value, json};
use server::fault::dialect as fault;
use transport::client::Session;

use crate::expect::Answer;
use crate::verdict::expect_none;
use crate::{Applies, Check, Cite, Finding, Run, ServerCx, Verdict, advice};

pub(in crate::checks) const CHECKS: &[Check] =
    &[ASYNC_CALL, ASYNC_REFUSED, ASYNC_CANCEL, SERVER_INFO, CONFIGURATION];

const DIALECT: &[Cite] = &[advice("https://github.com/Janix-ai/mcp-validator", Span::LEGACY)];
/// How often the status of a background call is asked for.
const MAX_POLLS: usize = 15;
/// How long to wait before asking again.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Tools that its own tests call, and one that does as little.
const SIMPLE: [&str; 3] = ["echo", "add", "test_simple_text"];
/// Tools that take their time.
const SLOW: [&str; 2] = ["sleep", "test_tool_with_progress"];

/// mcp-validator: a server that declares `tools.asyncSupported` answers tools/call-async with an id, under which
/// tools/result later gives the status and the result.
const ASYNC_CALL: Check = Check {
    id: "server/dialect/async-call",
    title: "tools/call-async returns an id, and tools/result returns the outcome for it",
    cites: DIALECT,
    aliases: &[
        "test_async_tool_support",
        "test_async_echo_tool",
        "test_async_long_running_tool",
        "test_async_tools_capability",
    ],
    why: "a client that believes tools.asyncSupported waits for a result that never comes",
    fix: "do not declare tools.asyncSupported, which is not MCP; use tasks",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(async_call(cx))),
    fault: &fault::RESULT_LOST,
};

async fn async_call(cx: &ServerCx) -> Verdict {
    let session = speaks_async(cx).await?;
    let (tool, arguments) = some_tool(cx, &SIMPLE).await?;
    let id = started(cx, &session, tool, &arguments).await?;
    let seen = followed(cx, &session, &id, |status| status != "running").await?;
    match seen.1.as_str() {
        "completed" | "error" => Ok(()),
        other => Err(seen.0.violated("status completed or error", format!("status {other}"))),
    }
}

/// mcp-validator: a call of an unknown tool, and a look at an unknown call, are errors.
const ASYNC_REFUSED: Check = Check {
    id: "server/dialect/async-refused",
    title: "tools/call-async refuses an unknown tool, and tools/result an unknown call",
    cites: DIALECT,
    aliases: &["test_async_tool_calls_validation"],
    why: "the client waits for the result of a call that was never made",
    fix: "do not declare tools.asyncSupported, which is not MCP; or answer -32602",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(async_refused(cx))),
    fault: &fault::ANY_CALL_TAKEN,
};

async fn async_refused(cx: &ServerCx) -> Verdict {
    let session = speaks_async(cx).await?;
    let params = json!({ "name": "yardstick-no-such-tool", "arguments": {} });
    cx.request_on(&session, "tools/call-async").params(params).send().await?.expect_any_error()?;
    let params = json!({ "id": "yardstick-no-such-call" });
    cx.request_on(&session, "tools/result").params(params).send().await?.expect_any_error()
}

/// mcp-validator: tools/cancel ends a call in the background, whose status is `cancelled` from then on.
const ASYNC_CANCEL: Check = Check {
    id: "server/dialect/async-cancel",
    title: "tools/cancel ends a call that is in progress",
    cites: DIALECT,
    aliases: &["test_async_tool_cancellation", "test_dynamic_async_cancellation"],
    why: "the work goes on at the user's expense",
    fix: "do not declare tools.asyncSupported, which is not MCP; or stop the work, and say cancelled",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(async_cancel(cx))),
    fault: &fault::CANCEL_WITHOUT_EFFECT,
};

async fn async_cancel(cx: &ServerCx) -> Verdict {
    let session = speaks_async(cx).await?;
    let (tool, mut arguments) = some_tool(cx, &SLOW).await?;
    for name in ["seconds", "duration"] {
        if tool["inputSchema"]["properties"].get(name).is_some() {
            arguments[name] = 5.into();
        }
    }
    let id = started(cx, &session, tool, &arguments).await?;
    let cancel = cx.request_on(&session, "tools/cancel").params(json!({ "id": id })).send().await?;
    cancel.expect_result()?;
    // A call that the server no longer knows is cancelled too.
    let (answer, status) = followed(cx, &session, &id, |status| status != "running").await?;
    match status.as_str() {
        "cancelled" | "" if answer.reply.is_error() || status == "cancelled" => Ok(()),
        "completed" => Err(Finding::not_applicable("the call ended before it could be cancelled")),
        other => Err(answer.violated("status cancelled", format!("status {other}"))),
    }
}

/// mcp-validator: server/info returns the name and the version of the server. MCP has `serverInfo` for this.
const SERVER_INFO: Check = Check {
    id: "server/dialect/server-info",
    title: "server/info is answered with a name and a version",
    cites: DIALECT,
    aliases: &["test_server_info_requirements"],
    why: "clients of the dialect ask for it first, and go no further without it",
    fix: "answer with name, version and supportedVersions, or declare nothing of the dialect; MCP has serverInfo",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(server_info(cx))),
    fault: &fault::INFO_NAMELESS,
};

async fn server_info(cx: &ServerCx) -> Verdict {
    let declared = cx.capabilities().await?;
    if !is_async(&declared) && !is_configured(&declared) {
        return Err(Finding::not_applicable("the server declares nothing of mcp-validator's dialect"));
    }
    let answer = cx.request("server/info").await?.params(json!({})).send().await?;
    let info = answer.expect_result()?;
    expect_none(["name", "version"].into_iter().find(|member| !info[*member].is_string()), |member| {
        answer.violated(format!("a {member}"), format!("{member}: {}", info[member]))
    })
}

/// mcp-validator: a server that declares `workspace.configuration` returns its settings and their schema, and accepts
/// settings.
const CONFIGURATION: Check = Check {
    id: "server/dialect/configuration",
    title: "the workspace configuration can be read and written back",
    cites: DIALECT,
    aliases: &["test_workspace_configuration"],
    why: "a client that believes workspace.configuration shows settings that are not there",
    fix: "do not declare workspace.configuration, which is not MCP; or serve its three methods",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(configuration(cx))),
    fault: &fault::CONFIGURATION_FORGOTTEN,
};

/// Writes back what it has read, so that nothing changes.
async fn configuration(cx: &ServerCx) -> Verdict {
    if !is_configured(&cx.capabilities().await?) {
        return Err(Finding::not_applicable("the server does not declare workspace.configuration"));
    }
    let session = cx.session().await?;
    object(cx, session, "workspace/configurationSchema", "schema").await?;
    let before = object(cx, session, "workspace/configuration", "configuration").await?;
    let params = json!({ "configuration": before });
    cx.request_on(session, "workspace/setConfiguration").params(params).send().await?.expect_result()?;
    object(cx, session, "workspace/configuration", "configuration").await.map(drop)
}

async fn object(cx: &ServerCx, session: &Session, method: &str, member: &str) -> Result<Value, Finding> {
    let answer = cx.request_on(session, method).params(json!({})).send().await?;
    let mut result = answer.expect_result()?;
    match result[member].take() {
        found @ Value::Object(_) => Ok(found),
        other => Err(answer.violated(format!("{member}, an object"), format!("{member}: {other}"))),
    }
}

/// A session with a server that declares calls in the background, in one of the ways that the dialect has for it.
async fn speaks_async(cx: &ServerCx) -> Result<Session, Finding> {
    if is_async(&cx.capabilities().await?) {
        return cx.session().await.cloned();
    }
    Err(Finding::not_applicable("the server does not declare tools.asyncSupported"))
}

fn is_async(declared: &Value) -> bool {
    let tools = &declared["tools"];
    [&tools["asyncSupported"], &tools["async"], &declared["asyncToolCalls"]].into_iter().any(is_set)
}

fn is_configured(declared: &Value) -> bool {
    is_set(&declared["workspace"]["configuration"])
}

fn is_set(value: &Value) -> bool {
    *value == true || value.is_object()
}

/// The first of these tools that may be called, with arguments that fit.
async fn some_tool<'c>(cx: &'c ServerCx, names: &[&str]) -> Result<(&'c Value, Value), Finding> {
    let fed = cx.callable().await?.into_iter().filter_map(|(tool, good)| Some((tool, good?)));
    let mut known: Vec<_> = fed.filter(|(tool, _)| names.iter().any(|name| tool["name"] == *name)).collect();
    known.sort_by_key(|(tool, _)| names.iter().position(|name| tool["name"] == *name));
    match known.into_iter().next() {
        Some(first) => Ok(first),
        None => Err(cx.no_tool(format!("is one of {}", names.join(", "))).await),
    }
}

async fn started(
    cx: &ServerCx,
    session: &Session,
    tool: &Value,
    arguments: &Value,
) -> Result<Value, Finding> {
    let params = json!({ "name": tool["name"], "arguments": arguments });
    let answer = cx.request_on(session, "tools/call-async").params(params).send().await?;
    match answer.expect_result()?["id"].take() {
        id @ (Value::String(_) | Value::Number(_)) => Ok(id),
        other => Err(answer.violated("the id of the call", format!("id: {other}"))),
    }
}

/// Asks for the status of a call until it is `enough`, or too often: the last answer, and the status in it, if any.
async fn followed(
    cx: &ServerCx,
    session: &Session,
    id: &Value,
    enough: impl Fn(&str) -> bool,
) -> Result<(Answer, String), Finding> {
    let mut polls = 1;
    loop {
        let answer = cx.request_on(session, "tools/result").params(json!({ "id": id })).send().await?;
        let result = answer.reply.result().unwrap_or_default();
        let status = result["status"].as_str().unwrap_or_default().to_owned();
        if enough(&status) || polls == MAX_POLLS {
            return Ok((answer, status));
        }
        polls += 1;
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
