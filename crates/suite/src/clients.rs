//! The clients that we pretend to be: what each declares, and what it answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Value, json};
use transport::client::{Answer, Profile};

use crate::arguments;

/// The usual client: it can be asked for everything, and its model uses every tool that it is offered, once.
pub(crate) fn usual() -> Profile {
    let usual = Profile::default();
    let mut capabilities = usual.capabilities.clone();
    capabilities["sampling"] = json!({ "tools": {}, "context": {} });
    let answers = usual.clone();
    usual.with_capabilities(capabilities).answering(move |method, params| {
        let tools = params["tools"].as_array().filter(|tools| !tools.is_empty());
        let told = params["toolChoice"]["mode"] == "none" || params.to_string().contains("\"tool_result\"");
        match tools {
            Some(tools) if method == "sampling/createMessage" && !told => Answer::Result(use_tools(tools)),
            Some(_) | None => answers.answer(method, params),
        }
    })
}

/// What the user of the partial client does with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Fills it in.
    Accept,
    /// Says no.
    Decline,
    /// Closes it.
    Cancel,
}

impl Reaction {
    const ALL: [Self; 3] = [Self::Accept, Self::Decline, Self::Cancel];

    /// The `action` of the answer.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// Decides what the user of a partial client does from now on.
#[derive(Clone, Debug, Default)]
pub(crate) struct User(Arc<AtomicU8>);

impl User {
    /// From now on the user reacts so.
    pub(crate) fn reacts(&self, reaction: Reaction) {
        self.0.store(reaction as u8, Ordering::Relaxed);
    }

    fn reaction(&self) -> Reaction {
        let now = self.0.load(Ordering::Relaxed);
        Reaction::ALL.into_iter().find(|reaction| *reaction as u8 == now).unwrap_or(Reaction::Accept)
    }
}

/// A client that shows forms but no pages, and whose model uses no tools.
pub(crate) fn partial(user: User) -> Profile {
    let usual = Profile::default();
    let answers = usual.clone();
    let capabilities = json!({ "elicitation": { "form": {} }, "sampling": {}, "roots": {} });
    usual.with_capabilities(capabilities).answering(move |method, params| match (method, user.reaction()) {
        ("elicitation/create", refusal @ (Reaction::Decline | Reaction::Cancel)) => {
            Answer::Result(json!({ "action": refusal.as_str() }))
        }
        _ => answers.answer(method, params),
    })
}

fn use_tools(tools: &[Value]) -> Value {
    let version = protocol::Version::LATEST;
    let first = tools.iter().cycle().take(tools.len().max(2)).enumerate();
    let content: Value = first
        .map(|(at, tool)| {
            let input = arguments::valid_now(&tool["inputSchema"], version).ok().flatten();
            let input = input.unwrap_or_else(|| json!({}));
            json!({ "type": "tool_use", "id": format!("yardstick-use-{at}"), "name": tool["name"], "input": input })
        })
        .collect();
    json!({ "role": "assistant", "content": content, "model": "yardstick", "stopReason": "toolUse" })
}
