//! Tools that ask for input in 2026-07-28: the fixtures that are made for it, else those that asked when every tool was called.

use serde_json::{Value, json};
use transport::client::Session;

use super::fixture::{call, fixtures};
use crate::expect::{Answer, Ask};
use crate::{Finding, ServerCx};

/// A tool that asks for input before it completes.
#[derive(Debug)]
pub(super) struct AskingTool<'c> {
    pub(super) tool: &'c Value,
    arguments: Value,
    /// Whether it is made for tests, so that it is known what it does with each answer.
    pub(super) is_fixture: bool,
    /// What came back when it was called with all others, round by round; nothing for a fixture.
    pub(super) rounds: &'c [Answer],
}

/// The fixtures of those names, or the server's own tools that asked; not applicable if there is none.
pub(super) async fn asking_tools<'c>(
    cx: &'c ServerCx,
    names: &[&str],
) -> Result<Vec<AskingTool<'c>>, Finding> {
    match fixtures(cx, names).await {
        Ok(found) => {
            return Ok(found.into_iter().map(AskingTool::fixture).collect());
        }
        Err(Finding::NotApplicable(_)) => {}
        Err(other) => return Err(other),
    }
    let mut found = Vec::new();
    for called in cx.calls().await?.iter().filter(|called| called.has_asked()) {
        let arguments = cx.arguments_for(&called.tool).await.unwrap_or_else(|| json!({}));
        let rounds = called.answers.as_deref().unwrap_or_default();
        found.push(AskingTool { tool: &called.tool, arguments, is_fixture: false, rounds });
    }
    if found.is_empty() { Err(cx.no_tool("asks for input").await) } else { Ok(found) }
}

impl<'t> AskingTool<'t> {
    /// A tool that is made for it, and needs no arguments.
    pub(super) fn fixture(tool: &'t Value) -> Self {
        Self { tool, arguments: json!({}), is_fixture: true, rounds: &[] }
    }

    /// A first call.
    pub(super) fn call<'c>(&self, cx: &'c ServerCx, session: &Session) -> Ask<'c> {
        call(cx, session, self.tool, &self.arguments)
    }

    /// The interim result of a first call.
    pub(super) async fn first_round(&self, cx: &ServerCx, session: &Session) -> Result<Value, Finding> {
        let answer = self.call(cx, session).send().await?;
        let result = answer.reply.result().unwrap_or_default();
        if result["resultType"] == "input_required" {
            return Ok(result);
        }
        let name = &self.tool["name"];
        Err(Finding::blocked(format!("tool {name} did not ask for input: {}", answer.summary())))
    }

    /// What comes back when the call is repeated after `asked`, with these responses.
    pub(super) async fn retry(
        &self,
        cx: &ServerCx,
        session: &Session,
        asked: &Value,
        responses: Value,
    ) -> Result<Answer, Finding> {
        let mut params = json!({ "name": self.tool["name"], "arguments": self.arguments });
        if let Some(state) = asked.get("requestState") {
            params["requestState"] = state.clone();
        }
        params["inputResponses"] = responses;
        let ask = cx.request_on(session, "tools/call").params(params);
        ask.with(|request| request.mirror(&self.tool["inputSchema"])).send().await
    }
}
