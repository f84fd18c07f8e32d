//! Reading UI resources, and other ones beside them.

use protocol::{Span, Version};
use serde_json::Value;
use server::fault::{apps as fault, resources};

use super::surface::read;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, advice, defined, must, must_not, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[RESOURCE_EXISTS, CONTENT_BODY, ONE_CONTENT, TEXT_OR_BLOB, MISSING_REFUSED, OTHERS_READABLE];

/// A UI resource that nobody has.
const NOWHERE: &str = "ui://yardstick-nowhere/no/such/app";

const RESOURCE_EXISTS: Check = Check {
    id: "server/apps/resource-exists",
    title: "the UI resource that a tool names can be read, and so can a listed one",
    cites: &[must("apps.mdx#behavior", Span::ALWAYS)],
    aliases: &["ui-resources-readable"],
    why: "the host has nothing to show where the app should be",
    fix: "serve the resource under exactly the URI that the tool names",
    on: On::Any,
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

const CONTENT_BODY: Check = Check {
    id: "server/apps/content-body",
    title: "a UI resource comes as text, or as a blob in base64, under a uri",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &["ui-resources-readable", "mcp-apps-res-03", "mcp-apps-res-04"],
    why: "a content without a body that clients can decode is dropped before any host sees it",
    fix: "put the document into text, or its base64 (standard alphabet) into blob, and the URI into uri",
    on: On::Any,
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

const ONE_CONTENT: Check = Check {
    id: "server/apps/one-content",
    title: "reading a UI resource gives one content, under its own URI",
    cites: &[defined("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &["ui-resource-contents-valid"],
    why: "a host that gets two documents for one frame has to guess, and picks the wrong one",
    fix: "return exactly one content, whose uri is the one that was asked for",
    on: On::Any,
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

const TEXT_OR_BLOB: Check = Check {
    id: "server/apps/text-or-blob",
    title: "the content of a UI resource has text or blob, not both",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "some hosts show the one and some the other, and a reviewer may have read neither",
    fix: "leave out text, or blob",
    on: On::Any,
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

const MISSING_REFUSED: Check = Check {
    id: "server/apps/missing-resource-refused",
    title: "reading a UI resource that does not exist is an error",
    cites: &[
        should("server/resources#error-handling", Span::until(Version::V2025_11_25)),
        must_not("server/resources#error-handling", Span::MODERN),
    ],
    aliases: &["mcp-apps-res-09"],
    why: "a host that is given an empty answer shows an empty frame instead of saying what is wrong",
    fix: "answer with the error that your revision has for it, and put the uri into data",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(missing_refused(cx))),
    fault: &resources::RESOURCE_NOT_FOUND_EMPTY,
};

async fn missing_refused(cx: &ServerCx) -> Verdict {
    cx.apps().await?.sound_reads()?;
    read(cx, NOWHERE).await?.expect_any_error()
}

const OTHERS_READABLE: Check = Check {
    id: "server/apps/others-readable",
    title: "resources that are no apps can be read beside them",
    // That a listed resource can be read is asked for elsewhere; this is about apps getting in the way.
    cites: &[advice("server/resources#reading-resources", Span::ALWAYS)],
    aliases: &["mcp-apps-reg-03", "mcp-apps-reg-04"],
    why: "an app is an addition; what the server offered before must go on working",
    fix: "dispatch by the whole URI, not by the scheme alone",
    on: On::Any,
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
        read(cx, uri).await?.expect_result()?;
    }
    Ok(())
}
