//! Widgets in the terms of OpenAI's Apps SDK.

use std::collections::BTreeSet;

use protocol::apps::MIME_TYPE;
use protocol::apps::openai::{
    MIME_TYPE as SKYBRIDGE, WIDGET_CSP, WIDGET_DESCRIPTION, WIDGET_DOMAIN, WIDGET_PREFERS_BORDER,
};
use serde_json::Value;
use server::fault::openai as fault;

use super::{REFERENCE, SERVER};
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict};

pub(in crate::checks) const CHECKS: &[Check] = &[MEDIA_TYPE, CSP_SHAPE, CSP_AGREES, DETAILS];

/// The lists of a widget's CSP, with their counterparts in the standard.
const LISTS: [(&str, Option<&str>); 4] = [
    ("connect_domains", Some("connectDomains")),
    ("resource_domains", Some("resourceDomains")),
    ("frame_domains", Some("frameDomains")),
    ("redirect_domains", None),
];

/// Apps SDK reference: a widget is `text/html+skybridge`, or `text/html;profile=mcp-app` as in MCP Apps.
const MEDIA_TYPE: Check = Check {
    id: "server/openai/template-media-type",
    title: "a widget's template is text/html+skybridge or text/html;profile=mcp-app",
    cites: &[REFERENCE],
    aliases: &[],
    why: "ChatGPT renders nothing else as a widget",
    fix: "send text/html;profile=mcp-app, which both kinds of host accept, or text/html+skybridge",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(media_type(cx))),
    fault: &fault::OPENAI_TEMPLATE_PLAIN,
};

async fn media_type(cx: &ServerCx) -> Verdict {
    let mut judged = 0;
    for template in &cx.widgets().await?.templates {
        for content in &template.contents {
            judged += 1;
            if content["mimeType"] != SKYBRIDGE && content["mimeType"] != MIME_TYPE {
                let actual = format!("{}: mimeType {}", template.uri, content["mimeType"]);
                return Err(template.answer.violated(format!("{SKYBRIDGE} or {MIME_TYPE}"), actual));
            }
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no template could be read")) } else { Ok(()) }
}

/// Apps SDK reference: `openai/widgetCSP` is an object with `connect_domains`, `resource_domains`, `frame_domains` and
/// `redirect_domains`, each an array of strings.
const CSP_SHAPE: Check = Check {
    id: "server/openai/widget-csp",
    title: "openai/widgetCSP is an object of lists of domains",
    cites: &[REFERENCE],
    aliases: &[],
    why: "a list that cannot be read allows nothing, and the widget cannot load what it needs",
    fix: "connect_domains, resource_domains, frame_domains and redirect_domains are arrays of strings",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(csp_shape(cx))),
    fault: &fault::OPENAI_CSP_NOT_ARRAY,
};

async fn csp_shape(cx: &ServerCx) -> Verdict {
    let mut judged = 0;
    for (name, item) in cx.widgets().await?.described() {
        let Some(csp) = item["_meta"].get(WIDGET_CSP) else { continue };
        judged += 1;
        if let Some(problem) = problem_of(csp) {
            return Err(Finding::violated("arrays of domains", format!("{name}: {WIDGET_CSP}{problem}")));
        }
    }
    if judged == 0 { Err(Finding::not_applicable(format!("no widget has {WIDGET_CSP}"))) } else { Ok(()) }
}

fn problem_of(csp: &Value) -> Option<String> {
    let Some(members) = csp.as_object() else { return Some(format!(" is not an object: {csp}")) };
    let is_domain = |domain: &Value| domain.as_str().is_some_and(|domain| !domain.trim().is_empty());
    members.iter().find_map(|(key, list)| {
        if !LISTS.iter().any(|(known, _)| known == key) {
            return Some(format!(" has {key:?}, which is none of its lists"));
        }
        let fits = list.as_array().is_some_and(|list| list.iter().all(is_domain));
        (!fits).then(|| format!(".{key} is {list}"))
    })
}

/// `openai/widgetCSP` has a counterpart in MCP Apps. We advise that a server which sends both allows the same domains
/// in both.
const CSP_AGREES: Check = Check {
    id: "server/openai/csp-agrees",
    title: "openai/widgetCSP and _meta.ui.csp allow the same domains",
    cites: &[SERVER],
    aliases: &[],
    why: "the same page works in one host, and is blocked in the next",
    fix: "write the same origins into openai/widgetCSP and _meta.ui.csp, or only into the latter",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(csp_agrees(cx))),
    fault: &fault::OPENAI_CSP_DIFFERS,
};

async fn csp_agrees(cx: &ServerCx) -> Verdict {
    let mut compared = 0;
    for (name, item) in cx.widgets().await?.described() {
        let Some(csp) = item["_meta"].get(WIDGET_CSP).filter(|_| item["_meta"].get("ui").is_some()) else {
            continue;
        };
        compared += 1;
        let standard = &item["_meta"]["ui"]["csp"];
        for (theirs, ours) in LISTS.iter().filter_map(|(theirs, ours)| Some((*theirs, (*ours)?))) {
            // Lists of the wrong type cannot be compared; another check reports them.
            if [&csp[theirs], &standard[ours]].into_iter().any(|list| !list.is_null() && !list.is_array()) {
                continue;
            }
            let (widget, app) = (origins(&csp[theirs]), origins(&standard[ours]));
            if widget != app {
                let expected = format!("what _meta.ui.csp.{ours} says: {app:?}");
                return Err(Finding::violated(expected, format!("{name}: {theirs} {widget:?}")));
            }
        }
    }
    if compared == 0 { Err(Finding::not_applicable("no widget has both kinds of keys")) } else { Ok(()) }
}

fn origins(list: &Value) -> BTreeSet<String> {
    let listed = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    listed.map(|origin| origin.trim_end_matches('/').to_ascii_lowercase()).collect()
}

/// Apps SDK reference: `openai/widgetDescription` is a text, `openai/widgetDomain` an origin,
/// `openai/widgetPrefersBorder` a boolean.
const DETAILS: Check = Check {
    id: "server/openai/widget-details",
    title: "a widget's description and domain are strings, and its border preference is a boolean",
    cites: &[REFERENCE],
    aliases: &[],
    why: "the host ignores another type: the model learns nothing about the widget, or the widget gets no origin",
    fix: "openai/widgetDescription is a text, widgetDomain an https origin, widgetPrefersBorder true or false",
    applies: Applies::Everywhere,
    run: Run::Server(|cx| Box::pin(details(cx))),
    fault: &fault::OPENAI_BORDER_WORD,
};

async fn details(cx: &ServerCx) -> Verdict {
    let mut judged = 0;
    for (name, item) in cx.widgets().await?.described() {
        for key in [WIDGET_DESCRIPTION, WIDGET_DOMAIN, WIDGET_PREFERS_BORDER] {
            let Some(value) = item["_meta"].get(key) else { continue };
            judged += 1;
            let fits = match key {
                WIDGET_PREFERS_BORDER => value.is_boolean(),
                WIDGET_DOMAIN => value.as_str().is_some_and(|domain| domain.starts_with("https://")),
                _ => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            };
            if !fits {
                let actual = format!("{name}: {key} is {value}");
                return Err(Finding::violated("the type that the reference gives", actual));
            }
        }
    }
    if judged == 0 { Err(Finding::not_applicable("no widget describes itself")) } else { Ok(()) }
}
