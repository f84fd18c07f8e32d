//! UI tools as they are listed. No tool is called here.

use protocol::Span;
use protocol::apps::URI_SCHEME;
use serde_json::Value;
use server::fault::{apps as fault, tools};

use super::{ToolLink, no_apps};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, defined, must};

pub(in crate::checks) const CHECKS: &[Check] = &[TOOLS_LISTED, URI_SCHEME_UI, METADATA_VALID, INPUT_SCHEMA];

/// The page defines the list of tools, and each member of a tool with its type.
const TOOLS_LISTED: Check = Check {
    id: "server/apps/tools-listed",
    title: "the list of tools is well-formed",
    cites: &[defined("server/tools#listing-tools", Span::ALWAYS)],
    aliases: &["ui-tools-present", "mcp-apps-cap-03", "mcp-apps-tool-01"],
    why: "a typed client drops the whole list when one tool in it is malformed, and with it every app",
    fix: "give every tool a name and an inputSchema of type object, and every member the type it is defined with",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(tools_listed(cx))),
    fault: &tools::TOOL_WITHOUT_SCHEMA,
};

async fn tools_listed(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    match surface.problem_of_tools() {
        Some(problem) => Err(problem.clone()),
        None if surface.links().is_empty() => Err(no_apps()),
        None => Ok(()),
    }
}

/// UI resource format: the URI of a UI resource must have the scheme `ui://`.
const URI_SCHEME_UI: Check = Check {
    id: "server/apps/uri-scheme",
    title: "a tool's UI resource has a ui:// URI",
    cites: &[must("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &["ui-tool-metadata-valid"],
    why: "hosts open a View only from a ui:// resource, so the tool has no UI at all",
    fix: "give the resource a ui:// URI, and name that in _meta.ui.resourceUri",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(uri_scheme(cx))),
    fault: &fault::UI_URI_SCHEME,
};

async fn uri_scheme(cx: &ServerCx) -> Verdict {
    for link in cx.apps().await?.ui_tools()? {
        if !link.uri().starts_with(URI_SCHEME) {
            return Err(Finding::violated("a ui:// URI", format!("tool {}: {}", link.name(), link.uri())));
        }
    }
    Ok(())
}

/// Resource discovery: a tool names one UI resource, and `visibility` is an array of "model" and "app". If the
/// deprecated flat key is there too, it names the same resource.
const METADATA_VALID: Check = Check {
    id: "server/apps/tool-metadata-valid",
    title: "a UI tool names one resource, and its visibility has only \"model\" and \"app\"",
    cites: &[defined("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &[
        "ui-tool-metadata-valid",
        "mcp-apps-tool-03",
        "mcp-apps-tool-05",
        "mcp-apps-tool-06",
        "mcp-apps-tool-07",
    ],
    why: "a host that cannot tell who may call a tool has to refuse every call",
    fix: "visibility is a non-empty array of \"model\" and \"app\"; the flat key, if present, equals the nested one",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(metadata_valid(cx))),
    fault: &fault::UI_VISIBILITY_UNKNOWN,
};

async fn metadata_valid(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    for link in surface.ui_tools()? {
        let found = surface.found_as(link.name()).unwrap_or(link.tool);
        let conflict = ToolLink::find_in(found).and_then(|link| conflict(&link));
        if let Some(problem) = conflict.or_else(|| visibility_problem(found)) {
            return Err(Finding::violated("sound UI metadata", format!("tool {}: {problem}", link.name())));
        }
    }
    Ok(())
}

/// Two keys that name two resources.
fn conflict(link: &ToolLink<'_>) -> Option<String> {
    let (nested, flat) = (link.nested?, link.flat?);
    let both = !nested.is_empty() && !flat.is_empty();
    (both && nested != flat).then(|| format!("ui.resourceUri is {nested}, but ui/resourceUri is {flat}"))
}

/// What is wrong with the visibility of a tool.
pub(super) fn visibility_problem(tool: &Value) -> Option<String> {
    let visibility = tool["_meta"]["ui"].get("visibility")?;
    match visibility.as_array() {
        None => Some(format!("visibility is not an array: {visibility}")),
        Some(names) if names.is_empty() => Some("visibility lets nobody call the tool".to_owned()),
        Some(names) => {
            let unknown = names.iter().find(|name| *name != "model" && *name != "app")?;
            Some(format!("visibility has {unknown}, which is neither \"model\" nor \"app\""))
        }
    }
}

/// Resource discovery: a tool is defined with an `inputSchema`, an object.
const INPUT_SCHEMA: Check = Check {
    id: "server/apps/tool-input-schema",
    title: "a UI tool has an input schema",
    cites: &[defined("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &["ui-tool-input-schema-valid"],
    why: "the View gets the arguments of the call, and cannot know what they are",
    fix: "write {\"type\": \"object\"} for a tool without arguments",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(input_schema(cx))),
    fault: &tools::TOOL_WITHOUT_SCHEMA,
};

async fn input_schema(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    for link in surface.ui_tools()? {
        let found = surface.found_as(link.name()).unwrap_or(link.tool);
        let schema = found.get("inputSchema").unwrap_or(&Value::Null);
        if !schema.is_object() {
            let actual = format!("tool {}: inputSchema is {schema}", link.name());
            return Err(Finding::violated("a JSON Schema object", actual));
        }
    }
    Ok(())
}
