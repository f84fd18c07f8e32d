//! UI tools as they are listed.

use protocol::Span;
use protocol::apps::URI_SCHEME;
use serde_json::Value;
use server::fault::{apps as fault, tools};

use super::{ToolLink, no_apps};
use crate::{Check, Finding, On, Run, ServerCx, Verdict, defined, must};

pub(in crate::checks) const CHECKS: &[Check] = &[TOOLS_LISTED, URI_SCHEME_UI, METADATA_VALID, INPUT_SCHEMA];

const TOOLS_LISTED: Check = Check {
    id: "server/apps/tools-listed",
    title: "the list that has UI tools in it is one that clients can read",
    cites: &[defined("server/tools#listing-tools", Span::ALWAYS)],
    aliases: &["ui-tools-present", "mcp-apps-cap-03", "mcp-apps-tool-01"],
    why: "a typed client drops the whole list when one tool in it is malformed, and with it every app",
    fix: "give every tool a name and an inputSchema of type object, and every member the type it is defined with",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(tools_listed(cx))),
    fault: &tools::TOOL_WITHOUT_SCHEMA,
};

async fn tools_listed(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    match &surface.tools.problem {
        Some(problem) => Err(problem.clone()),
        None if surface.links().is_empty() => Err(no_apps()),
        None => Ok(()),
    }
}

const URI_SCHEME_UI: Check = Check {
    id: "server/apps/uri-scheme",
    title: "a tool's UI resource has a ui:// address",
    cites: &[must("apps.mdx#ui-resource-format", Span::ALWAYS)],
    aliases: &["ui-tool-metadata-valid"],
    why: "hosts open a View only from a ui:// resource, so the tool has no UI at all",
    fix: "give the resource a ui:// URI, and name that in _meta.ui.resourceUri",
    on: On::Any,
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

const METADATA_VALID: Check = Check {
    id: "server/apps/tool-metadata-valid",
    title: "a UI tool names one resource, and says who may call it in the words of the extension",
    cites: &[defined("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &[
        "ui-tool-metadata-valid",
        "mcp-apps-tool-03",
        "mcp-apps-tool-05",
        "mcp-apps-tool-06",
        "mcp-apps-tool-07",
    ],
    why: "a host that cannot read who may call a tool has to refuse everybody",
    fix: "visibility is an array of \"model\" and \"app\", not empty; a flat key beside the nested one says the same",
    on: On::Any,
    run: Run::Server(|cx| Box::pin(metadata_valid(cx))),
    fault: &fault::UI_VISIBILITY_UNKNOWN,
};

async fn metadata_valid(cx: &ServerCx) -> Verdict {
    let surface = cx.apps().await?;
    for link in surface.ui_tools()? {
        let found = surface.found_as(link.name()).unwrap_or(link.tool);
        let conflict = ToolLink::of(found).and_then(|link| conflict(&link));
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
        None => Some(format!("visibility is no array: {visibility}")),
        Some(names) if names.is_empty() => Some("visibility lets nobody call the tool".to_owned()),
        Some(names) => {
            let unknown = names.iter().find(|name| *name != "model" && *name != "app")?;
            Some(format!("visibility has {unknown}, which is neither \"model\" nor \"app\""))
        }
    }
}

const INPUT_SCHEMA: Check = Check {
    id: "server/apps/tool-input-schema",
    title: "a UI tool has an input schema",
    cites: &[defined("apps.mdx#resource-discovery", Span::ALWAYS)],
    aliases: &["ui-tool-input-schema-valid"],
    why: "the View is given the arguments of the call, and nobody knows which there are",
    fix: "write {\"type\": \"object\"} for a tool without arguments",
    on: On::Any,
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
