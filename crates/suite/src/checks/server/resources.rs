//! Resources.

use protocol::capability::RESOURCES;
use protocol::{Span, Version, code};
use serde_json::{Value, json};
use server::fault::resources as fault;

use crate::{Check, Finding, On, Run, ServerCx, Verdict, defined, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] = &[READABLE, CONTENTS_NAMED, NOT_FOUND, NOT_FOUND_EMPTY];

/// How many resources a check reads at most.
const MOST: usize = 10;

const READABLE: Check = Check {
    id: "server/resources/listed-readable",
    title: "a listed resource can be read",
    cites: &[defined("server/resources#reading-resources", Span::ALWAYS)],
    aliases: &[],
    why: "a client offers what is listed, and fails when the user picks it",
    fix: "list only what resources/read serves under the same URI",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(readable(cx))),
    fault: &fault::RESOURCE_UNREADABLE,
};

async fn readable(cx: &ServerCx) -> Verdict {
    for resource in some(cx).await? {
        let answer =
            cx.request("resources/read").await?.params(json!({ "uri": resource["uri"] })).send().await?;
        answer.expect_result()?;
    }
    Ok(())
}

const CONTENTS_NAMED: Check = Check {
    id: "server/resources/contents-complete",
    title: "contents have a uri, and text or a blob",
    cites: &[defined("server/resources#resource-contents", Span::ALWAYS)],
    aliases: &[],
    why: "one read may return several contents, and the URI tells them apart",
    fix: "give every content its uri, and exactly one of text and blob",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(contents_named(cx))),
    fault: &fault::CONTENTS_WITHOUT_URI,
};

async fn contents_named(cx: &ServerCx) -> Verdict {
    let mut read = 0;
    for resource in some(cx).await? {
        let answer =
            cx.request("resources/read").await?.params(json!({ "uri": resource["uri"] })).send().await?;
        let Some(result) = answer.reply.result() else { continue };
        read += 1;
        for content in result["contents"].as_array().into_iter().flatten() {
            let body = content["text"].is_string() || content["blob"].is_string();
            if !content["uri"].is_string() || !body {
                return Err(answer.violated("uri, and text or blob", content.to_string()));
            }
        }
    }
    if read == 0 { Err(Finding::blocked("no resource could be read")) } else { Ok(()) }
}

const NOT_FOUND: Check = Check {
    id: "server/resources/not-found-code",
    title: "a resource that does not exist is the error that the revision has for it",
    cites: &[
        should("server/resources#error-handling", Span::until(Version::V2025_11_25)),
        must("server/resources#error-handling", Span::MODERN),
    ],
    aliases: &[],
    why: "clients tell \"gone\" from \"broken\" by the code: -32002 up to 2025-11-25, -32602 since",
    fix: "answer with that code, and put the uri into data",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(not_found(cx))),
    fault: &fault::RESOURCE_NOT_FOUND_WRONG_CODE,
};

async fn not_found(cx: &ServerCx) -> Verdict {
    cx.needs(RESOURCES).await?;
    let answer = read_nothing(cx).await?;
    if answer.reply.result().is_some() {
        return Err(Finding::blocked("a resource that does not exist was read"));
    }
    answer.expect_error(&[code::resource_not_found(cx.version)])
}

const NOT_FOUND_EMPTY: Check = Check {
    id: "server/resources/not-found-refused",
    title: "a resource that does not exist is an error, not an empty list",
    cites: &[
        should("server/resources#error-handling", Span::until(Version::V2025_11_25)),
        must_not("server/resources#error-handling", Span::MODERN),
    ],
    aliases: &[],
    why: "an empty list may also mean a resource that is there and has nothing in it",
    fix: "answer with an error when there is no such resource",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(not_found_empty(cx))),
    fault: &fault::RESOURCE_NOT_FOUND_EMPTY,
};

async fn not_found_empty(cx: &ServerCx) -> Verdict {
    cx.needs(RESOURCES).await?;
    read_nothing(cx).await?.expect_any_error()
}

async fn read_nothing(cx: &ServerCx) -> Result<crate::expect::Answer, Finding> {
    let nowhere = json!({ "uri": "yardstick-nowhere:///no/such/resource" });
    cx.request("resources/read").await?.params(nowhere).send().await
}

async fn some(cx: &ServerCx) -> Result<Vec<&Value>, Finding> {
    let resources = cx.resources().await?;
    if resources.is_empty() {
        return Err(Finding::not_applicable("the server lists no resources"));
    }
    Ok(resources.iter().take(MOST).collect())
}
