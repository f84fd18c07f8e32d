//! Images, audio and resources in results; the URIs, URI templates and timestamps of resources.

use protocol::{Span, Version};
use serde_json::Value;
use server::fault::{calls, lists};

use super::calls::each_call;
use crate::expect::Answer;
use crate::formats::{is_base64, is_media_type, is_timestamp, is_uri, is_uri_template};
use crate::sweep::last;
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[TOOL_MEDIA, PROMPT_MEDIA, PROMPT_EMBEDDED, RESOURCE_URI, TEMPLATE, BLOB, LAST_MODIFIED];

/// Tools, image and audio content: `data` is base64, and `mimeType` says what it holds. 2024-11-05 has no audio.
const TOOL_MEDIA: Check = Check {
    id: "server/tools/media-valid",
    title: "images and audio that tools return are base64 and have a media type",
    cites: &[
        defined("server/tools#image-content", Span::ALWAYS),
        defined("server/tools#audio-content", Span::since(Version::V2025_03_26)),
    ],
    aliases: &["test_each_tool"],
    why: "a client hands them to the model as they are, and the provider refuses the whole request",
    fix: "encode the bytes as base64, and name their type",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(tool_media(cx))),
    fault: &calls::CALL_MEDIA_NOT_BASE64,
};

async fn tool_media(cx: &ServerCx) -> Verdict {
    let seen = std::sync::atomic::AtomicBool::new(false);
    each_call(cx, |tool, result| {
        for block in result["content"].as_array().into_iter().flatten().filter(|block| is_media(block)) {
            seen.store(true, std::sync::atomic::Ordering::Relaxed);
            media(block).map_err(|actual| (MEDIA.to_owned(), format!("tool {}: {actual}", tool["name"])))?;
        }
        Ok(())
    })
    .await?;
    if seen.into_inner() {
        Ok(())
    } else {
        Err(Finding::not_applicable("no call returned an image or audio"))
    }
}

/// The data of an image or of audio in a prompt must be base64 and have a valid media type. 2024-11-05 has no audio.
const PROMPT_MEDIA: Check = Check {
    id: "server/prompts/media-valid",
    title: "images and audio in prompts are base64 and have a media type",
    cites: &[
        must("server/prompts#image-content", Span::ALWAYS),
        must("server/prompts#audio-content", Span::since(Version::V2025_03_26)),
    ],
    aliases: &[],
    why: "a client hands them to the model as they are, and the provider refuses the whole request",
    fix: "encode the bytes as base64, and name their type",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(prompt_media(cx))),
    fault: &calls::PROMPT_MEDIA_TYPE,
};

async fn prompt_media(cx: &ServerCx) -> Verdict {
    each_prompt_block(cx, "no prompt has an image or audio", is_media, |answer, block| {
        media(block).map_err(|actual| answer.violated(MEDIA, actual))
    })
    .await
}

/// A resource that is embedded in a prompt must have a valid URI, a media type, and either text or a base64 blob.
const PROMPT_EMBEDDED: Check = Check {
    id: "server/prompts/embedded-complete",
    title: "a resource in a prompt has a URI, a media type, and text or base64",
    cites: &[must("server/prompts#embedded-resources", Span::ALWAYS)],
    aliases: &[],
    why: "without them the client cannot show the resource, nor tell the model what it is",
    fix: "give embedded resources uri, mimeType, and text or blob",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(prompt_embedded(cx))),
    fault: &calls::EMBEDDED_WITHOUT_TYPE,
};

async fn prompt_embedded(cx: &ServerCx) -> Verdict {
    let embedded = |block: &Value| block["type"] == "resource";
    each_prompt_block(cx, "no prompt has a resource in it", embedded, |answer, block| {
        let resource = &block["resource"];
        let text = resource["text"].is_string() || resource["blob"].as_str().is_some_and(is_base64);
        let complete = resource["uri"].as_str().is_some_and(is_uri)
            && resource["mimeType"].as_str().is_some_and(is_media_type)
            && text;
        if complete {
            return Ok(());
        }
        Err(answer.violated("a valid uri, a mimeType, and text or a base64 blob", resource.to_string()))
    })
    .await
}

/// A resource is identified by a URI. Since 2025-06-18 custom schemes must follow RFC 3986; before, the page only
/// defines the field.
const RESOURCE_URI: Check = Check {
    id: "server/resources/uri-valid",
    title: "the URI of every listed resource is valid",
    cites: &[
        defined("server/resources#resource", Span::until(Version::V2025_03_26)),
        must("server/resources#custom-uri-schemes", Span::since(Version::V2025_06_18)),
    ],
    aliases: &["test_resource_uri_validation", "test_resources_list"],
    why: "a client that parses the URI, as it should, cannot use the resource",
    fix: "give every resource a URI by RFC 3986: with a scheme, and percent-encoded where needed",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(resource_uri(cx))),
    fault: &lists::RESOURCE_URI_BROKEN,
};

async fn resource_uri(cx: &ServerCx) -> Verdict {
    let resources = cx.resources().await?;
    if resources.is_empty() {
        return Err(Finding::not_applicable("the server lists no resources"));
    }
    expect_none(resources.iter().find(|resource| !resource["uri"].as_str().is_some_and(is_uri)), |resource| {
        Finding::violated("a URI with a scheme", format!("uri: {}", resource["uri"]))
    })
}

/// A resource template has a `uriTemplate`, which is a URI template by RFC 6570.
const TEMPLATE: Check = Check {
    id: "server/resources/template-valid",
    title: "the URI template of every resource template is valid",
    cites: &[defined("server/resources#resource-templates", Span::ALWAYS)],
    aliases: &[],
    why: "a client cannot make a URI from a template that it cannot read",
    fix: "write templates by RFC 6570, with every brace closed",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(template(cx))),
    fault: &lists::TEMPLATE_BROKEN,
};

async fn template(cx: &ServerCx) -> Verdict {
    let templates = cx.templates().await?;
    if templates.is_empty() {
        return Err(Finding::not_applicable("the server lists no resource templates"));
    }
    let broken = |template: &&Value| !template["uriTemplate"].as_str().is_some_and(is_uri_template);
    match templates.iter().find(broken) {
        Some(template) => Err(Finding::violated(
            "a template by RFC 6570",
            format!("uriTemplate: {}", template["uriTemplate"]),
        )),
        None => Ok(()),
    }
}

/// Resources, security considerations: binary data must be properly encoded; the definition of `blob` says base64.
const BLOB: Check = Check {
    id: "server/resources/blob-encoded",
    title: "binary resources are base64",
    cites: &[must("server/resources#security-considerations", Span::ALWAYS)],
    aliases: &["test_resources_read"],
    why: "the client decodes the blob and fails, or shows the user something else",
    fix: "encode the bytes as base64",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(blob(cx))),
    fault: &lists::BLOB_NOT_BASE64,
};

async fn blob(cx: &ServerCx) -> Verdict {
    let mut seen = false;
    for read in cx.reads().await? {
        let Some((answer, result)) = last(&read.answers) else { continue };
        for blob in result["contents"].as_array().into_iter().flatten().filter_map(|c| c.get("blob")) {
            seen = true;
            if !blob.as_str().is_some_and(is_base64) {
                return Err(answer.violated("base64", format!("the blob of {} is not base64", read.uri)));
            }
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable("no resource was binary")) }
}

/// Resources, templates and content blocks may carry annotations; `lastModified` is defined as an ISO 8601 timestamp.
/// Earlier revisions do not have it.
const LAST_MODIFIED: Check = Check {
    id: "server/resources/last-modified-valid",
    title: "lastModified is an ISO 8601 timestamp",
    cites: &[defined("server/resources#annotations", Span::since(Version::V2025_06_18))],
    aliases: &["test_resource_metadata_support"],
    why: "clients sort by it and show how old a resource is",
    fix: "write the time by ISO 8601, like 2026-07-28T12:00:00Z",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(last_modified(cx))),
    fault: &lists::LAST_MODIFIED_BROKEN,
};

async fn last_modified(cx: &ServerCx) -> Verdict {
    let mut items: Vec<Value> = Vec::new();
    for listed in [cx.resources().await, cx.templates().await] {
        items.extend_from_slice(listed.unwrap_or_default());
    }
    for called in cx.calls().await.unwrap_or_default() {
        let Some((_, result)) = last(&called.answers) else { continue };
        items.extend(result["content"].as_array().cloned().unwrap_or_default());
    }
    let times: Vec<_> = items.iter().filter_map(|item| item["annotations"].get("lastModified")).collect();
    if times.is_empty() {
        return Err(Finding::not_applicable("nothing says when it was modified"));
    }
    expect_none(times.into_iter().find(|time| !time.as_str().is_some_and(is_timestamp)), |time| {
        Finding::violated("an ISO 8601 timestamp", format!("lastModified: {time}"))
    })
}

const MEDIA: &str = "base64 data, and a media type";

fn is_media(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("image" | "audio"))
}

fn media(block: &Value) -> Result<(), String> {
    if !block["data"].as_str().is_some_and(is_base64) {
        return Err("data that is not base64".to_owned());
    }
    if !block["mimeType"].as_str().is_some_and(is_media_type) {
        return Err(format!("mimeType: {}", block["mimeType"]));
    }
    Ok(())
}

/// Judges those blocks of prompts that are `wanted`.
async fn each_prompt_block(
    cx: &ServerCx,
    none: &str,
    wanted: impl Fn(&Value) -> bool,
    judge: impl Fn(&Answer, &Value) -> Verdict,
) -> Verdict {
    let mut seen = false;
    for got in cx.prompt_gets().await? {
        let Some((answer, result)) = last(&got.answers) else { continue };
        let messages = result["messages"].as_array().into_iter().flatten();
        for block in messages.map(|message| &message["content"]).filter(|block| wanted(block)) {
            seen = true;
            judge(answer, block)?;
        }
    }
    if seen { Ok(()) } else { Err(Finding::not_applicable(none)) }
}
