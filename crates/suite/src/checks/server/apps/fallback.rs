//! UI tools without their UI: what clients get that cannot show it.

use protocol::Span;
use protocol::apps::ToolUi;
use serde_json::{Value, json};
use server::fault::apps as fault;
use transport::client::Session;

use crate::expect::Answer;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[TEXT_FALLBACK, PLAIN_CLIENT];

/// How many tools a check calls.
const MAX_CALLS: usize = 5;

/// Server behaviour: a tool must return a meaningful content array, even when a UI shows its result.
const TEXT_FALLBACK: Check = Check {
    id: "server/apps/text-fallback",
    title: "a UI tool returns content that makes sense without its UI",
    cites: &[must("apps.mdx#server-behavior", Span::ALWAYS)],
    aliases: &[],
    why: "the model reads the content, and so does every client that cannot show the app",
    fix: "put into a text block, too, what the app shows",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(text_fallback(cx))),
    fault: &fault::UI_NO_TEXT_FALLBACK,
};

async fn text_fallback(cx: &ServerCx) -> Verdict {
    cx.apps().await?.ui_tools()?;
    each_says_something(cx, cx.session().await?, |_| true).await
}

/// Server behaviour: a server should offer a text-only form of its UI tools to clients that cannot show a UI.
const PLAIN_CLIENT: Check = Check {
    id: "server/apps/plain-client-served",
    title: "a client that cannot show Views can list and call the same tools, and gets content",
    cites: &[should("apps.mdx#server-behavior", Span::ALWAYS)],
    aliases: &["mcp-apps-cap-05", "mcp-apps-reg-01", "mcp-apps-reg-02"],
    why: "most clients cannot show apps, and have nothing but the result of the tool",
    fix: "answer every call with text content, whatever the client",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(plain_client(cx))),
    fault: &fault::UI_NO_TEXT_FALLBACK,
};

async fn plain_client(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    surface.ui_tools()?;
    let plain = surface.plain(cx).await?;
    let offered = |tool: &Value| plain.tools.iter().any(|other| other["name"] == tool["name"]);
    each_says_something(cx, &*cx.bare_client_session().await?, offered).await
}

/// Calls the UI tools that may be called; each answer has content with something in it.
async fn each_says_something(
    cx: &ServerCx,
    session: &Session,
    wanted: impl Fn(&Value) -> bool + Send,
) -> Verdict {
    let mut called = 0;
    for answer in call_ui_tools(cx, session, wanted, &json!({})).await? {
        let Some(result) = answer.reply.result() else { continue };
        // In 2026-07-28 a result may also ask for input, or be a task; other checks judge those.
        if result.get("content").is_none() && result.get("resultType").is_some_and(|kind| kind != "complete")
        {
            continue;
        }
        called += 1;
        let content = result["content"].as_array().map_or(&[][..], Vec::as_slice);
        if !content.iter().any(says_something) {
            return Err(answer.violated("content that says something", result["content"].to_string()));
        }
    }
    if called == 0 {
        Err(Finding::not_applicable("no read-only tool with a UI could be called"))
    } else {
        Ok(())
    }
}

fn says_something(block: &Value) -> bool {
    block["type"] != "text" || !block["text"].as_str().unwrap_or_default().trim().is_empty()
}

/// The answers of the harmless UI tools for which we find arguments.
pub(in crate::checks::server) async fn call_ui_tools(
    cx: &ServerCx,
    session: &Session,
    wanted: impl Fn(&Value) -> bool + Send,
    meta: &Value,
) -> Result<Vec<Answer>, Finding> {
    let mut answers = Vec::new();
    let harmless = cx.harmless_tools().await?;
    let callable = harmless.into_iter().filter(|tool| ToolUi::from_tool(tool).0.has_view() && wanted(tool));
    for tool in callable {
        if answers.len() == MAX_CALLS {
            break;
        }
        let Some(arguments) = cx.arguments_for(tool).await else { continue };
        let params = json!({ "name": tool["name"], "arguments": arguments, "_meta": meta });
        answers.push(cx.request_on(session, "tools/call").params(params).send().await?);
    }
    Ok(answers)
}
