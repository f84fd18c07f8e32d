//! Prompts: that they can be got, what is in them, and which requests for them are refused.

use protocol::capability::PROMPTS;
use protocol::{Span, code};
use serde_json::{Value, json};
use server::fault::{calls, resources as fault};

use super::negotiation::CAPABILITIES_SERVED;
use crate::sweep::last;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised, defined, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[GETTABLE, MESSAGES_PRESENT, ARGUMENT_REQUIRED, UNKNOWN_REFUSED];

/// A client gets a listed prompt with prompts/get. The page defines this by example, so a prompt that cannot be got is
/// a warning.
const GETTABLE: Check = Check {
    id: "server/prompts/listed-gettable",
    title: "a listed prompt without arguments can be fetched",
    cites: &[advised("server/prompts#getting-a-prompt", Span::ALWAYS)],
    aliases: &["test_prompts_capability"],
    why: "the user picks it from the menu, and sees an error",
    fix: "serve prompts/get for every prompt that prompts/list names",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(gettable(cx))),
    fault: &calls::PROMPTS_REFUSED,
};

async fn gettable(cx: &ServerCx) -> Verdict {
    let plain = |got: &&crate::FetchedPrompt| got.prompt["arguments"].as_array().is_none_or(Vec::is_empty);
    let mut tried = 0;
    for got in cx.prompt_gets().await?.iter().filter(plain) {
        let Some(answer) = got.answers.as_ref().ok().and_then(|answers| answers.last()) else { continue };
        answer.expect_result()?;
        tried += 1;
    }
    if tried == 0 { Err(Finding::not_applicable("every prompt has arguments")) } else { Ok(()) }
}

/// A prompt's result has messages, each with a role, `user` or `assistant`, and one block of content.
const MESSAGES_PRESENT: Check = Check {
    id: "server/prompts/messages-present",
    title: "a prompt has messages, each with a role and content",
    cites: &[defined("server/prompts#promptmessage", Span::ALWAYS)],
    aliases: &["test_prompts_capability"],
    why: "a prompt consists of its messages, and clients show nothing else",
    fix: "return messages, an array, with role user or assistant and one content each",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(messages_present(cx))),
    fault: &fault::PROMPT_WITHOUT_MESSAGES,
};

async fn messages_present(cx: &ServerCx) -> Verdict {
    let mut got = 0;
    for one in cx.prompt_gets().await? {
        let Some((answer, result)) = last(&one.answers) else { continue };
        got += 1;
        let sound =
            |m: &Value| matches!(m["role"].as_str(), Some("user" | "assistant")) && m["content"].is_object();
        if !result["messages"].as_array().is_some_and(|messages| messages.iter().all(sound)) {
            return Err(answer.violated("messages with role and content", result.to_string()));
        }
    }
    if got == 0 { Err(Finding::not_applicable("no prompt could be got")) } else { Ok(()) }
}

/// Prompts, error handling: a server should answer a request that lacks a required argument with -32602.
const ARGUMENT_REQUIRED: Check = Check {
    id: "server/prompts/argument-required",
    title: "a prompt without its required arguments is refused with -32602",
    cites: &[should("server/prompts#error-handling", Span::ALWAYS)],
    aliases: &["test_prompt_arguments_validation"],
    why: "the user would see a prompt with a gap in it",
    fix: "check the required arguments before the prompt is rendered",
    applies: Applies::Everywhere,
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
    let answer = cx.request("prompts/get").await?.params(params).send().await?;
    if answer.reply.code() == Some(code::METHOD_NOT_FOUND)
        && matches!(cx.prompts().await, Err(Finding::NotApplicable(_)))
    {
        // A server that declares prompts and has none of their methods has one defect, not two.
        return Err(Finding::blocked_by(CAPABILITIES_SERVED.id, "prompts/get is not there"));
    }
    answer.expect_error(&[code::INVALID_PARAMS])
}

/// Prompts, error handling: a server should answer a request for an unknown prompt with -32602.
const UNKNOWN_REFUSED: Check = Check {
    id: "server/prompts/unknown-prompt-refused",
    title: "a prompt that does not exist is refused with -32602",
    cites: &[should("server/prompts#error-handling", Span::ALWAYS)],
    aliases: &["test_prompt_arguments_validation"],
    why: "an empty prompt looks like one that has nothing to say",
    fix: "answer -32602 and name the prompt in the message",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(unknown_refused(cx))),
    fault: &fault::UNKNOWN_PROMPT_SERVED,
};

async fn unknown_refused(cx: &ServerCx) -> Verdict {
    cx.needs(PROMPTS).await?;
    let params = json!({ "name": "yardstick-no-such-prompt" });
    cx.request("prompts/get").await?.params(params).send().await?.expect_error(&[code::INVALID_PARAMS])
}
