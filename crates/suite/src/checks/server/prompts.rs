//! Prompts.

use protocol::capability::PROMPTS;
use protocol::{Span, code};
use serde_json::{Map, Value, json};
use server::fault::resources as fault;

use crate::{Check, Finding, On, Run, ServerCx, Verdict, defined, should};

pub(in crate::checks) const CHECKS: &[Check] = &[MESSAGES_PRESENT, ARGUMENT_REQUIRED, UNKNOWN_REFUSED];

/// How many prompts a check gets at most.
const MOST: usize = 10;

const MESSAGES_PRESENT: Check = Check {
    id: "server/prompts/messages-present",
    title: "a prompt has messages, each with a role and content",
    cites: &[defined("server/prompts#promptmessage", Span::ALWAYS)],
    aliases: &[],
    why: "messages are all that a prompt is",
    fix: "return messages, an array, with role user or assistant and one content each",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(messages_present(cx))),
    fault: &fault::PROMPT_WITHOUT_MESSAGES,
};

async fn messages_present(cx: &ServerCx) -> Verdict {
    let mut got = 0;
    for prompt in cx.prompts().await?.iter().take(MOST) {
        let arguments: Map<String, Value> = prompt["arguments"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|argument| Some((argument["name"].as_str()?.to_owned(), plausible(argument).into())))
            .collect();
        let params = json!({ "name": prompt["name"], "arguments": arguments });
        let answer = cx.request("prompts/get").await?.params(params).send().await?;
        let interim = answer.reply.result_type().is_some_and(|kind| kind != "complete");
        let Some(result) = answer.reply.result().filter(|_| !interim) else { continue };
        got += 1;
        let sound =
            |m: &Value| matches!(m["role"].as_str(), Some("user" | "assistant")) && m["content"].is_object();
        if !result["messages"].as_array().is_some_and(|messages| messages.iter().all(sound)) {
            return Err(answer.violated("messages with role and content", result.to_string()));
        }
    }
    if got == 0 { Err(Finding::not_applicable("no prompt could be got")) } else { Ok(()) }
}

/// Prompt arguments have no schema; their names are all there is to go by.
fn plausible(argument: &Value) -> &'static str {
    let name = argument["name"].as_str().unwrap_or_default().to_lowercase();
    if name.contains("uri") {
        "yardstick://example"
    } else if name.contains("url") {
        "https://example.com/"
    } else {
        "yardstick"
    }
}

const ARGUMENT_REQUIRED: Check = Check {
    id: "server/prompts/argument-required",
    title: "a prompt without its required arguments is refused with -32602",
    cites: &[should("server/prompts#error-handling", Span::ALWAYS)],
    aliases: &[],
    why: "the user would see a prompt with a hole in it",
    fix: "check the required arguments before the prompt is rendered",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(argument_required(cx))),
    fault: &fault::PROMPT_ARGUMENT_OPTIONAL,
};

async fn argument_required(cx: &ServerCx) -> Verdict {
    let needs =
        |prompt: &&Value| prompt["arguments"].as_array().into_iter().flatten().any(|a| a["required"] == true);
    let Some(prompt) = cx.prompts().await?.iter().find(needs) else {
        return Err(Finding::not_applicable("no prompt has a required argument"));
    };
    let params = json!({ "name": prompt["name"], "arguments": {} });
    cx.request("prompts/get").await?.params(params).send().await?.expect_error(&[code::INVALID_PARAMS])
}

const UNKNOWN_REFUSED: Check = Check {
    id: "server/prompts/unknown-prompt-refused",
    title: "a prompt that does not exist is refused with -32602",
    cites: &[should("server/prompts#error-handling", Span::ALWAYS)],
    aliases: &[],
    why: "an empty prompt looks like one that has nothing to say",
    fix: "answer -32602 and name the prompt in the message",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(unknown_refused(cx))),
    fault: &fault::UNKNOWN_PROMPT_SERVED,
};

async fn unknown_refused(cx: &ServerCx) -> Verdict {
    cx.needs(PROMPTS).await?;
    let params = json!({ "name": "yardstick-no-such-prompt" });
    cx.request("prompts/get").await?.params(params).send().await?.expect_error(&[code::INVALID_PARAMS])
}
