//! Tools, called with arguments that fit.

use std::sync::atomic::{AtomicU64, Ordering};

use protocol::Version;
use serde_json::{Value, json};
use transport::client::Session;

use super::{Answers, send_all};
use crate::expect::Ask;
use crate::schema::Judged;
use crate::{Finding, ServerCx, arguments};

/// How many tools are called at most.
const MAX_CALLS: usize = 64;
/// Every call asks for progress, each under a token of its own, so that the passive checks have some to judge.
static TOKENS: AtomicU64 = AtomicU64::new(1);

/// A tool that was called.
#[derive(Debug)]
pub struct CalledTool {
    /// The tool as it is listed.
    pub tool: Value,
    /// What came back.
    pub answers: Answers,
}

impl CalledTool {
    /// Whether the tool asked for input before it completed, which only a modern one does in an answer.
    pub(crate) fn has_asked(&self) -> bool {
        let first = self.answers.as_ref().ok().and_then(|answers| answers.first());
        first.and_then(|answer| answer.reply.result_type()).as_deref() == Some("input_required")
    }

    /// Whether a request of the server came on the stream of a call, as only legacy servers do.
    pub(crate) fn has_server_request(&self) -> bool {
        let mut messages = self.answers.iter().flatten().flat_map(|answer| &answer.reply.messages);
        messages.any(|message| message.frames().iter().any(|frame| frame.kind() == wire::Kind::Request))
    }
}

impl ServerCx {
    /// The tools that may be called, each with arguments that fit, if any could be made.
    pub async fn callable(&self) -> Result<Vec<(&Value, Option<Value>)>, Finding> {
        let fed = self.known.learn(|facts| &facts.callable, async {
            let tools = self.tools().await?;
            let allowed = tools.iter().filter(|tool| self.rules().decide(tool, tools).is_call());
            let mut fed = Vec::new();
            for tool in allowed.take(MAX_CALLS) {
                fed.push((tool.clone(), self.arguments_for(tool).await));
            }
            match (tools, fed.is_empty()) {
                (_, false) => Ok(fed),
                ([], true) => Err(Finding::not_applicable("the server lists no tools")),
                ([first, ..], true) => {
                    let why = self.rules().decide(first, tools).why();
                    let verb = if self.rules().leaves_callable(tools) { "may be" } else { "is" };
                    Err(Finding::not_applicable(format!("no tool {verb} called: {why}")))
                }
            }
        });
        Ok(fed.await?.iter().map(|(tool, good)| (tool, good.clone())).collect())
    }

    /// Not applicable because no tool `does` something: none at all, or none of those that may be called, where the user
    /// could allow more calls.
    pub(crate) async fn no_tool(&self, does: impl std::fmt::Display) -> Finding {
        let tools = self.tools().await.unwrap_or_default();
        let more = self.rules().leaves_callable(tools);
        let which = if more { "no tool that may be called" } else { "no tool" };
        Finding::not_applicable(format!("{which} {does}"))
    }

    /// What a tool is called with: what the user said, else what its schema lets us make.
    pub async fn arguments_for(&self, tool: &Value) -> Option<Value> {
        // The checks of schemas say which ones are too complex.
        self.make_arguments(tool).await.ok().flatten()
    }

    /// The same; an error says why the schema was not looked at.
    pub(crate) async fn make_arguments(&self, tool: &Value) -> Judged<Option<Value>> {
        let name = tool["name"].as_str().unwrap_or_default();
        match self.rules().arguments.get(name) {
            Some(told) => Ok(Some(told.clone())),
            None => arguments::valid(&tool["inputSchema"], self.version).await,
        }
    }

    /// Every tool that may be called, called once.
    pub async fn calls(&self) -> Result<&[CalledTool], Finding> {
        self.known
            .learn(|facts| &facts.calls, async {
                let session = self.session().await?;
                let callable = self.callable().await?;
                let fed = callable.into_iter().filter_map(|(tool, good)| Some((tool, good?)));
                let asks = fed.filter(|(tool, _)| !is_task_only(self.version, tool));
                let asks = asks.map(|(tool, good)| (tool, self.call_on(session, tool, &good))).collect();
                let answered = send_all(asks).await;
                Ok(answered
                    .into_iter()
                    .map(|(tool, answers)| CalledTool { tool: tool.clone(), answers })
                    .collect())
            })
            .await
    }

    /// A call of `tool` on `session`.
    pub(crate) fn call_on(&self, session: &Session, tool: &Value, arguments: &Value) -> Ask<'_> {
        let params = json!({ "name": tool["name"], "arguments": arguments });
        let token = TOKENS.fetch_add(1, Ordering::Relaxed);
        let ask = self.request_on(session, "tools/call").params(params);
        ask.with(|r| r.mirror(&tool["inputSchema"]).meta("progressToken", token))
    }
}

/// A tool that is to be refused when it is called in the ordinary way.
pub(super) fn is_task_only(version: Version, tool: &Value) -> bool {
    version == Version::V2025_11_25 && tool["execution"]["taskSupport"] == "required"
}
