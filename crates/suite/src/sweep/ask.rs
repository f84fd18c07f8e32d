//! Tools that ask, called as clients that can be asked less, or more, than the usual one.

use std::time::Duration;

use futures_util::future::try_join_all;
use protocol::Era;
use protocol::meta::{LOG_LEVEL, LogLevel};
use serde_json::{Value, json};
use transport::client::{Answer, Profile};

use super::call::is_task_only;
use super::send_within;
use crate::expect::Ask;
use crate::policy::is_fixture;
use crate::{Finding, ServerCx, arguments};

/// How long the calls as one client may take together: those that ask what they may not often wait for an answer.
const BUDGET: Duration = Duration::from_millis(500);
/// How many tools that do not look as if they ask are called as each client.
const OTHERS: usize = 2;
/// Words in the names of tools that ask the client for something.
const WORDS: &[&str] = &[
    "sampl",
    "elicit",
    "ask",
    "roots",
    "input_required",
    "confirm",
    "interview",
    "link-account",
    "capabilit",
];

impl ServerCx {
    /// Calls the tools that look as if they ask, and a few that do not, as a client without any capabilities, as one that
    /// shows forms but no pages, and as one whose model uses tools and who reads logs. What they are asked and told is
    /// for the passive checks to judge.
    pub async fn asked(&self) -> Result<(), Finding> {
        self.once(&self.facts().asked, async {
            let (tools, callable) = (self.tools().await?, self.callable().await?);
            let fed = callable.into_iter().filter_map(|(tool, good)| Some((tool, good?)));
            let (asking, others): (Vec<_>, Vec<_>) =
                fed.filter(|(tool, _)| !is_task_only(self.version, tool)).partition(|(tool, _)| asks(tool));
            let (asking, others) = (asking.as_slice(), others.as_slice());
            let modern = self.version.era() == Era::Modern;
            let (bare, forms, able) = (Profile::bare(), form_only(), tool_user());
            let clients = [(false, true, bare), (false, false, forms), (true, modern, able)];
            let talks = clients.map(|(able, too, profile)| async move {
                let others = others.iter().filter(|_| too).take(OTHERS);
                let asking = asking.iter().filter(|(tool, _)| able || may_refuse(tool, tools));
                let tools: Vec<_> = asking.chain(others).collect();
                if tools.is_empty() {
                    return Ok(());
                }
                let session = self.fresh_as(profile).await?;
                let calls = tools
                    .into_iter()
                    .map(|(tool, good)| ((), self.listened_to(able, self.call_on(&session, tool, good))));
                send_within(BUDGET, calls.collect()).await;
                Ok::<(), Finding>(())
            });
            try_join_all(talks).await?;
            Ok(Vec::new())
        })
        .await
        .map(|_: &[()]| ())
    }

    /// The same request, if need be one that asks for everything that is logged; where there are sessions, they are told.
    fn listened_to<'a>(&self, listens: bool, ask: Ask<'a>) -> Ask<'a> {
        if listens && self.version.era() == Era::Modern {
            return ask.with(|request| request.meta(LOG_LEVEL, LogLevel::Debug.as_str()));
        }
        ask
    }
}

fn asks(tool: &Value) -> bool {
    let name = tool["name"].as_str().unwrap_or_default().to_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// Fixtures are made to ask, and need not look at who calls them, but for those two that are made to look.
fn may_refuse(tool: &Value, tools: &[Value]) -> bool {
    let name = tool["name"].as_str().unwrap_or_default();
    !is_fixture(tool, tools) || name.ends_with("_capability") || name.ends_with("_capabilities")
}

fn form_only() -> Profile {
    let usual = Profile::default();
    let answers = usual.clone();
    usual
        .with_capabilities(json!({ "elicitation": { "form": {} } }))
        .answering(move |method, params| answers.answer(method, params))
}

/// A client whose model uses every tool that it is offered, once.
fn tool_user() -> Profile {
    let usual = Profile::default();
    let mut capabilities = usual.capabilities.clone();
    capabilities["sampling"] = json!({ "tools": {}, "context": {} });
    let answers = usual.clone();
    usual.with_capabilities(capabilities).answering(move |method, params| {
        let tools = params["tools"].as_array().filter(|tools| !tools.is_empty());
        let told = params["toolChoice"]["mode"] == "none" || params.to_string().contains("\"tool_result\"");
        match tools {
            Some(tools) if method == "sampling/createMessage" && !told => Answer::Result(uses(tools)),
            Some(_) | None => answers.answer(method, params),
        }
    })
}

fn uses(tools: &[Value]) -> Value {
    let version = protocol::Version::LATEST;
    let first = tools.iter().cycle().take(tools.len().max(2)).enumerate();
    let content: Value = first
        .map(|(at, tool)| {
            let input = arguments::valid(&tool["inputSchema"], version).unwrap_or_else(|| json!({}));
            json!({ "type": "tool_use", "id": format!("yardstick-use-{at}"), "name": tool["name"], "input": input })
        })
        .collect();
    json!({ "role": "assistant", "content": content, "model": "yardstick", "stopReason": "toolUse" })
}
