//! UI resources as `resources/list` shows them. A server may leave them out of the list, so there may be nothing to judge.

use std::collections::HashSet;

use protocol::Span;
use protocol::apps::{MIME_TYPE, URI_SCHEME};
use server::fault::{app_details as details, apps as fault};

use super::metadata::broken_part;
use super::surface::{bytes_of, html_of};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[RESOURCES_LISTED, LISTED_URI, LISTED_MEDIA_TYPE, LISTED_UNIQUE, LISTED_SIZE, LISTED_METADATA];

/// The page defines the list of resources, and each member of a resource with its type.
const RESOURCES_LISTED: Check = Check {
    id: "server/apps/resources-listed",
    title: "the list of resources is well-formed",
    cites: &[defined("server/resources#listing-resources", Span::ALWAYS)],
    aliases: &["ui-listed-resources-valid"],
    why: "a typed client drops the whole list when one resource in it is malformed",
    fix: "give every resource a uri and a name, and every member the type it is defined with",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(resources_listed(cx))),
    fault: &details::UI_LISTED_WITHOUT_NAME,
};

async fn resources_listed(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    match surface.problem_of_resources() {
        Some(problem) => Err(problem.clone()),
        None => surface.ui_resources().map(|_| ()),
    }
}

/// UI resource format: the URI of a UI resource must have the scheme `ui://`.
const LISTED_URI: Check = Check {
    id: "server/apps/listed-uri-scheme",
    title: "a listed UI resource has a ui:// URI",
    cites: &[must("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &["ui-listed-resources-valid"],
    why: "the scheme is how hosts tell apps from files, and they open nothing else",
    fix: "give the resource a ui:// URI, or another mimeType if it is not an app",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed_uri(cx))),
    fault: &details::UI_LISTED_ELSEWHERE,
};

async fn listed_uri(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    let foreign = |uri: Option<&str>| !uri.is_some_and(|uri| uri.starts_with(URI_SCHEME));
    expect_none(surface.ui_resources()?.into_iter().find(|item| foreign(item["uri"].as_str())), |item| {
        Finding::violated("a ui:// URI", format!("{} of {}", item["uri"], item["name"]))
    })
}

/// UI resource format: the media type of a UI resource should be `text/html;profile=mcp-app`.
const LISTED_MEDIA_TYPE: Check = Check {
    id: "server/apps/listed-media-type",
    title: "a listed UI resource has the media type text/html;profile=mcp-app",
    cites: &[should("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &["ui-listed-resources-valid", "mcp-apps-res-01"],
    why: "a host that looks for apps in the list skips this one",
    fix: "list it with the mimeType that resources/read returns",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed_media_type(cx))),
    fault: &fault::UI_LISTED_MIME_WRONG,
};

async fn listed_media_type(cx: &ServerCx) -> Verdict {
    expect_none(
        cx.apps().await?.ui_resources()?.into_iter().find(|item| item["mimeType"] != MIME_TYPE),
        |item| Finding::violated(MIME_TYPE, format!("{}: mimeType {}", item["uri"], item["mimeType"])),
    )
}

/// UI resource format: the URI is defined as the unique identifier of a UI resource.
const LISTED_UNIQUE: Check = Check {
    id: "server/apps/listed-uri-unique",
    title: "no UI resource is listed twice",
    cites: &[defined("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "the URI identifies the resource, and a host cannot know which of two policies applies",
    fix: "list each URI once",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed_unique(cx))),
    fault: &details::UI_LISTED_TWICE,
};

async fn listed_unique(cx: &ServerCx) -> Verdict {
    let mut seen = HashSet::new();
    expect_none(
        cx.apps().await?.ui_resources()?.into_iter().find(|item| !seen.insert(item["uri"].to_string())),
        |item| Finding::violated("each URI once", format!("{} twice", item["uri"])),
    )
}

/// A UI resource follows the standard pattern of resources, where `size` is defined as the size in bytes.
const LISTED_SIZE: Check = Check {
    id: "server/apps/listed-size",
    title: "the listed size of a UI resource is that of its document in bytes",
    cites: &[
        defined("apps.mdx#ui-resource-format", Span::ALWAYS),
        defined("server/resources#resource", Span::ALWAYS),
    ],
    aliases: &[],
    why: "hosts decide by the size whether to fetch a document ahead, and how much room it takes",
    fix: "count the bytes of the UTF-8 text, before any base64, or leave size out",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed_size(cx))),
    fault: &details::UI_SIZE_WRONG,
};

async fn listed_size(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    let mut compared = 0;
    for item in surface.ui_resources()? {
        let Some(size) = item["size"].as_u64() else { continue };
        let read = surface.reads.iter().find(|read| item["uri"] == read.uri.as_str() && read.flaw.is_none());
        let Some((Ok(answer), [content])) = read.map(|read| (&read.answer, &read.contents[..])) else {
            continue;
        };
        compared += 1;
        let bytes = match (content["text"].as_str(), content["blob"].as_str()) {
            (None, Some(blob)) => bytes_of(blob).unwrap_or_default().len(),
            (Some(_), _) | (None, None) => html_of(content).len(),
        };
        if u64::try_from(bytes).is_ok_and(|bytes| bytes != size) {
            let listed = format!("{} is listed with {size} bytes", item["uri"]);
            return Err(answer.violated(format!("{bytes} bytes, which is what was read"), listed));
        }
    }
    if compared == 0 {
        Err(Finding::not_applicable("no UI resource is listed with its size"))
    } else {
        Ok(())
    }
}

/// UI resource format: defines the members of `_meta.ui` and their types, for listed resources as for contents.
const LISTED_METADATA: Check = Check {
    id: "server/apps/listed-metadata-valid",
    title: "the UI metadata of a listed resource has the defined types",
    cites: &[defined("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "hosts that review an app before it is opened read its policy from the list",
    fix: "csp holds arrays of origins, permissions hold objects, domain is a string, prefersBorder a boolean",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(listed_metadata(cx))),
    fault: &details::UI_LISTED_CSP_NOT_ARRAY,
};

async fn listed_metadata(cx: &ServerCx) -> Verdict {
    for item in cx.apps().await?.ui_resources()? {
        if let Some(problem) = broken_part(item) {
            return Err(Finding::violated("sound UI metadata", format!("{}: {problem}", item["uri"])));
        }
    }
    Ok(())
}
