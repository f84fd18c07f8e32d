//! Tools that ask, called as clients that can be asked less than the usual one.

use protocol::meta::{CLIENT_CAPABILITIES, LOG_LEVEL, LogLevel};
use protocol::{Era, Version};
use serde_json::{Value, json};
use transport::client::Session;

use super::call::is_task_only;
use super::send_all;
use crate::clients::{self, User};
use crate::policy::is_fixture;
use crate::{ExclusiveSession, Finding, ServerCx};

/// How many tools that do not look as if they ask are called as a client that declares nothing.
const MAX_OTHER_TOOLS: usize = 2;
/// How many tools that asked are called again with each capability alone.
const MAX_ASKING_TOOLS: usize = 8;
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

/// Fixtures that have to look at what the client declares.
const MAY_REFUSE: &[&str] = &[
    "test_sampling",
    "test_elicitation",
    "test_missing_capability",
    "test_input_required_result_capabilities",
];

/// Tools with arguments that fit: those that look as if they ask, and the others.
type Asking<'c> = (Vec<(&'c Value, Value)>, Vec<(&'c Value, Value)>);

impl ServerCx {
    /// Calls the tools that look as if they ask, and a few that do not, as a client without any capabilities. What it is
    /// asked and told is for the passive checks to judge.
    pub(crate) async fn ask_as_bare_client(&self) {
        // What stands in the way of it is told by the checks of calls.
        let Ok((asking, others)) = self.asking_tools().await else { return };
        let Ok(tools) = self.tools().await else { return };
        let asking = asking.iter().filter(|(tool, _)| may_refuse(tool, tools));
        let chosen: Vec<_> = asking.chain(others.iter().take(MAX_OTHER_TOOLS)).collect();
        if chosen.is_empty() {
            return;
        }
        if let Ok(session) = self.bare_client_session().await {
            self.call_all(&session, &chosen, false).await;
        }
    }

    /// The same as a client that shows forms but no pages.
    pub(crate) async fn ask_as_partial_client(&self) {
        if self.version < Version::V2025_06_18 {
            return;
        }
        let Ok((asking, _)) = self.asking_tools().await else { return };
        let Ok(tools) = self.tools().await else { return };
        let chosen: Vec<_> = asking.iter().filter(|(tool, _)| may_refuse(tool, tools)).collect();
        if chosen.is_empty() {
            return;
        }
        if let Ok(session) = self.partial(&User::default()).await {
            self.call_all(&session, &chosen, false).await;
        }
    }

    /// In the modern era: the same as a client that wants to read every log message.
    pub(crate) async fn ask_as_log_reader(&self) {
        if self.version.era() == Era::Legacy {
            return;
        }
        let Ok((asking, others)) = self.asking_tools().await else { return };
        let (logging, silent): (Vec<_>, Vec<_>) = others.iter().partition(|(tool, _)| logs(tool));
        let others =
            logging.into_iter().take(MAX_OTHER_TOOLS).chain(silent.into_iter().take(MAX_OTHER_TOOLS));
        let chosen: Vec<_> = asking.iter().chain(others).collect();
        if let Ok(session) = self.exclusive_session().await {
            self.call_all(&session, &chosen, true).await;
        }
    }

    /// In the modern era: calls the server's own tools that asked before, as clients that can be asked for one thing only.
    pub(crate) async fn ask_with_one_capability(&self) {
        if self.version.era() == Era::Legacy {
            return;
        }
        let (Ok(session), Ok(calls), Ok(tools)) =
            (self.session().await, self.calls().await, self.tools().await)
        else {
            return;
        };
        let asking = calls.iter().filter(|called| called.has_asked() && may_refuse(&called.tool, tools));
        let mut asks = Vec::new();
        for called in asking.take(MAX_ASKING_TOOLS) {
            let Some(good) = self.arguments_for(&called.tool).await else { continue };
            for capabilities in
                [json!({ "elicitation": {} }), json!({ "sampling": {} }), json!({ "roots": {} })]
            {
                let ask = self.call_on(session, &called.tool, &good);
                asks.push(((), ask.with(|r| r.meta(CLIENT_CAPABILITIES, capabilities))));
            }
        }
        send_all(asks).await;
    }

    async fn asking_tools(&self) -> Result<Asking<'_>, Finding> {
        let callable = self.callable().await?;
        let fed = callable.into_iter().filter_map(|(tool, good)| Some((tool, good?)));
        Ok(fed.filter(|(tool, _)| !is_task_only(self.version, tool)).partition(|(tool, _)| asks(tool)))
    }

    pub(crate) async fn call_all(&self, session: &Session, chosen: &[&(&Value, Value)], reads_logs: bool) {
        let calls = chosen.iter().map(|(tool, good)| {
            let ask = self.call_on(session, tool, good);
            ((), if reads_logs { ask.with(|r| r.meta(LOG_LEVEL, LogLevel::Debug.as_str())) } else { ask })
        });
        send_all(calls.collect()).await;
    }

    /// A session as a client that shows forms but no pages, and whose user does as `user` says.
    pub(crate) async fn partial(&self, user: &User) -> Result<ExclusiveSession<'_>, Finding> {
        self.as_client(clients::partial(user.clone())).await
    }
}

/// Whether a tool looks as if it logged.
pub(crate) fn logs(tool: &Value) -> bool {
    tool["name"].as_str().unwrap_or_default().to_lowercase().contains("log")
}

fn asks(tool: &Value) -> bool {
    let name = tool["name"].as_str().unwrap_or_default().to_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

/// Fixtures are made to ask, and need not look at who calls them, but for those that are made to look.
fn may_refuse(tool: &Value, tools: &[Value]) -> bool {
    let name = tool["name"].as_str().unwrap_or_default();
    !is_fixture(tool, tools) || MAY_REFUSE.contains(&name)
}
