//! The tools that a server listed in a run, to tell a name that is misspelt from a tool that is there.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use suite::Calls;
use wire::Direction;
use wire::recording::RecordedSession;

use crate::exit::Usage;

/// How many tools an error names.
const MAX_NAMED_TOOLS: usize = 40;

/// The names of all tools that were listed, in any revision; clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolsListed(Arc<Mutex<Option<BTreeSet<String>>>>);

#[derive(Deserialize)]
struct ListedAnswer {
    result: ListedTools,
}

#[derive(Deserialize)]
struct ListedTools {
    tools: Vec<ListedTool>,
}

#[derive(Deserialize)]
struct ListedTool {
    name: String,
}

impl ToolsListed {
    /// Takes note of every list of tools in a session.
    pub(crate) fn read_session(&self, session: &RecordedSession) {
        let from_server = |entry: &&wire::Entry| entry.direction == Direction::ToClient;
        for entry in session.transcript.entries.iter().filter(from_server) {
            if let Ok(answer) = serde_json::from_slice::<ListedAnswer>(&entry.bytes) {
                let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let names = names.get_or_insert_default();
                names.extend(answer.result.tools.into_iter().map(|tool| tool.name));
            }
        }
    }

    /// An error if `calls` names a tool that was never listed. Where no list was seen, there is nothing to say.
    pub(crate) fn verify_names(&self, calls: &Calls) -> Result<(), Usage> {
        let listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(listed) = listed.as_ref() else { return Ok(()) };
        let mut named = calls.named.iter().chain(calls.arguments.keys());
        let Some(missing) = named.find(|name| !listed.contains(*name)) else { return Ok(()) };
        let mut tools: Vec<&str> = listed.iter().map(String::as_str).take(MAX_NAMED_TOOLS).collect();
        if listed.len() > MAX_NAMED_TOOLS {
            tools.push("…");
        }
        let tools = if tools.is_empty() { "it has none".to_owned() } else { tools.join(", ") };
        Err(Usage(format!("the server has no tool `{missing}`; its tools: {tools}")))
    }
}
