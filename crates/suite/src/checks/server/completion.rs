//! Completion: what a server suggests for the arguments of prompts and resource templates, and what it must not.

use protocol::capability::COMPLETIONS;
use protocol::{Span, Version, code};
use serde_json::json;
use server::fault::{asks, calls, resources as fault};

use crate::expect::Answer;
use crate::sweep::last;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised, defined, must, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[ANSWERED, BOUNDED, COUNTS_AGREE, UNKNOWN_REFUSED, INPUT_CHECKED];

/// A server with the `completions` capability answers completion/complete with values for an argument. The page defines
/// this by example. 2024-11-05 has no such capability.
const ANSWERED: Check = Check {
    id: "server/completion/answered",
    title: "a server that declares completions completes something",
    cites: &[advised(
        "server/utilities/completion#requesting-completions",
        Span::since(Version::V2025_03_26),
    )],
    aliases: &[],
    why: "a client asks at every key that the user presses, and gets only errors",
    fix: "answer completion/complete for the arguments of your prompts and templates, with an empty list if nothing fits",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(answered(cx))),
    fault: &calls::COMPLETIONS_REFUSED,
};

async fn answered(cx: &ServerCx) -> Verdict {
    let completions = cx.completions().await?;
    if completions.iter().any(|completed| last(&completed.answers).is_some()) {
        return Ok(());
    }
    let refused = completions.iter().filter_map(|completed| completed.answers.as_ref().ok()?.last()).next();
    match refused {
        Some(answer) => {
            expect_served(answer)?;
            Err(answer.violated("a result for at least one argument", answer.summary()))
        }
        None => Err(Finding::not_applicable("there is nothing to complete")),
    }
}

/// That a declared feature has no method is told by the check of capabilities.
fn expect_served(answer: &Answer) -> Verdict {
    if answer.reply.code() == Some(code::METHOD_NOT_FOUND) {
        return Err(Finding::not_applicable("the server has no completion/complete"));
    }
    Ok(())
}

/// A completion has at most 100 values. 2024-11-05 says so too, but has no capability by which to know that a server
/// completes.
const BOUNDED: Check = Check {
    id: "server/completion/at-most-100",
    title: "a completion has at most 100 values",
    cites: &[defined("server/utilities/completion#completion-results", Span::since(Version::V2025_03_26))],
    aliases: &[],
    why: "clients show the values as the user types, and have room for that many",
    fix: "cut the list at 100, and set hasMore",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(bounded(cx))),
    fault: &fault::COMPLETION_TOO_MANY,
};

async fn bounded(cx: &ServerCx) -> Verdict {
    let mut judged = 0;
    for completed in cx.completions().await? {
        let Some((answer, result)) = last(&completed.answers) else { continue };
        // That there are no values at all is told by the checks of results.
        let Some(values) = result["completion"]["values"].as_array() else { continue };
        judged += 1;
        if values.len() > 100 {
            return Err(answer.violated("at most 100 values", format!("{} values", values.len())));
        }
    }
    if judged == 0 { Err(Finding::not_applicable("there is nothing to complete")) } else { Ok(()) }
}

/// A completion may give `total`, the number of all matches, and `hasMore`, whether some are not among its values.
const COUNTS_AGREE: Check = Check {
    id: "server/completion/counts-agree",
    title: "total and hasMore of a completion agree with its values",
    cites: &[defined("server/utilities/completion#completion-results", Span::since(Version::V2025_03_26))],
    aliases: &[],
    why: "clients say how many more there are, and offer to narrow the search when there are",
    fix: "count all that match in total, and set hasMore exactly when some of them are not among the values",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(counts_agree(cx))),
    fault: &fault::COMPLETION_MISCOUNTED,
};

async fn counts_agree(cx: &ServerCx) -> Verdict {
    let mut judged = false;
    for completed in cx.completions().await? {
        let Some((answer, result)) = last(&completed.answers) else { continue };
        let completion = &result["completion"];
        let Some(count) = completion["values"].as_array().map(Vec::len) else { continue };
        judged = true;
        let Some(total) = completion["total"].as_u64() else { continue };
        let is_more = total > count as u64;
        let contradicts = completion["hasMore"].as_bool().is_some_and(|more| more != is_more);
        if total < count as u64 || contradicts {
            let actual = format!("{count} values, total {total}, hasMore {}", completion["hasMore"]);
            return Err(answer.violated("total and hasMore that agree with the values", actual));
        }
    }
    if judged { Ok(()) } else { Err(Finding::not_applicable("there is nothing to complete")) }
}

/// Completion, error handling: a server should answer a request about an unknown prompt with -32602.
const UNKNOWN_REFUSED: Check = Check {
    id: "server/completion/unknown-prompt-refused",
    title: "completion for a prompt that does not exist is refused with -32602",
    cites: &[should("server/utilities/completion#error-handling", Span::since(Version::V2025_03_26))],
    aliases: &[],
    why: "an empty list looks as if nothing fitted, so a client never learns that it misspelt the name",
    fix: "look the prompt up first, and answer -32602 if there is none",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(unknown_refused(cx))),
    fault: &asks::COMPLETION_UNKNOWN_SERVED,
};

async fn unknown_refused(cx: &ServerCx) -> Verdict {
    cx.needs(COMPLETIONS).await?;
    let params = json!({
        "ref": { "type": "ref/prompt", "name": "yardstick-no-such-prompt" },
        "argument": { "name": "x", "value": "" },
    });
    let answer = cx.request("completion/complete").await?.params(params).send().await?;
    expect_served(&answer)?;
    answer.expect_error(&[code::INVALID_PARAMS])
}

/// Completion, security: an implementation must validate all inputs. The page does not say how to refuse them, so an
/// error and an empty list both pass.
const INPUT_CHECKED: Check = Check {
    id: "server/completion/input-checked",
    title: "a malformed completion request gets no suggestions",
    cites: &[must("server/utilities/completion#security", Span::ALWAYS)],
    aliases: &[],
    why: "a server that guesses what was meant may suggest what the client was not to see",
    fix: "check ref and argument before anything is looked up",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(input_checked(cx))),
    fault: &asks::COMPLETION_UNKNOWN_SERVED,
};

async fn input_checked(cx: &ServerCx) -> Verdict {
    // 2024-11-05 has no capability for completion: there, a server has the feature if it completes something.
    let completes = cx.completions().await?.iter().any(|completed| last(&completed.answers).is_some());
    if cx.version < Version::V2025_03_26 && !completes {
        return Err(Finding::not_applicable("the server does not complete anything"));
    }
    for params in [
        json!({ "ref": { "type": "ref/prompt", "name": "yardstick" } }),
        json!({ "ref": { "type": "ref/yardstick" }, "argument": { "name": "x", "value": "" } }),
        json!({ "argument": { "name": "x", "value": "" } }),
    ] {
        let answer = cx.request("completion/complete").await?.params(params).send().await?;
        // An empty answer gives nothing away, and the page does not say how to refuse.
        let suggested = answer.reply.result().unwrap_or_default()["completion"]["values"].clone();
        if suggested.as_array().is_some_and(|values| !values.is_empty()) {
            return Err(answer.violated("an error, or no values", suggested.to_string()));
        }
    }
    Ok(())
}
