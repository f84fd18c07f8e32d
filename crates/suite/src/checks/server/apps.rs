//! MCP Apps (SEP-1865), as far as a server can be held to it.

use protocol::Span;
use protocol::apps::{self, MediaType, ResourceUi, ToolUi, UiContent, Weight};
use serde_json::{Value, json};
use server::fault::apps as fault;
use transport::client::Profile;

use crate::expect::Answer;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, arguments, must, should};

pub(in crate::checks) const CHECKS: &[Check] = &[
    URI_SCHEME,
    METADATA_VALID,
    RESOURCE_EXISTS,
    CONTENT_MIME,
    CONTENT_HTML,
    ONE_CONTENT,
    RESOURCE_META,
    NEGOTIATED_ONLY,
    TEXT_FALLBACK,
];

/// How many apps a check looks at.
const MOST: usize = 20;

const URI_SCHEME: Check = Check {
    id: "server/apps/uri-scheme",
    title: "a tool's UI resource has a ui:// address",
    cites: &[must("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "hosts open a View only from a ui:// resource, so the tool has no UI at all",
    fix: "give the resource a ui:// URI, and name that in _meta.ui.resourceUri",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(uri_scheme(cx))),
    fault: &fault::UI_URI_SCHEME,
};

async fn uri_scheme(cx: &ServerCx) -> Verdict {
    let tools = cx.tools().await?;
    let uris = tools.iter().filter_map(|tool| Some((tool, tool["_meta"]["ui"]["resourceUri"].as_str()?)));
    let mut any = false;
    for (tool, uri) in uris {
        any = true;
        if !apps::is_ui_uri(uri) {
            return Err(Finding::violated("a ui:// URI", format!("tool {}: {uri}", tool["name"])));
        }
    }
    if any { Ok(()) } else { Err(no_apps()) }
}

const METADATA_VALID: Check = Check {
    id: "server/apps/tool-metadata-valid",
    title: "the UI metadata of tools has the right shape",
    cites: &[must("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &[],
    why: "a host that cannot read who may call a tool has to refuse everybody",
    fix: "visibility is an array of \"model\" and \"app\"; resourceUri is a string",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(metadata_valid(cx))),
    fault: &fault::UI_VISIBILITY_UNKNOWN,
};

async fn metadata_valid(cx: &ServerCx) -> Verdict {
    for tool in cx.tools().await? {
        let (_, findings) = ToolUi::of(tool);
        if let Some(finding) = findings.iter().find(|finding| finding.weight == Weight::Broken) {
            return Err(Finding::violated("sound UI metadata", format!("tool {}: {finding}", tool["name"])));
        }
    }
    app_uris(cx).await.map(|_| ())
}

const RESOURCE_EXISTS: Check = Check {
    id: "server/apps/resource-exists",
    title: "the UI resource that a tool names can be read",
    cites: &[must("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &[],
    why: "the host has nothing to show where the app should be",
    fix: "serve the resource under exactly the URI that the tool names",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(resource_exists(cx))),
    fault: &fault::UI_RESOURCE_MISSING,
};

async fn resource_exists(cx: &ServerCx) -> Verdict {
    for uri in app_uris(cx).await? {
        read(cx, &uri).await?.expect_result()?;
    }
    Ok(())
}

const CONTENT_MIME: Check = Check {
    id: "server/apps/content-media-type",
    title: "the content of a UI resource is text/html;profile=mcp-app",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "hosts render nothing else",
    fix: "send that mimeType with the content that resources/read returns",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(content_mime(cx))),
    fault: &fault::UI_MIME_WRONG,
};

async fn content_mime(cx: &ServerCx) -> Verdict {
    each_content(cx, |_, content| {
        let media = content["mimeType"].as_str().unwrap_or_default();
        match MediaType::parse(media) {
            Ok(media) if media.is(apps::MIME_TYPE) => Ok(()),
            _ => Err((apps::MIME_TYPE.to_owned(), format!("mimeType {}", content["mimeType"]))),
        }
    })
    .await
}

const CONTENT_HTML: Check = Check {
    id: "server/apps/content-html",
    title: "a UI resource holds an HTML document, as text or as base64",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "what is no document is shown as an empty frame",
    fix: "return a whole HTML5 document, with its doctype, in text or base64 in blob, not both",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(content_html(cx))),
    fault: &fault::UI_NOT_HTML,
};

async fn content_html(cx: &ServerCx) -> Verdict {
    each_content(cx, |_, content| {
        let (read, findings) = UiContent::of(content);
        // What is wrong with its URI, its type or its metadata is for the other checks.
        let of_body = |finding: &&apps::Finding| {
            finding.weight == Weight::Broken
                && !["uri", "mimeType", "_meta"].iter().any(|member| finding.at.starts_with(member))
        };
        if let Some(finding) = findings.iter().find(of_body) {
            return Err(("an HTML document as text or blob".to_owned(), finding.to_string()));
        }
        let html = read.map(|content| content.html.trim_start().to_ascii_lowercase()).unwrap_or_default();
        if html.starts_with("<!doctype html") || html.contains("<html") {
            return Ok(());
        }
        Err(("an HTML document".to_owned(), html.chars().take(60).collect()))
    })
    .await
}

const ONE_CONTENT: Check = Check {
    id: "server/apps/one-content",
    title: "reading a UI resource gives one content, under its own URI",
    cites: &[must("apps.mdx#content-requirements", Span::ALWAYS)],
    aliases: &[],
    why: "a host that gets two documents for one frame has to guess, and picks the wrong one",
    fix: "return exactly one content, whose uri is the one that was asked for",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(one_content(cx))),
    fault: &fault::UI_CONTENT_URI_DIFFERS,
};

async fn one_content(cx: &ServerCx) -> Verdict {
    for uri in app_uris(cx).await? {
        let answer = read(cx, &uri).await?;
        let Some(result) = answer.reply.result() else { continue };
        let contents = result["contents"].as_array().cloned().unwrap_or_default();
        match &contents[..] {
            [content] if content["uri"] == uri.as_str() => {}
            [content] => return Err(answer.violated(format!("uri {uri}"), format!("uri {}", content["uri"]))),
            _ => return Err(answer.violated("one content", format!("{} contents", contents.len()))),
        }
    }
    Ok(())
}

const RESOURCE_META: Check = Check {
    id: "server/apps/resource-metadata-valid",
    title: "the CSP, permissions, domain and border of a UI resource have the right shape",
    cites: &[must("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &[],
    why: "what a host cannot read it does not grant, and the app breaks where it needs it",
    fix: "csp holds arrays of origins, permissions hold objects, domain is a string, prefersBorder a boolean",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(resource_meta(cx))),
    fault: &fault::UI_CSP_NOT_ARRAY,
};

async fn resource_meta(cx: &ServerCx) -> Verdict {
    each_content(cx, |uri, content| {
        let (_, findings) = ResourceUi::of(content);
        match findings.iter().find(|finding| finding.weight == Weight::Broken) {
            Some(finding) => Err(("sound UI metadata".to_owned(), format!("{uri}: {finding}"))),
            None => Ok(()),
        }
    })
    .await
}

const NEGOTIATED_ONLY: Check = Check {
    id: "server/apps/negotiated-only",
    title: "UI metadata is offered only to clients that can show it",
    cites: &[should("apps.mdx#capability-negotiation", Span::ALWAYS)],
    aliases: &[],
    why: "a client without Views offers its model tools that only an app can use",
    fix: "look for io.modelcontextprotocol/ui in the client's extensions before you add _meta.ui",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(negotiated_only(cx))),
    fault: &fault::UI_FOR_EVERYONE,
};

async fn negotiated_only(cx: &ServerCx) -> Verdict {
    app_uris(cx).await?;
    let plain = cx.fresh_as(Profile::bare()).await?;
    let answer = cx.on(&plain, "tools/list").send().await?;
    let result = answer.expect_result()?;
    let tools = result["tools"].as_array().cloned().unwrap_or_default();
    match tools.iter().find(|tool| tool["_meta"].get("ui").is_some()) {
        Some(tool) => {
            let actual = format!("tool {} carries it", tool["name"]);
            Err(answer.violated("no _meta.ui for a client that did not negotiate it", actual))
        }
        None => Ok(()),
    }
}

const TEXT_FALLBACK: Check = Check {
    id: "server/apps/text-fallback",
    title: "a UI tool returns content that makes sense without its UI",
    cites: &[must("apps.mdx#graceful-degradation", Span::ALWAYS)],
    aliases: &[],
    why: "the model reads the content, and so does every client that cannot show the app",
    fix: "put what the app shows into a text block as well",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(text_fallback(cx))),
    fault: &fault::UI_NO_TEXT_FALLBACK,
};

async fn text_fallback(cx: &ServerCx) -> Verdict {
    let harmless = cx.harmless_tools().await?;
    let mut called = 0;
    for tool in harmless.into_iter().filter(|tool| ToolUi::of(tool).0.has_view()).take(MOST) {
        let Some(arguments) = arguments::valid(&tool["inputSchema"], cx.version) else { continue };
        let params = json!({ "name": tool["name"], "arguments": arguments });
        let answer = cx.request("tools/call").await?.params(params).send().await?;
        let Some(result) = answer.reply.result() else { continue };
        called += 1;
        let content = result["content"].as_array().cloned().unwrap_or_default();
        let says = |block: &Value| {
            block["type"] != "text" || !block["text"].as_str().unwrap_or_default().trim().is_empty()
        };
        if !content.iter().any(says) {
            return Err(answer.violated("content that says something", result["content"].to_string()));
        }
    }
    if called == 0 { Err(Finding::not_applicable("no read-only tool has a UI")) } else { Ok(()) }
}

fn no_apps() -> Finding {
    Finding::not_applicable("no UI tools")
}

/// The UI resources that tools name.
async fn app_uris(cx: &ServerCx) -> Result<Vec<String>, Finding> {
    let tools = cx.tools().await?;
    let mut uris: Vec<_> = tools.iter().filter_map(|tool| ToolUi::of(tool).0.resource_uri).collect();
    uris.sort();
    uris.dedup();
    uris.truncate(MOST);
    if uris.is_empty() { Err(no_apps()) } else { Ok(uris) }
}

async fn read(cx: &ServerCx, uri: &str) -> Result<Answer, Finding> {
    cx.request("resources/read").await?.params(json!({ "uri": uri })).send().await
}

/// Judges the content of every app that can be read.
async fn each_content(
    cx: &ServerCx,
    judge: impl Fn(&str, &Value) -> Result<(), (String, String)>,
) -> Verdict {
    let mut judged = 0;
    for uri in app_uris(cx).await? {
        let answer = read(cx, &uri).await?;
        let Some(result) = answer.reply.result() else { continue };
        for content in result["contents"].as_array().into_iter().flatten() {
            judge(&uri, content).map_err(|(expected, actual)| answer.violated(expected, actual))?;
            judged += 1;
        }
    }
    if judged == 0 { Err(Finding::blocked("no UI resource could be read")) } else { Ok(()) }
}
