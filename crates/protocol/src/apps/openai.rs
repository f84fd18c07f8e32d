//! The metadata of OpenAI's Apps SDK, and how the standard's maps to it.
//!
//! `openai/toolInvocation/invoking` and its sibling have two slashes, which the grammar of `_meta` keys does not allow.

use serde_json::{Map, Value, json};

use super::{MetadataProblem, ResourceUi, ToolUi, Weight};

/// The media type of a widget.
pub const MIME_TYPE: &str = "text/html+skybridge";

/// Where a key belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpenaiPlace {
    /// In the `_meta` of a tool.
    Tool,
    /// In the `_meta` of a UI resource.
    Resource,
    /// In the `_meta` of a request.
    Request,
}

/// A key of the Apps SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenaiKey {
    /// The key.
    pub key: &'static str,
    /// Where it belongs.
    pub place: OpenaiPlace,
    /// The path of the standard's counterpart, if there is one.
    pub standard: Option<&'static str>,
}

/// Which widget shows the tool's results.
pub const OUTPUT_TEMPLATE: &str = "openai/outputTemplate";
/// Whether a widget may call the tool.
pub const WIDGET_ACCESSIBLE: &str = "openai/widgetAccessible";
/// Whether the model sees the tool: `public` or `private`.
pub const VISIBILITY: &str = "openai/visibility";
/// What to show while the tool runs.
pub const INVOKING: &str = "openai/toolInvocation/invoking";
/// What to show when the tool has run.
pub const INVOKED: &str = "openai/toolInvocation/invoked";
/// What the widget may load.
pub const WIDGET_CSP: &str = "openai/widgetCSP";
/// The origin of the widget.
pub const WIDGET_DOMAIN: &str = "openai/widgetDomain";
/// Whether the widget wants a border.
pub const WIDGET_PREFERS_BORDER: &str = "openai/widgetPrefersBorder";
/// What the model is told about the widget.
pub const WIDGET_DESCRIPTION: &str = "openai/widgetDescription";
/// The user's language.
pub const LOCALE: &str = "openai/locale";
/// The user's client.
pub const USER_AGENT: &str = "openai/userAgent";
/// Where the user roughly is.
pub const USER_LOCATION: &str = "openai/userLocation";

/// Every key.
pub const KEYS: &[OpenaiKey] = &[
    key(OUTPUT_TEMPLATE, OpenaiPlace::Tool, Some("ui.resourceUri")),
    key(WIDGET_ACCESSIBLE, OpenaiPlace::Tool, Some("ui.visibility")),
    key(VISIBILITY, OpenaiPlace::Tool, Some("ui.visibility")),
    key(INVOKING, OpenaiPlace::Tool, None),
    key(INVOKED, OpenaiPlace::Tool, None),
    key(WIDGET_CSP, OpenaiPlace::Resource, Some("ui.csp")),
    key(WIDGET_DOMAIN, OpenaiPlace::Resource, Some("ui.domain")),
    key(WIDGET_PREFERS_BORDER, OpenaiPlace::Resource, Some("ui.prefersBorder")),
    key(WIDGET_DESCRIPTION, OpenaiPlace::Resource, None),
    key(LOCALE, OpenaiPlace::Request, None),
    key(USER_AGENT, OpenaiPlace::Request, None),
    key(USER_LOCATION, OpenaiPlace::Request, None),
];

const fn key(key: &'static str, place: OpenaiPlace, standard: Option<&'static str>) -> OpenaiKey {
    OpenaiKey { key, place, standard }
}

/// What a tool's standard metadata says, in the keys of the Apps SDK.
pub fn tool_meta(ui: &ToolUi) -> Map<String, Value> {
    let mut meta = Map::new();
    if let Some(uri) = &ui.resource_uri {
        meta.insert(OUTPUT_TEMPLATE.to_owned(), json!(uri));
    }
    meta.insert(WIDGET_ACCESSIBLE.to_owned(), json!(ui.visibility.app));
    meta.insert(VISIBILITY.to_owned(), json!(if ui.visibility.model { "public" } else { "private" }));
    meta
}

/// What a resource's standard metadata says, in the keys of the Apps SDK, and what they cannot say.
///
/// `redirect_domains`, the fourth list of their CSP, has no counterpart in the standard; ext-apps plans
/// `_meta.ui.linkTrustedDomains` for it.
pub fn resource_meta(ui: &ResourceUi) -> (Map<String, Value>, Vec<MetadataProblem>) {
    let mut meta = Map::new();
    let mut findings = Vec::new();
    if let Some(csp) = &ui.csp {
        let mut lists = Map::new();
        lists.insert("connect_domains".to_owned(), json!(csp.connect_domains));
        lists.insert("resource_domains".to_owned(), json!(csp.resource_domains));
        if !csp.frame_domains.is_empty() {
            lists.insert("frame_domains".to_owned(), json!(csp.frame_domains));
        }
        if !csp.base_uri_domains.is_empty() {
            findings.push(unsayable("_meta.ui.csp.baseUriDomains"));
        }
        meta.insert(WIDGET_CSP.to_owned(), Value::Object(lists));
    }
    if ui.permissions.iter().next().is_some() {
        findings.push(unsayable("_meta.ui.permissions"));
    }
    if let Some(domain) = &ui.domain {
        meta.insert(WIDGET_DOMAIN.to_owned(), json!(domain));
    }
    if let Some(prefers) = ui.prefers_border {
        meta.insert(WIDGET_PREFERS_BORDER.to_owned(), json!(prefers));
    }
    (meta, findings)
}

/// Whether a tool speaks to OpenAI's host only: it names a widget, but no View.
pub fn is_openai_only(tool: &Value) -> bool {
    let has_widget = tool.get("_meta").and_then(|meta| meta.get(OUTPUT_TEMPLATE)).is_some();
    has_widget && !ToolUi::from_tool(tool).0.has_view()
}

fn unsayable(at: &str) -> MetadataProblem {
    let says = "has no counterpart in the Apps SDK".to_owned();
    MetadataProblem { at: at.to_owned(), says, weight: Weight::Doubtful }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::{Csp, Permission, Permissions, Visibility};
    use crate::meta::parse_key;

    #[test]
    fn keys_are_unique() {
        for (at, one) in KEYS.iter().enumerate() {
            assert!(KEYS[at + 1..].iter().all(|two| two.key != one.key), "{} twice", one.key);
            assert!(one.key.starts_with("openai/"));
        }
    }

    #[test]
    fn two_keys_break_the_grammar_of_meta() {
        let broken: Vec<_> =
            KEYS.iter().filter(|row| parse_key(row.key).is_err()).map(|row| row.key).collect();
        assert_eq!(broken, [INVOKING, INVOKED]);
    }

    #[test]
    fn tools_map() {
        let ui = ToolUi {
            resource_uri: Some("ui://a".into()),
            visibility: Visibility { model: false, app: true },
        };
        let expected = json!({
            "openai/outputTemplate": "ui://a", "openai/widgetAccessible": true, "openai/visibility": "private",
        });
        assert_eq!(Value::Object(tool_meta(&ui)), expected);
        let model_only = ToolUi { resource_uri: None, visibility: Visibility { model: true, app: false } };
        let expected = json!({"openai/widgetAccessible": false, "openai/visibility": "public"});
        assert_eq!(Value::Object(tool_meta(&model_only)), expected);
    }

    #[test]
    fn resources_map_as_far_as_they_can() {
        let ui = ResourceUi {
            csp: Some(Csp {
                connect_domains: vec!["https://a.example".into()],
                frame_domains: vec!["https://b.example".into()],
                base_uri_domains: vec!["https://c.example".into()],
                ..Csp::default()
            }),
            permissions: Permissions::new([Permission::Camera]),
            domain: Some("https://w.example".into()),
            prefers_border: Some(true),
        };
        let (meta, findings) = resource_meta(&ui);
        assert_eq!(
            Value::Object(meta),
            json!({
                "openai/widgetCSP": {
                    "connect_domains": ["https://a.example"],
                    "resource_domains": [],
                    "frame_domains": ["https://b.example"],
                },
                "openai/widgetDomain": "https://w.example",
                "openai/widgetPrefersBorder": true,
            })
        );
        let at: Vec<_> = findings.iter().map(|finding| finding.at.as_str()).collect();
        assert_eq!(at, ["_meta.ui.csp.baseUriDomains", "_meta.ui.permissions"]);
    }

    #[test]
    fn tools_for_openai_alone_are_recognised() {
        assert!(is_openai_only(&json!({"_meta": {"openai/outputTemplate": "ui://a"}})));
        let both = json!({"_meta": {"openai/outputTemplate": "ui://a", "ui": {"resourceUri": "ui://a"}}});
        assert!(!is_openai_only(&both) && !is_openai_only(&json!({})));
    }
}
