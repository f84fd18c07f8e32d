//! Negotiation of MCP Apps: to which clients a server offers UI metadata.

use protocol::Span;
use protocol::apps::{EXTENSION, MIME_TYPE};
use serde_json::{Value, json};
use server::fault::{app_details as details, apps as fault};
use transport::client::Profile;

use crate::expect::Answer;
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advice, should};

pub(in crate::checks) const CHECKS: &[Check] =
    &[EXTENSION_DECLARATION, NEGOTIATED_ONLY, MEDIA_TYPE_NEGOTIATED];

/// The page defines what a client declares for the extension: an object whose `mimeTypes` lists what it can show. It
/// does not say what a server declares; we advise the same.
const EXTENSION_DECLARATION: Check = Check {
    id: "server/apps/extension-declaration",
    title: "a server's declaration of the extension is an object that lists the media type of apps",
    cites: &[advice("apps.mdx#client-host-capabilities", Span::ALWAYS)],
    aliases: &["mcp-apps-cap-01"],
    why: "a host that reads the declaration finds nothing that it could show",
    fix: "declare {\"mimeTypes\": [\"text/html;profile=mcp-app\"]}, {}, or nothing at all",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(extension_declaration(cx))),
    fault: &details::UI_EXTENSION_MALFORMED,
};

async fn extension_declaration(cx: &ServerCx) -> Verdict {
    let capabilities = cx.capabilities().await?;
    let Some(settings) = capabilities["extensions"].get(EXTENSION) else {
        cx.apps().await?.ui_tools()?;
        return Err(Finding::not_applicable(format!("the server does not declare {EXTENSION}")));
    };
    let lists =
        |types: &Value| types.as_array().is_some_and(|types| types.iter().any(|media| media == MIME_TYPE));
    let sound = settings.is_object() && settings.get("mimeTypes").is_none_or(lists);
    if sound {
        Ok(())
    } else {
        Err(Finding::violated("an object with mimeTypes, or without", settings.to_string()))
    }
}

/// Server behaviour: a server should check the client's capabilities before it registers tools with a UI.
const NEGOTIATED_ONLY: Check = Check {
    id: "server/apps/negotiated-only",
    title: "UI metadata is offered only to clients that can show it",
    cites: &[should("apps.mdx#server-behavior", Span::ALWAYS)],
    aliases: &["mcp-apps-cap-02", "mcp-apps-res-02", "mcp-apps-tool-02"],
    why: "a client that cannot show Views offers its model tools that only an app can use",
    fix: "look for io.modelcontextprotocol/ui in the client's extensions before you add _meta.ui",
    applies: Applies::Everywhere,
    run: Run::Alone(|cx| Box::pin(negotiated_only(cx))),
    fault: &fault::UI_FOR_EVERYONE,
};

async fn negotiated_only(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    surface.ui_tools()?;
    let plain = surface.plain(cx).await?;
    without_ui(&plain.answer, &plain.tools, "a client that did not negotiate it")
}

/// Server behaviour: a server should check the client's capabilities, with the media types that it can show, before it
/// registers tools with a UI.
const MEDIA_TYPE_NEGOTIATED: Check = Check {
    id: "server/apps/media-type-negotiated",
    title: "a client that shows only other media types is served, but not offered a UI",
    cites: &[should("apps.mdx#server-behavior", Span::ALWAYS)],
    aliases: &["mcp-apps-cap-04"],
    why: "a host for another kind of View cannot show an HTML app, and its model is offered tools for one",
    fix: "look for text/html;profile=mcp-app in the mimeTypes that the client declares",
    applies: Applies::Everywhere,
    run: Run::OtherClient(|cx| Box::pin(media_type_negotiated(cx))),
    fault: &details::UI_ANY_MEDIA_TYPE,
};

async fn media_type_negotiated(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    surface.ui_tools()?;
    let plain = surface.plain(cx).await?;
    if without_ui(&plain.answer, &plain.tools, "").is_err() {
        // Another check reports that; this one is about the media type.
        return Err(Finding::not_applicable("UI is offered to every client"));
    }
    let types = json!({ "extensions": { EXTENSION: { "mimeTypes": ["application/vnd.example.view"] } } });
    let session = cx.as_client(Profile::bare().with_capabilities(types)).await?;
    let answer = cx.request_on(&session, "tools/list").send().await?;
    let result = answer.expect_result()?;
    let tools = result["tools"].as_array().cloned().unwrap_or_default();
    without_ui(&answer, &tools, "a client that cannot show its media type")
}

fn without_ui(answer: &Answer, tools: &[Value], whom: &str) -> Verdict {
    if tools.is_empty() {
        return Err(Finding::not_applicable("such a client is offered no tools"));
    }
    expect_none(tools.iter().find(|tool| tool["_meta"].get("ui").is_some()), |tool| {
        answer.violated(format!("no _meta.ui for {whom}"), format!("tool {} carries it", tool["name"]))
    })
}
