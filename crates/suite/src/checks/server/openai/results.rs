//! Results of tools in the terms of OpenAI's Apps SDK.

use protocol::apps::openai::LOCALE;
use protocol::locale;
use serde_json::json;
use server::fault::{apps, openai as fault};

use super::super::apps::fallback::call_ui_tools;
use super::{REFERENCE, SERVER};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict};

pub(in crate::checks) const CHECKS: &[Check] = &[LOCALE_HONEST, STRUCTURED_SIZE];

/// A language tag from the range for private use, which no server supports.
const NOBODYS: &str = "qaa-x-ruler";
/// How many bytes of structured content a model can be expected to read.
const MOST_BYTES: usize = 10 * 1024;

/// Apps SDK reference: the host sends the user's locale in `openai/locale`; the server echoes there the locale that it
/// resolved.
const LOCALE_HONEST: Check = Check {
    id: "server/openai/locale-honest",
    title: "a server that does not have the requested language says which one it answers in",
    cites: &[REFERENCE],
    aliases: &[],
    why: "the host formats dates and numbers for the language that the server claims",
    fix: "look the language up (RFC 4647), and name the one that was found in openai/locale",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(locale_honest(cx))),
    fault: &apps::LOCALE_ECHOED,
};

async fn locale_honest(cx: &ServerCx) -> Verdict {
    cx.widgets().await?;
    let mut judged = 0;
    for answer in call_ui_tools(cx, cx.session().await?, |_| true, &json!({ LOCALE: NOBODYS })).await? {
        let Some(result) = answer.reply.result() else { continue };
        let Some(spoken) = result["_meta"].get(LOCALE) else { continue };
        judged += 1;
        let is_tag = spoken.as_str().is_some_and(|tag| locale::check(tag).is_ok());
        if !is_tag || spoken == NOBODYS {
            return Err(
                answer.violated("the tag of a language that the server has", format!("{LOCALE} {spoken}"))
            );
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no result says which language it is in")) } else { Ok(()) }
}

/// Apps SDK, building a server: the model reads structured content. We advise to keep it below 10 KB.
const STRUCTURED_SIZE: Check = Check {
    id: "server/openai/structured-size",
    title: "structured content for the model has at most 10 KB",
    cites: &[SERVER],
    aliases: &[],
    why: "the model reads all of it, which costs money and attention",
    fix: "give the model a summary, and the widget the rest in _meta",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(structured_size(cx))),
    fault: &fault::OPENAI_STRUCTURED_LARGE,
};

async fn structured_size(cx: &ServerCx) -> Verdict {
    cx.widgets().await?;
    let mut judged = 0;
    for answer in call_ui_tools(cx, cx.session().await?, |_| true, &json!({ LOCALE: "en-US" })).await? {
        let Some(result) = answer.reply.result() else { continue };
        let Some(structured) = result.get("structuredContent") else { continue };
        judged += 1;
        let bytes = structured.to_string().len();
        if bytes > MOST_BYTES {
            return Err(answer.violated(format!("at most {MOST_BYTES} bytes"), format!("{bytes} bytes")));
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no result has structured content")) } else { Ok(()) }
}
