//! Sampling: the conversations that a server sends to the client's model.

use std::collections::BTreeSet;

use protocol::{Span, Version};
use serde_json::Value;
use server::fault::asks as fault;

use super::asks::each_asked;
use crate::{Applies, Check, Run, Sides, Verdict, WireCx, must};

pub(in crate::checks) const CHECKS: &[Check] = &[RESULTS_ALONE, BALANCED];

const TOOLS: Span = Span::since(Version::V2025_11_25);

/// A user message of a sampling request that has tool results must have nothing else.
const RESULTS_ALONE: Check = Check {
    id: "wire/sampling/tool-results-alone",
    title: "a message with tool results has nothing else in it",
    cites: &[must("client/sampling#tool-result-messages", TOOLS)],
    aliases: &[],
    why: "model providers refuse messages that mix tool results with other content",
    fix: "put results into a message of their own",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, results_alone),
    fault: &fault::SAMPLING_RESULTS_MIXED,
};

fn results_alone(cx: &WireCx<'_>) -> Verdict {
    each_asked(cx, "sampling/createMessage", |asked| {
        let mut seen = false;
        for message in asked.params["messages"].as_array().into_iter().flatten() {
            let kinds: BTreeSet<_> = blocks(message).map(|block| block["type"].to_string()).collect();
            let results = kinds.contains("\"tool_result\"");
            seen |= results;
            if results && kinds.len() > 1 {
                let expected = "tool_result blocks alone".to_owned();
                return Err((expected, kinds.into_iter().collect::<Vec<_>>().join(", ")));
            }
        }
        Ok(seen)
    })
}

/// In a sampling request, an assistant message with tool uses must be followed by a user message that has the result of
/// each of them, and nothing else.
const BALANCED: Check = Check {
    id: "wire/sampling/tool-use-balanced",
    title: "every tool use is followed by its result",
    cites: &[must("client/sampling#tool-use-and-result-balance", TOOLS)],
    aliases: &[],
    why: "model providers refuse conversations in which a tool use has no result",
    fix: "answer each tool_use with a tool_result of the same id, in the very next message",
    applies: Applies::Everywhere,
    run: Run::Wire(Sides::Server, balanced),
    fault: &fault::SAMPLING_RESULT_MISSING,
};

fn balanced(cx: &WireCx<'_>) -> Verdict {
    each_asked(cx, "sampling/createMessage", |asked| {
        let messages = asked.params["messages"].as_array().cloned().unwrap_or_default();
        let mut seen = false;
        for (at, message) in messages.iter().enumerate() {
            let used = ids(message, "tool_use", "id");
            if used.is_empty() {
                continue;
            }
            seen = true;
            let answered = messages.get(at + 1).map(|next| ids(next, "tool_result", "toolUseId"));
            if answered.as_ref() != Some(&used) {
                let list = |ids: BTreeSet<String>| ids.into_iter().collect::<Vec<_>>().join(", ");
                let actual = format!("results for {}", answered.map(list).unwrap_or_default());
                return Err((format!("results for {}", list(used)), actual));
            }
        }
        Ok(seen)
    })
}

fn ids(message: &Value, kind: &str, member: &str) -> BTreeSet<String> {
    blocks(message).filter(|block| block["type"] == kind).map(|block| block[member].to_string()).collect()
}

/// Content is one block or a list of them.
fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    let content = &message["content"];
    content.as_array().map_or_else(|| std::slice::from_ref(content), Vec::as_slice).iter()
}
