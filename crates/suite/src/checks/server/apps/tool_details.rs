//! Details of UI tools: the types in `_meta.ui`, the deprecated key, misplaced members, and tools that only apps may call.

use protocol::Span;
use protocol::apps::{LEGACY_RESOURCE_URI, is_ui_uri};
use serde_json::{Value, json};
use server::fault::{app_details as details, apps as fault};

use super::tools::visibility_problem;
use super::{Surface, ToolLink, no_apps};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, advice, advised, defined};

pub(in crate::checks) const CHECKS: &[Check] = &[METADATA_SOUND, FLAT_KEY, PLACEMENT, APP_ONLY_CALLABLE];

/// Resource discovery: defines `_meta.ui` of a tool, with `resourceUri`, a string, and `visibility`, an array of
/// "model" and "app". Both are optional.
const METADATA_SOUND: Check = Check {
    id: "server/apps/tool-metadata-sound",
    title: "the members of a tool's _meta.ui have the defined types",
    cites: &[defined("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &[],
    why: "hosts skip what they cannot read, so the app does not open, or the model sees a tool for apps",
    fix: "_meta.ui is an object; resourceUri is a complete ui:// URI, visibility an array of \"model\" and \"app\"",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(metadata_sound(cx))),
    fault: &details::UI_RESOURCE_URI_NOT_STRING,
};

async fn metadata_sound(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    let mut speaking = 0;
    for tool in &surface.tools.items {
        let Some(meta) = tool.get("_meta").filter(|meta| meta.get("ui").is_some()) else { continue };
        speaking += 1;
        // Another check judges the visibility of UI tools, which it looks up by name.
        let seen = ToolLink::find_in(tool).is_some_and(|link| surface.found_as(link.name()) == Some(tool));
        let visibility = if seen { None } else { visibility_problem(tool) };
        if let Some(problem) = problem_of(meta).or(visibility) {
            return Err(Finding::violated("sound UI metadata", format!("tool {}: {problem}", tool["name"])));
        }
    }
    if speaking == 0 { Err(no_apps()) } else { Ok(()) }
}

fn problem_of(meta: &Value) -> Option<String> {
    let ui = &meta["ui"];
    if !ui.is_object() {
        return Some(format!("_meta.ui is not an object: {ui}"));
    }
    for (key, uri) in
        [("ui.resourceUri", ui.get("resourceUri")), (LEGACY_RESOURCE_URI, meta.get(LEGACY_RESOURCE_URI))]
    {
        match uri.map(Value::as_str) {
            Some(None) => return Some(format!("{key} is not a string")),
            // Another scheme has a check of its own.
            Some(Some(uri)) if !is_ui_uri(uri) && (uri.is_empty() || uri.starts_with("ui:")) => {
                return Some(format!("{key} is not a complete ui:// URI: {uri:?}"));
            }
            Some(Some(_)) | None => {}
        }
    }
    None
}

/// Resource discovery: the flat key `ui/resourceUri` is deprecated in favour of `_meta.ui.resourceUri`, and will be
/// removed.
const FLAT_KEY: Check = Check {
    id: "server/apps/flat-key",
    title: "a tool names its UI resource with the nested key, not only with the deprecated flat one",
    cites: &[advice("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &[],
    why: "the flat key will be removed, and newer hosts do not look at it",
    fix: "write _meta.ui.resourceUri, beside the flat key as long as old hosts matter to you",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(flat_key(cx))),
    fault: &fault::UI_FLAT_KEY,
};

async fn flat_key(cx: &ServerCx) -> Verdict {
    expect_none(
        cx.apps().await?.ui_tools()?.iter().find(|link| link.nested.is_none_or(str::is_empty)),
        |link| {
            let actual = format!("tool {} has _meta[\"ui/resourceUri\"] alone", link.name());
            Finding::violated("_meta.ui.resourceUri", actual)
        },
    )
}

/// Resource discovery: `_meta.ui` of a tool has `resourceUri` and `visibility`. The other members are defined for
/// resources.
const PLACEMENT: Check = Check {
    id: "server/apps/metadata-placement",
    title: "a tool has no members that belong to its UI resource",
    cites: &[advice("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &[],
    why: "hosts read the policy of a View only from the resource, so on the tool it has no effect",
    fix: "move csp, permissions, domain and prefersBorder to _meta.ui of what resources/read returns",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(placement(cx))),
    fault: &details::UI_CSP_ON_TOOL,
};

async fn placement(cx: &ServerCx) -> Verdict {
    for link in cx.apps().await?.ui_tools()? {
        let ui = &link.tool["_meta"]["ui"];
        if let Some(key) =
            ["csp", "permissions", "domain", "prefersBorder"].iter().find(|key| ui.get(**key).is_some())
        {
            let actual = format!("tool {}: _meta.ui.{key}", link.name());
            return Err(Finding::violated("resourceUri and visibility alone", actual));
        }
    }
    Ok(())
}

/// Visibility: a tool with "app" can be called by the app. It is the host that hides a tool without "model" from the
/// model. A tool may also refuse what we call it with, so an error is a warning.
const APP_ONLY_CALLABLE: Check = Check {
    id: "server/apps/app-only-callable",
    title: "a tool that only apps may call is listed and can be called",
    cites: &[advised("apps.mdx#visibility", Span::ALWAYS)],
    aliases: &["mcp-apps-tool-04"],
    why: "the host keeps the tool from the model; a server that hides or refuses it breaks its own app",
    fix: "serve tools/call for every tool that you list, whatever its visibility",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(app_only_callable(cx))),
    fault: &details::UI_APP_ONLY_REFUSED,
};

async fn app_only_callable(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    surface.ui_tools()?;
    let mut called = 0;
    for tool in app_only(cx, surface).await? {
        let Some(arguments) = cx.arguments_for(tool).await else { continue };
        let params = json!({ "name": tool["name"], "arguments": arguments });
        let answer = cx.request("tools/call").await?.params(params).send().await?;
        called += 1;
        answer.expect_result()?;
    }
    if called == 0 {
        Err(Finding::not_applicable("no tool that only apps may call says that it is read-only"))
    } else {
        Ok(())
    }
}

/// Those tools for apps only that the policy allows us to call.
async fn app_only<'a>(cx: &'a ServerCx, surface: &'a Surface) -> Result<Vec<&'a Value>, Finding> {
    let alone = |tool: &Value| tool["_meta"]["ui"]["visibility"] == json!(["app"]);
    if !surface.tools.items.iter().any(alone) {
        return Err(Finding::not_applicable("no tool is for apps only"));
    }
    Ok(cx.harmless_tools().await?.into_iter().filter(|tool| alone(tool)).take(5).collect())
}
