//! Resources.

use protocol::capability::{RESOURCES, RESOURCES_SUBSCRIBE};
use protocol::{Span, Version, code};
use serde_json::json;
use server::fault::{lists, resources as fault};

use crate::sweep::last;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, advised, defined, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[READABLE, CONTENTS_NAMED, NOT_FOUND, NOT_FOUND_EMPTY, URI_CHECKED, TRAVERSAL, SUBSCRIBE];

const READABLE: Check = Check {
    id: "server/resources/listed-readable",
    title: "a listed resource can be read",
    cites: &[advised("server/resources#reading-resources", Span::ALWAYS)],
    aliases: &["test_resources_capability", "test_resources_read"],
    why: "a client offers what is listed, and fails when the user picks it",
    fix: "list only what resources/read serves under the same URI",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(readable(cx))),
    fault: &fault::RESOURCE_UNREADABLE,
};

async fn readable(cx: &ServerCx) -> Verdict {
    let mut read = 0;
    for one in cx.reads().await?.iter().filter(|read| read.listed) {
        // One that takes too long is left alone.
        let Some(answer) = one.answers.as_ref().ok().and_then(|answers| answers.last()) else { continue };
        answer.expect_result()?;
        read += 1;
    }
    if read == 0 { Err(Finding::not_applicable("the server lists no resources")) } else { Ok(()) }
}

const CONTENTS_NAMED: Check = Check {
    id: "server/resources/contents-complete",
    title: "contents have a uri, and text or a blob",
    cites: &[defined("server/resources#resource-contents", Span::ALWAYS)],
    aliases: &["test_resource_metadata_support", "test_resources_read"],
    why: "one read may return several contents, and the URI tells them apart",
    fix: "give every content its uri, and exactly one of text and blob",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(contents_named(cx))),
    fault: &fault::CONTENTS_WITHOUT_URI,
};

async fn contents_named(cx: &ServerCx) -> Verdict {
    let mut read = 0;
    for one in cx.reads().await? {
        let Some((answer, result)) = last(&one.answers) else { continue };
        read += 1;
        let Some(contents) = result["contents"].as_array() else {
            return Err(answer.violated("contents, an array", result.to_string()));
        };
        for content in contents {
            let body = content["text"].is_string() || content["blob"].is_string();
            if !content["uri"].is_string() || !body {
                return Err(answer.violated("uri, and text or blob", content.to_string()));
            }
        }
    }
    if read == 0 { Err(Finding::not_applicable("no resource could be read")) } else { Ok(()) }
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
        return Err(Finding::blocked_by(NOT_FOUND_EMPTY.id, "a resource that does not exist was read"));
    }
    if answer.reply.code() == Some(code::METHOD_NOT_FOUND) {
        return Err(Finding::not_applicable("resources/read is not there"));
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
    aliases: &["test_resource_uri_validation"],
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

const URI_CHECKED: Check = Check {
    id: "server/resources/uri-checked",
    title: "reading what is no URI is an error",
    cites: &[must("server/resources#security-considerations", Span::ALWAYS)],
    aliases: &["test_resource_uri_validation"],
    why: "what is not checked ends up in a path or a query",
    fix: "parse the URI, and refuse what is none or not yours",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(uri_checked(cx))),
    fault: &fault::RESOURCE_NOT_FOUND_EMPTY,
};

async fn uri_checked(cx: &ServerCx) -> Verdict {
    cx.needs(RESOURCES).await?;
    for uri in [json!("this is no uri"), json!("")] {
        let answer = cx.request("resources/read").await?.params(json!({ "uri": uri })).send().await?;
        answer.expect_any_error()?;
    }
    Ok(())
}

const TRAVERSAL: Check = Check {
    id: "server/resources/traversal-refused",
    title: "a file URI that climbs out of its directory is refused",
    cites: &[must("server/resources#security-considerations", Span::MODERN)],
    aliases: &[],
    why: "otherwise every file on the machine can be read",
    fix: "resolve the path, and serve it only if it lies within the directories that you mean to serve",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(traversal(cx))),
    fault: &fault::RESOURCE_NOT_FOUND_EMPTY,
};

async fn traversal(cx: &ServerCx) -> Verdict {
    let files = cx.resources().await?.iter().filter_map(|resource| resource["uri"].as_str());
    let folder = files.filter(|uri| uri.starts_with("file://")).filter_map(|uri| uri.rsplit_once('/')).next();
    let folder = folder.map_or("file:///yardstick", |(folder, _)| folder);
    let up = "/..".repeat(12);
    for path in [format!("{folder}{up}/etc/passwd"), format!("{folder}{}/etc/passwd", up.replace('.', "%2e"))]
    {
        let answer = cx.request("resources/read").await?.params(json!({ "uri": path })).send().await?;
        answer.expect_any_error()?;
    }
    Ok(())
}

const SUBSCRIBE: Check = Check {
    id: "server/resources/subscribe-answered",
    title: "a server that declares subscriptions lets a client subscribe and unsubscribe",
    cites: &[advised("server/resources#subscriptions", Span::LEGACY)],
    aliases: &["test_resources_capability", "test_resources_subscribe"],
    why: "a client that relies on it shows what is out of date",
    fix: "answer resources/subscribe and resources/unsubscribe with an empty result",
    on: On::Any,
    run: Run::Alone(|cx| Box::pin(subscribe(cx))),
    fault: &lists::SUBSCRIBE_REFUSED,
};

async fn subscribe(cx: &ServerCx) -> Verdict {
    cx.needs(RESOURCES_SUBSCRIBE).await?;
    let Some(resource) = cx.resources().await?.first() else {
        return Err(Finding::not_applicable("the server lists no resources"));
    };
    let session = cx.alone().await?;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let params = json!({ "uri": resource["uri"] });
        cx.on(&session, method).params(params).send().await?.expect_result()?;
    }
    Ok(())
}
