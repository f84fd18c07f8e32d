//! Translates the resource metadata of the OpenAI Apps SDK into that of MCP Apps.

use protocol::apps::{Csp, ResourceUi, openai};
use serde_json::{Map, Value, json};

use crate::profile::Openai;

/// Origins that links may lead to without asking the person. MCP Apps has no such list.
const REDIRECT_DOMAINS: &str = "redirect_domains";

/// The content's metadata if it has any of the Apps SDK, otherwise that of the listed resource.
pub(super) fn choose_meta<'a>(listed: Option<&'a Value>, content: &'a Value) -> &'a Value {
    let has_any = |meta: &Value| {
        meta.as_object().is_some_and(|meta| openai::KEYS.iter().any(|one| meta.contains_key(one.key)))
    };
    let content = &content["_meta"];
    match listed.map(|listed| &listed["_meta"]) {
        Some(listed) if !has_any(content) && has_any(listed) => listed,
        _ => content,
    }
}

/// The metadata about the View, without what the host ignores.
pub(super) fn read_view(meta: &Value, host: &Openai) -> ResourceUi {
    let read = |key: &str| meta.get(key).filter(|_| host.reads(key));
    let csp = read(openai::WIDGET_CSP).map(|csp| Csp {
        connect_domains: read_list(csp, "connect_domains"),
        resource_domains: read_list(csp, "resource_domains"),
        frame_domains: if host.reads("frame_domains") { read_list(csp, "frame_domains") } else { Vec::new() },
        base_uri_domains: Vec::new(),
    });
    ResourceUi {
        csp,
        domain: read(openai::WIDGET_DOMAIN).and_then(Value::as_str).map(str::to_owned),
        prefers_border: read(openai::WIDGET_PREFERS_BORDER).and_then(Value::as_bool),
        ..ResourceUi::default()
    }
}

/// The origins that links may lead to without asking the person.
pub(super) fn read_redirects(meta: &Value, host: &Openai) -> Vec<String> {
    if !host.reads(REDIRECT_DOMAINS) {
        return Vec::new();
    }
    let origin = |text: String| {
        let url = url::Url::parse(&text).ok()?;
        matches!(url.scheme(), "http" | "https").then(|| url.origin().ascii_serialization())
    };
    read_list(&meta[openai::WIDGET_CSP], REDIRECT_DOMAINS).into_iter().filter_map(origin).collect()
}

/// The settings for the bridge: the functions that it offers, and whether the document certainly needs it.
pub(super) fn bridge_settings(host: &Openai, mime_type: &str) -> Value {
    let mut told = Map::new();
    told.insert("methods".to_owned(), json!(host.methods));
    // A widget of the Apps SDK needs the bridge. Another document may use it, or may implement MCP Apps itself.
    told.insert("eager".to_owned(), json!(mime_type.starts_with(openai::MIME_TYPE)));
    Value::Object(told)
}

fn read_list(csp: &Value, name: &str) -> Vec<String> {
    let items = csp[name].as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(unread: &[&str]) -> Openai {
        serde_json::from_value(json!({ "methods": ["callTool"], "unread": unread })).unwrap()
    }

    fn widget() -> Value {
        json!({
            "openai/widgetCSP": {
                "connect_domains": ["https://api.example"], "resource_domains": ["https://cdn.example"],
                "frame_domains": ["https://frame.example"],
                "redirect_domains": ["https://shop.example/path", "javascript:alert(1)", 5],
            },
            "openai/widgetDomain": "https://widget.example",
            "openai/widgetPrefersBorder": true,
        })
    }

    #[test]
    fn the_policy_of_a_widget_is_the_policy_of_a_view() {
        let csp = read_view(&widget(), &host(&[])).csp.unwrap();
        assert_eq!(csp.connect_domains, ["https://api.example"]);
        assert_eq!(csp.resource_domains, ["https://cdn.example"]);
        assert_eq!(csp.frame_domains, ["https://frame.example"]);
        assert_eq!(read_view(&json!({}), &host(&[])).csp, None);
    }

    #[test]
    fn domain_and_border_are_kept() {
        let ui = read_view(&widget(), &host(&[]));
        assert_eq!(ui.domain.as_deref(), Some("https://widget.example"));
        assert_eq!(ui.prefers_border, Some(true));
    }

    #[test]
    fn links_lead_to_origins_that_can_be_opened() {
        assert_eq!(read_redirects(&widget(), &host(&[])), ["https://shop.example"]);
        assert!(read_redirects(&widget(), &host(&["redirect_domains"])).is_empty());
        assert!(read_redirects(&Value::Null, &host(&[])).is_empty());
    }

    #[test]
    fn what_a_host_does_not_heed_is_not_there() {
        let unread = ["openai/widgetDomain", "openai/widgetPrefersBorder", "frame_domains"];
        let ui = read_view(&widget(), &host(&unread));
        assert_eq!((ui.domain, ui.prefers_border), (None, None));
        assert!(ui.csp.is_some_and(|csp| csp.frame_domains.is_empty() && csp.connect_domains.len() == 1));
    }

    #[test]
    fn the_listing_stands_in_where_the_content_is_silent() {
        let listed = json!({ "_meta": widget() });
        let content = json!({ "_meta": { "openai/widgetDomain": "https://other.example" } });
        assert_eq!(choose_meta(Some(&listed), &json!({})), &listed["_meta"]);
        assert_eq!(choose_meta(Some(&listed), &content), &content["_meta"]);
        assert_eq!(choose_meta(None, &json!({})), &Value::Null);
    }

    #[test]
    fn the_bridge_is_needed_for_sure_by_a_widget() {
        let told = bridge_settings(&host(&[]), openai::MIME_TYPE);
        assert_eq!(told, json!({ "methods": ["callTool"], "eager": true }));
        assert_eq!(bridge_settings(&host(&[]), "text/html;profile=mcp-app")["eager"], false);
    }
}
