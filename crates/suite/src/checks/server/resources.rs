//! Resources: reading, what is refused, and subscriptions of the legacy revisions.

use protocol::capability::{RESOURCES, RESOURCES_SUBSCRIBE};
use protocol::{Span, Version, code};
use serde_json::{Value, json};
use server::fault::{lists, resources as fault};
use transport::Transport;
use transport::client::{Message, Session};

use crate::expect::Answer;
use crate::sweep::last;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advised, defined, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[READABLE, CONTENTS_NAMED, NOT_FOUND, NOT_FOUND_EMPTY, URI_CHECKED, TRAVERSAL, SUBSCRIBE, OWN_SESSION];

/// A client reads a listed resource with resources/read. The page defines this by example, so a resource that cannot be
/// read is a warning.
const READABLE: Check = Check {
    id: "server/resources/listed-readable",
    title: "a listed resource can be read",
    cites: &[advised("server/resources#reading-resources", Span::ALWAYS)],
    aliases: &["test_resources_capability", "test_resources_read"],
    why: "a client offers the listed resources, and fails when the user picks one",
    fix: "list only what resources/read serves under the same URI",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(readable(cx))),
    fault: &fault::RESOURCE_UNREADABLE,
};

async fn readable(cx: &ServerCx) -> Verdict {
    let mut read = 0;
    for one in cx.reads().await?.iter().filter(|read| read.listed) {
        // A resource that takes too long is not judged.
        let Some(answer) = one.answers.as_ref().ok().and_then(|answers| answers.last()) else { continue };
        answer.expect_result()?;
        read += 1;
    }
    if read == 0 { Err(Finding::not_applicable("the server lists no resources")) } else { Ok(()) }
}

/// The contents of a resource have a URI, and hold either text or a base64 blob.
const CONTENTS_NAMED: Check = Check {
    id: "server/resources/contents-complete",
    title: "contents have a uri, and text or a blob",
    cites: &[defined("server/resources#resource-contents", Span::ALWAYS)],
    aliases: &["test_resource_metadata_support", "test_resources_read"],
    why: "one read may return several contents, and the URI tells them apart",
    fix: "give every content its uri, and exactly one of text and blob",
    applies: Applies::Everywhere,
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

/// For a resource that does not exist, a server should answer -32002 up to 2025-11-25, and must answer -32602 since.
const NOT_FOUND: Check = Check {
    id: "server/resources/not-found-code",
    title: "the error for a resource that does not exist has the revision's code",
    cites: &[
        should("server/resources#error-handling", Span::until(Version::V2025_11_25)),
        must("server/resources#error-handling", Span::MODERN),
    ],
    aliases: &[],
    why: "clients tell \"gone\" from \"broken\" by the code: -32002 up to 2025-11-25, -32602 since",
    fix: "answer with that code, and put the uri into data",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(not_found(cx))),
    fault: &fault::RESOURCE_NOT_FOUND_WRONG_CODE,
};

async fn not_found(cx: &ServerCx) -> Verdict {
    cx.needs(RESOURCES).await?;
    let answer = read_nothing(cx).await?;
    expect_no_template_for_all(cx, &answer, "").await?;
    if answer.reply.result().is_some() {
        return Err(Finding::blocked_by(NOT_FOUND_EMPTY.id, "a resource that does not exist was read"));
    }
    if answer.reply.code() == Some(code::METHOD_NOT_FOUND) {
        return Err(Finding::not_applicable("resources/read is not there"));
    }
    answer.expect_error(&[code::resource_not_found(cx.version)])
}

/// For a resource that does not exist, a server should return an error. 2026-07-28 forbids an empty `contents`
/// outright. A server whose templates match every URI has the resource.
const NOT_FOUND_EMPTY: Check = Check {
    id: "server/resources/not-found-refused",
    title: "reading a resource that does not exist is an error, not an empty list",
    cites: &[
        should("server/resources#error-handling", Span::until(Version::V2025_11_25)),
        must_not("server/resources#error-handling", Span::MODERN),
    ],
    aliases: &["test_resource_uri_validation"],
    why: "an empty list may also mean that the resource exists and is empty",
    fix: "answer with an error when there is no such resource",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(not_found_empty(cx))),
    fault: &fault::RESOURCE_NOT_FOUND_EMPTY,
};

async fn not_found_empty(cx: &ServerCx) -> Verdict {
    cx.needs(RESOURCES).await?;
    let answer = read_nothing(cx).await?;
    expect_no_template_for_all(cx, &answer, "").await?;
    answer.expect_any_error()
}

/// Not applicable where something was read, and a template of the server stands for every URI that begins with `start`.
pub(super) async fn expect_no_template_for_all(cx: &ServerCx, answer: &Answer, start: &str) -> Verdict {
    // In 2026-07-28 a server may answer so to any URI.
    if answer.reply.result_type().as_deref() == Some("input_required") {
        return Err(Finding::blocked("the server asks for input before it reads"));
    }
    if !has_contents(answer) {
        return Ok(());
    }
    let templates = cx.templates().await.unwrap_or_default().iter();
    let any = ["{", &format!("{start}{{")].map(str::to_owned);
    let mut uris = templates.filter_map(|template| template["uriTemplate"].as_str());
    if uris.any(|uri| any.iter().any(|any| uri.starts_with(any.as_str()))) {
        return Err(Finding::not_applicable("a template of the server stands for every resource"));
    }
    Ok(())
}

async fn read_nothing(cx: &ServerCx) -> Result<Answer, Finding> {
    read_resource(cx, "yardstick-nowhere:///no/such/resource").await
}

/// Resources, security considerations: a server must validate every resource URI.
const URI_CHECKED: Check = Check {
    id: "server/resources/uri-checked",
    title: "reading something that is not a URI is an error",
    cites: &[must("server/resources#security-considerations", Span::ALWAYS)],
    aliases: &["test_resource_uri_validation"],
    why: "text that nobody checked ends up in a path or a query",
    fix: "parse the URI, and refuse it if that fails or if it is not one of yours",
    applies: Applies::Everywhere,
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

/// Resources, security considerations (2026-07-28): a server must sanitize the paths of `file://` resources, so that
/// nobody reads outside its directories. A server that serves the whole disk has no outside.
const TRAVERSAL: Check = Check {
    id: "server/resources/traversal-refused",
    title: "a file URI that leaves its directory is refused",
    cites: &[must("server/resources#security-considerations", Span::MODERN)],
    aliases: &[],
    why: "otherwise every file on the machine can be read",
    fix: "resolve the path, and serve it only if it lies within the directories that you mean to serve",
    applies: Applies::Everywhere,
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
        let answer = read_resource(cx, &path).await?;
        if !answer.reply.is_error() && has_contents(&read_resource(cx, "file:///etc/passwd").await?) {
            return Err(Finding::not_applicable("the server serves files from everywhere"));
        }
        answer.expect_any_error()?;
    }
    Ok(())
}

async fn read_resource(cx: &ServerCx, uri: &str) -> Result<Answer, Finding> {
    cx.request("resources/read").await?.params(json!({ "uri": uri })).send().await
}

fn has_contents(answer: &Answer) -> bool {
    let contents = |result: Value| result["contents"].as_array().is_some_and(|contents| !contents.is_empty());
    answer.reply.result().is_some_and(contents)
}

/// A server that declares `resources.subscribe` lets clients subscribe to a resource and unsubscribe. The page defines
/// this by example. 2026-07-28 has subscriptions/listen instead.
const SUBSCRIBE: Check = Check {
    id: "server/resources/subscribe-answered",
    title: "a server that declares subscriptions lets a client subscribe and unsubscribe",
    cites: &[advised("server/resources#subscriptions", Span::LEGACY)],
    aliases: &["test_resources_capability", "test_resources_subscribe"],
    why: "a client that relies on it shows outdated resources",
    fix: "answer resources/subscribe and resources/unsubscribe with an empty result",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(subscribe(cx))),
    fault: &lists::SUBSCRIBE_REFUSED,
};

async fn subscribe(cx: &ServerCx) -> Verdict {
    cx.needs(RESOURCES_SUBSCRIBE).await?;
    let Some(resource) = cx.resources().await?.first() else {
        return Err(Finding::not_applicable("the server lists no resources"));
    };
    let session = cx.exclusive_session().await?;
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let params = json!({ "uri": resource["uri"] });
        cx.request_on(&session, method).params(params).send().await?.expect_result()?;
    }
    Ok(())
}

/// Clients subscribe to a resource and are notified when it changes. That others are not notified is implied.
const OWN_SESSION: Check = Check {
    id: UPDATES_OWN_SESSION_CHECK,
    title: "updates of a resource go only to the session that subscribed to it",
    cites: &[advised(
        "server/resources#subscriptions",
        Span::between(Version::V2025_03_26, Version::V2025_11_25),
    )],
    aliases: &[],
    why: "one client learns what another one works with, and reads again for nothing",
    fix: "keep subscriptions with the session that asked for them, and look there before you notify",
    applies: Applies::Over(Transport::StreamableHttp),
    run: Run::Alone(|cx| Box::pin(own_session(cx))),
    fault: &fault::UPDATES_LEAK,
};

/// The id of the check that listens on a session without subscriptions while another one has some.
pub(in crate::checks) const UPDATES_OWN_SESSION_CHECK: &str = "server/resources/updates-own-session";
/// How many resources are watched at most.
const MAX_WATCHED: usize = 16;

async fn own_session(cx: &ServerCx) -> Verdict {
    cx.needs(RESOURCES_SUBSCRIBE).await?;
    let tools = cx.own_tools().await;
    let subscriber = cx.another_session().await?;
    for resource in cx.resources().await?.iter().take(MAX_WATCHED) {
        let params = json!({ "uri": resource["uri"] });
        let answer = cx.request_on(&subscriber, "resources/subscribe").params(params).send().await?;
        answer.expect_result().map_err(|finding| finding.into_obstacle_of(SUBSCRIBE.id))?;
    }
    let bystander = cx.unjudged_session().await?;
    for session in [&subscriber, &bystander] {
        if !session.open_get_stream().await? {
            return Err(Finding::not_applicable("GET opens no stream"));
        }
        cx.has_caught_up(session).await;
    }
    cx.call_all(&subscriber, &tools.iter().collect::<Vec<_>>(), false).await;
    cx.has_caught_up(&bystander).await;
    let told = next_update(cx, &subscriber).await;
    if let Some(leaked) = next_update(cx, &bystander).await {
        let actual = "an update on a session that subscribed to nothing";
        return Err(Finding::violated_in(&leaked.bytes, "updates on the session that subscribed", actual));
    }
    if told.is_some() { Ok(()) } else { Err(cx.no_tool("changes a resource").await) }
}

async fn next_update(cx: &ServerCx, session: &Session) -> Option<Message> {
    while let Ok(Some(message)) = session.incoming(cx.pace().benefit_of_doubt()).await {
        if message.is_notification("notifications/resources/updated") {
            return Some(message);
        }
    }
    None
}
