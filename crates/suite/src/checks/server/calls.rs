//! Calling tools: the harmless ones, and one that does not exist.

use std::sync::atomic::{AtomicU64, Ordering};

use protocol::capability::TOOLS;
use protocol::{Span, Version};
use serde_json::{Value, json};
use server::fault::tools as fault;

use crate::expect::Answer;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, arguments, defined, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[UNKNOWN_TOOL, CONTENT_PRESENT, ARGUMENTS_CHECKED, OUTPUT_MATCHES, TEXT_BESIDE, LOG_ASKED_FOR];

/// Every call asks for progress, each under a token of its own, so that the passive checks have some to judge.
static TOKENS: AtomicU64 = AtomicU64::new(1);

/// How many tools a check calls at most.
const MOST: usize = 20;

const UNKNOWN_TOOL: Check = Check {
    id: "server/tools/unknown-tool-refused",
    title: "calling a tool that does not exist is an error",
    cites: &[defined("server/tools#error-handling", Span::ALWAYS)],
    aliases: &[],
    why: "a model that misspells a name would believe that it worked",
    fix: "answer -32602 and name the tool in the message",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(unknown_tool(cx))),
    fault: &fault::UNKNOWN_TOOL_SUCCEEDS,
};

async fn unknown_tool(cx: &ServerCx) -> Verdict {
    cx.needs(TOOLS).await?;
    let answer = call(cx, &json!({ "name": "yardstick-no-such-tool" }), json!({})).await?;
    let refused = answer.reply.is_error() || answer.reply.result().is_some_and(|r| r["isError"] == true);
    if refused {
        return Ok(());
    }
    Err(answer.violated("error -32602, or a result with isError", "a result without isError"))
}

const CONTENT_PRESENT: Check = Check {
    id: "server/tools/content-present",
    title: "the result of a call has content",
    cites: &[defined("server/tools#calling-tools", Span::ALWAYS)],
    aliases: &[],
    why: "content is what the model reads; without it typed clients drop the whole result",
    fix: "return content, an array, even when it is empty",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(content_present(cx))),
    fault: &fault::CALL_WITHOUT_CONTENT,
};

async fn content_present(cx: &ServerCx) -> Verdict {
    each_call(cx, |_, result| match &result["content"] {
        Value::Array(_) => Ok(()),
        other => Err(("content, an array".to_owned(), format!("content: {other}"))),
    })
    .await
}

const ARGUMENTS_CHECKED: Check = Check {
    id: "server/tools/arguments-checked",
    title: "arguments that break the input schema are refused",
    cites: &[must("server/tools#security-considerations", Span::ALWAYS)],
    aliases: &[],
    why: "models get arguments wrong; a tool that runs with them anyway does something that nobody asked for",
    fix: "validate arguments against inputSchema before the tool runs, and say what is wrong",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(arguments_checked(cx))),
    fault: &fault::ARGUMENTS_UNCHECKED,
};

async fn arguments_checked(cx: &ServerCx) -> Verdict {
    let mut tried = 0;
    for tool in cx.harmless_tools().await?.into_iter().take(MOST) {
        let Some((bad, why)) = arguments::invalid(&tool["inputSchema"]) else { continue };
        tried += 1;
        let answer = call(cx, tool, bad).await?;
        if answer.reply.result().is_some_and(|r| r["isError"] != true) {
            let actual = format!("tool {} ran although {why}", tool["name"]);
            return Err(answer.violated("a result with isError, or error -32602", actual));
        }
    }
    if tried == 0 {
        Err(Finding::not_applicable("no read-only tool has arguments that could be wrong"))
    } else {
        Ok(())
    }
}

const OUTPUT_MATCHES: Check = Check {
    id: "server/tools/output-matches-schema",
    title: "structured content matches the output schema",
    cites: &[must("server/tools#output-schema", Span::since(Version::V2025_06_18))],
    aliases: &[],
    why: "clients validate it, and throw away what does not match",
    fix: "build structuredContent from the type that the schema is made of",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(output_matches(cx))),
    fault: &fault::OUTPUT_AGAINST_SCHEMA,
};

async fn output_matches(cx: &ServerCx) -> Verdict {
    if !cx.harmless_tools().await?.iter().any(|tool| tool.get("outputSchema").is_some()) {
        return Err(Finding::not_applicable("no read-only tool has an output schema"));
    }
    each_call(cx, |tool, result| {
        let Some(schema) = tool.get("outputSchema").filter(|_| result["isError"] != true) else {
            return Ok(());
        };
        let Ok(validator) = jsonschema::validator_for(schema) else { return Ok(()) };
        let structured = result.get("structuredContent").cloned().unwrap_or_default();
        match validator.iter_errors(&structured).next() {
            Some(error) => Err((
                "structuredContent that matches outputSchema".to_owned(),
                format!("tool {}: {}{error}", tool["name"], error.instance_path()),
            )),
            None => Ok(()),
        }
    })
    .await
}

const TEXT_BESIDE: Check = Check {
    id: "server/tools/structured-as-text",
    title: "structured content is repeated as text",
    cites: &[should("server/tools#structured-content", Span::since(Version::V2025_06_18))],
    aliases: &[],
    why: "clients of older revisions, and models, see the text alone",
    fix: "put the serialised JSON into a text block as well",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(text_beside(cx))),
    fault: &fault::STRUCTURED_WITHOUT_TEXT,
};

async fn text_beside(cx: &ServerCx) -> Verdict {
    each_call(cx, |tool, result| {
        let text = result["content"].as_array().into_iter().flatten().any(|block| block["type"] == "text");
        if result.get("structuredContent").is_none() || text {
            return Ok(());
        }
        Err(("a text block beside structuredContent".to_owned(), format!("tool {} has none", tool["name"])))
    })
    .await
}

const LOG_ASKED_FOR: Check = Check {
    id: "server/logging/only-when-asked",
    title: "no log messages for a request that set no log level",
    cites: &[must_not("server/utilities/logging#per-request-log-level", Span::MODERN)],
    aliases: &[],
    why: "a client that did not ask has no place to put them, and pays for the stream",
    fix: "send notifications/message only when the request's _meta has a logLevel, and from that level on",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(log_asked_for(cx))),
    fault: &fault::LOG_UNWANTED,
};

async fn log_asked_for(cx: &ServerCx) -> Verdict {
    for tool in cx.harmless_tools().await?.into_iter().take(MOST) {
        let Some(good) = arguments::valid(&tool["inputSchema"]) else { continue };
        let answer = call(cx, tool, good).await?;
        if answer.reply.notifications("notifications/message").next().is_some() {
            return Err(answer.violated("no notifications/message", format!("tool {} logs", tool["name"])));
        }
    }
    Ok(())
}

/// Calls each harmless tool with valid arguments, and judges the results.
async fn each_call(cx: &ServerCx, judge: impl Fn(&Value, &Value) -> Result<(), (String, String)>) -> Verdict {
    let mut called = 0;
    for tool in cx.harmless_tools().await?.into_iter().take(MOST) {
        let Some(good) = arguments::valid(&tool["inputSchema"]) else { continue };
        let answer = call(cx, tool, good).await?;
        let interim = answer.reply.result_type().is_some_and(|kind| kind != "complete");
        let Some(result) = answer.reply.result().filter(|_| !interim) else { continue };
        judge(tool, &result).map_err(|(expected, actual)| answer.violated(expected, actual))?;
        called += 1;
    }
    if called == 0 { Err(Finding::not_applicable("no read-only tool could be called")) } else { Ok(()) }
}

async fn call(cx: &ServerCx, tool: &Value, arguments: Value) -> Result<Answer, Finding> {
    let params = json!({ "name": tool["name"], "arguments": arguments });
    let token = TOKENS.fetch_add(1, Ordering::Relaxed);
    let ask = cx.request("tools/call").await?.params(params);
    ask.with(|r| r.mirror(&tool["inputSchema"]).meta("progressToken", token)).send().await
}
