//! Tools in the terms of OpenAI's Apps SDK.

use protocol::apps::openai::{INVOKED, INVOKING, OUTPUT_TEMPLATE, VISIBILITY, WIDGET_ACCESSIBLE};
use protocol::apps::{ToolUi, URI_SCHEME};
use serde_json::Value;
use server::fault::openai as fault;

use super::{REFERENCE, SERVER};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict};

pub(in crate::checks) const CHECKS: &[Check] =
    &[OUTPUT_TEMPLATE_URI, TOOL_FLAGS, STATUS_TEXT, VISIBILITY_AGREES];

/// The longest status text.
const MAX_STATUS_CHARS: usize = 64;

/// Apps SDK reference: `openai/outputTemplate` is the URI of the resource that holds the widget.
const OUTPUT_TEMPLATE_URI: Check = Check {
    id: "server/openai/output-template",
    title: "openai/outputTemplate is the URI of a resource that can be read",
    cites: &[REFERENCE],
    aliases: &[],
    why: "ChatGPT has nothing to show where the widget should be",
    fix: "name a ui:// resource that you serve",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(output_template(cx))),
    fault: &fault::OPENAI_TEMPLATE_MISSING,
};

async fn output_template(cx: &ServerCx) -> Verdict {
    let widgets = cx.widgets().await?;
    let named: Vec<_> =
        widgets.tools.iter().filter_map(|tool| Some((tool, tool["_meta"].get(OUTPUT_TEMPLATE)?))).collect();
    if named.is_empty() {
        return Err(Finding::not_applicable("no tool has a widget"));
    }
    for (tool, uri) in named {
        if !uri.as_str().is_some_and(|uri| uri.starts_with(URI_SCHEME)) {
            return Err(Finding::violated("a ui:// URI", format!("tool {}: {uri}", tool["name"])));
        }
    }
    for template in &widgets.templates {
        template.answer.expect_result()?;
    }
    Ok(())
}

/// Apps SDK reference: `openai/widgetAccessible` is a boolean, `openai/visibility` is "public" or "private".
const TOOL_FLAGS: Check = Check {
    id: "server/openai/tool-flags",
    title: "openai/widgetAccessible is a boolean, and openai/visibility is public or private",
    cites: &[REFERENCE],
    aliases: &[],
    why: "another value counts as none: the widget cannot call the tool, or the model sees it",
    fix: "write true or false, and \"public\" or \"private\"",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(tool_flags(cx))),
    fault: &fault::OPENAI_FLAGS_WRONG,
};

async fn tool_flags(cx: &ServerCx) -> Verdict {
    each_tool(cx, &[WIDGET_ACCESSIBLE, VISIBILITY], |key, value| match key {
        WIDGET_ACCESSIBLE => value.is_boolean(),
        _ => value == "public" || value == "private",
    })
    .await
}

/// Apps SDK reference: `openai/toolInvocation/invoking` and `invoked` are short texts, of 64 characters at most.
const STATUS_TEXT: Check = Check {
    id: "server/openai/status-text",
    title: "the status texts of a tool have at most 64 characters",
    cites: &[REFERENCE],
    aliases: &[],
    why: "a longer text is cut off, or not shown at all",
    fix: "describe the status in a few words",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(status_text(cx))),
    fault: &fault::OPENAI_STATUS_LONG,
};

async fn status_text(cx: &ServerCx) -> Verdict {
    let short = |text: &str| (1..=MAX_STATUS_CHARS).contains(&text.chars().count());
    each_tool(cx, &[INVOKING, INVOKED], |_, value| value.as_str().is_some_and(short)).await
}

/// Judges each of `keys` that tools have.
async fn each_tool(cx: &ServerCx, keys: &[&str], fits: impl Fn(&str, &Value) -> bool + Send) -> Verdict {
    let mut judged = 0;
    for tool in &cx.widgets().await?.tools {
        for (key, value) in keys.iter().filter_map(|key| Some((key, tool["_meta"].get(*key)?))) {
            judged += 1;
            if !fits(key, value) {
                let actual = format!("tool {}: {key} is {value}", tool["name"]);
                return Err(Finding::violated("the type and range that the reference gives", actual));
            }
        }
    }
    if judged == 0 {
        Err(Finding::not_applicable(format!("no tool has {}", keys.join(" or "))))
    } else {
        Ok(())
    }
}

/// The keys for visibility have a counterpart in MCP Apps. We advise that a server which sends both says the same in
/// both.
const VISIBILITY_AGREES: Check = Check {
    id: "server/openai/visibility-agrees",
    title: "the Apps SDK keys and _meta.ui agree on who may call a tool",
    cites: &[SERVER],
    aliases: &[],
    why: "the same tool is hidden from the model in one host, and offered to it in the next",
    fix: "\"private\" goes with a visibility without \"model\", widgetAccessible with one that has \"app\"",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(visibility_agrees(cx))),
    fault: &fault::OPENAI_VISIBILITY_DIFFERS,
};

async fn visibility_agrees(cx: &ServerCx) -> Verdict {
    let mut compared = 0;
    for tool in &cx.widgets().await?.tools {
        // The defaults of the two differ, so only explicit values are compared.
        if tool["_meta"]["ui"].get("visibility").is_none() {
            continue;
        }
        let said = ToolUi::from_tool(tool).0.visibility;
        let model = tool["_meta"][VISIBILITY].as_str().map(|word| word != "private");
        let app = tool["_meta"][WIDGET_ACCESSIBLE].as_bool();
        compared += usize::from(model.is_some() || app.is_some());
        if model.is_some_and(|model| model != said.model) || app.is_some_and(|app| app != said.app) {
            let standard = format!("what _meta.ui.visibility says: {}", said.names().join(", "));
            let actual = format!(
                "tool {}: {VISIBILITY} {}, {WIDGET_ACCESSIBLE} {}",
                tool["name"], tool["_meta"][VISIBILITY], tool["_meta"][WIDGET_ACCESSIBLE]
            );
            return Err(Finding::violated(standard, actual));
        }
    }
    if compared == 0 { Err(Finding::not_applicable("no tool has both kinds of keys")) } else { Ok(()) }
}
