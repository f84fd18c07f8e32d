//! Completion and log levels.

use protocol::capability::{COMPLETIONS, LOGGING};
use protocol::{Span, Version, code};
use serde_json::{Value, json};
use server::fault::resources as fault;

use crate::{Check, Finding, On, Run, ServerCx, Verdict, defined, should};

pub(in crate::checks) const CHECKS: &[Check] = &[COMPLETION_BOUNDED, LEVEL_CHECKED];

const COMPLETION_BOUNDED: Check = Check {
    id: "server/completion/at-most-100",
    title: "completion answers with at most a hundred values",
    cites: &[defined("server/utilities/completion#completion-results", Span::since(Version::V2025_03_26))],
    aliases: &[],
    why: "clients show the values as the user types, and have room for that many",
    fix: "cut the list at a hundred, and set hasMore",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(completion_bounded(cx))),
    fault: &fault::COMPLETION_TOO_MANY,
};

async fn completion_bounded(cx: &ServerCx) -> Verdict {
    cx.needs(COMPLETIONS).await?;
    let with_argument = |prompt: &&Value| prompt["arguments"][0]["name"].is_string();
    let Some(prompt) = cx.prompts().await?.iter().find(with_argument) else {
        return Err(Finding::not_applicable("no prompt has an argument to complete"));
    };
    let params = json!({
        "ref": { "type": "ref/prompt", "name": prompt["name"] },
        "argument": { "name": prompt["arguments"][0]["name"], "value": "" },
    });
    let answer = cx.request("completion/complete").await?.params(params).send().await?;
    let result = answer.expect_result()?;
    match result["completion"]["values"].as_array() {
        Some(values) if values.len() <= 100 => Ok(()),
        Some(values) => Err(answer.violated("at most 100 values", format!("{} values", values.len()))),
        None => Err(answer.violated("completion.values, an array", result.to_string())),
    }
}

const LEVEL_CHECKED: Check = Check {
    id: "server/logging/level-checked",
    title: "a log level that does not exist is refused with -32602",
    cites: &[should("server/utilities/logging#error-handling", Span::LEGACY)],
    aliases: &[],
    why: "a client that misspells a level would wait for messages that never come",
    fix: "accept the eight levels of RFC 5424, and answer -32602 to any other",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(level_checked(cx))),
    fault: &fault::LEVEL_UNCHECKED,
};

async fn level_checked(cx: &ServerCx) -> Verdict {
    cx.needs(LOGGING).await?;
    let answer = cx.request("logging/setLevel").await?.params(json!({ "level": "chatty" })).send().await?;
    answer.expect_error(&[code::INVALID_PARAMS])
}
