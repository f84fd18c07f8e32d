//! Reading UI resources, and the other resources of the same server.

use protocol::{Span, Version, apps};
use serde_json::Value;
use server::fault::{apps as fault, resources};

use super::surface::read_resource;
use crate::checks::server::resources::expect_no_template_for_all;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advice, defined, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[RESOURCE_EXISTS, CONTENT_BODY, ONE_CONTENT, TEXT_OR_BLOB, MISSING_REFUSED, OTHERS_READABLE];

/// A UI resource that no server has.
const NOWHERE: &str = "ui://yardstick-nowhere/no/such/app";

/// Resource discovery, behaviour: the resource that a tool names in `resourceUri` must exist on the server.
const RESOURCE_EXISTS: Check = Check {
    id: "server/apps/resource-exists",
    title: "every UI resource that a tool names or the server lists can be read",
    cites: &[must("apps.mdx#behavior", Span::ALWAYS)],
    aliases: &["ui-resources-readable"],
    why: "the host has nothing to show where the app should be",
    fix: "serve the resource under exactly the URI that the tool names",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(resource_exists(cx))),
    fault: &fault::UI_RESOURCE_MISSING,
};

async fn resource_exists(cx: &ServerCx) -> Verdict {
    for read in cx.apps().await?.reads()? {
        match &read.answer {
            Ok(answer) => answer.expect_result().map(|_| ())?,
            Err(finding) => return Err(finding.clone()),
        }
    }
    Ok(())
}

/// Content requirements: the document must be in `text`, or in `blob` as base64.
const CONTENT_BODY: Check = Check {
    id: "server/apps/content-body",
    title: "the content of a UI resource has a uri, and text or a base64 blob",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &["ui-resources-readable", "mcp-apps-res-03", "mcp-apps-res-04"],
    why: "clients drop a content that they cannot decode, before any host sees it",
    fix: "put the document into text, or its base64 (standard alphabet) into blob, and the URI into uri",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(content_body(cx))),
    fault: &fault::UI_BLOB_NOT_BASE64,
};

async fn content_body(cx: &ServerCx) -> Verdict {
    let mut judged = 0;
    for read in cx.apps().await?.reads()? {
        let Ok(answer) = &read.answer else { continue };
        if answer.reply.result().is_none() {
            continue;
        }
        judged += 1;
        if let Some(flaw) = &read.flaw {
            return Err(
                answer.violated("contents with uri, and text or blob", format!("{}: {flaw}", read.uri))
            );
        }
    }
    if judged == 0 { Err(Finding::blocked("no UI resource could be read")) } else { Ok(()) }
}

/// UI resource format: the result of resources/read is defined with one content, whose `uri` is that of the resource.
const ONE_CONTENT: Check = Check {
    id: "server/apps/one-content",
    title: "reading a UI resource returns one content, with its own URI",
    cites: &[defined("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &["ui-resource-contents-valid"],
    why: "a host that gets two documents for one frame has to guess, and picks the wrong one",
    fix: "return exactly one content, whose uri is the one that was asked for",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(one_content(cx))),
    fault: &fault::UI_CONTENT_URI_DIFFERS,
};

async fn one_content(cx: &ServerCx) -> Verdict {
    for (read, answer) in cx.apps().await?.sound_reads()? {
        match &read.contents[..] {
            [content] if content["uri"] == read.uri.as_str() => {}
            [content] => {
                return Err(answer.violated(format!("uri {}", read.uri), format!("uri {}", content["uri"])));
            }
            contents => {
                let actual = format!("{}: {} contents", read.uri, contents.len());
                return Err(answer.violated("one content", actual));
            }
        }
    }
    Ok(())
}

/// Content requirements: the document must be in either `text` or `blob`.
const TEXT_OR_BLOB: Check = Check {
    id: "server/apps/text-or-blob",
    title: "the content of a UI resource has text or blob, not both",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "some hosts show one and some the other, and a reviewer may have read neither",
    fix: "leave out text, or blob",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(text_or_blob(cx))),
    fault: &fault::UI_TEXT_AND_BLOB,
};

async fn text_or_blob(cx: &ServerCx) -> Verdict {
    for (read, answer) in cx.apps().await?.sound_reads()? {
        let both = |content: &&Value| content.get("text").is_some() && content.get("blob").is_some();
        if read.contents.iter().any(|content| both(&content)) {
            return Err(answer.violated("text or blob", format!("{}: text and blob", read.uri)));
        }
    }
    Ok(())
}

/// Resources, error handling: a server should return an error for a resource that does not exist. 2026-07-28 forbids
/// empty `contents` outright. UI resources are resources.
const MISSING_REFUSED: Check = Check {
    id: "server/apps/missing-resource-refused",
    title: "reading a UI resource that does not exist is an error",
    cites: &[
        should("server/resources#error-handling", Span::until(Version::V2025_11_25)),
        must_not("server/resources#error-handling", Span::MODERN),
    ],
    aliases: &["mcp-apps-res-09"],
    why: "a host that gets an empty result shows an empty frame instead of saying what is wrong",
    fix: "answer with the error that your revision has for it, and put the uri into data",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(missing_refused(cx))),
    fault: &resources::RESOURCE_NOT_FOUND_EMPTY,
};

async fn missing_refused(cx: &ServerCx) -> Verdict {
    cx.apps().await?.sound_reads()?;
    let answer = read_resource(cx, NOWHERE).await?;
    expect_no_template_for_all(cx, &answer, apps::URI_SCHEME).await?;
    answer.expect_any_error()
}

/// A client reads listed resources with resources/read; another check judges that. Here we advise that apps do not get
/// in the way of other resources.
const OTHERS_READABLE: Check = Check {
    id: "server/apps/others-readable",
    title: "resources that are not apps can still be read",
    cites: &[advice("server/resources#reading-resources", Span::ALWAYS)],
    aliases: &["mcp-apps-reg-03", "mcp-apps-reg-04"],
    why: "an app is an addition; everything else that the server offers must go on working",
    fix: "dispatch by the whole URI, not by the scheme alone",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(others_readable(cx))),
    fault: &resources::RESOURCE_UNREADABLE,
};

async fn others_readable(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    surface.reads()?;
    let uris: Vec<_> = surface.resources.items.iter().filter_map(|item| item["uri"].as_str()).collect();
    let others: Vec<_> =
        uris.into_iter().filter(|uri| !surface.reads.iter().any(|read| read.uri == *uri)).collect();
    if others.is_empty() {
        return Err(Finding::not_applicable("the server lists no other resources"));
    }
    for uri in others.into_iter().take(3) {
        read_resource(cx, uri).await?.expect_result()?;
    }
    Ok(())
}
