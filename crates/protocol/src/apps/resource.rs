//! `_meta.ui` of a UI resource: what the View may load and use, and how it wants to look.

use serde_json::{Map, Value, json};

use super::read::MetadataReader;
use super::{MetadataProblem, Permissions};

/// What a UI resource says about its View.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceUi {
    /// The origins that the View needs; none means the restrictive default.
    pub csp: Option<Csp>,
    /// The browser features that the View asks for.
    pub permissions: Permissions,
    /// The origin that the View wants, in the format of the host.
    pub domain: Option<String>,
    /// Whether the View wants a border; none leaves it to the host.
    pub prefers_border: Option<bool>,
}

/// The origins that a View needs, as declared and unchecked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Csp {
    /// For network requests.
    pub connect_domains: Vec<String>,
    /// For scripts, styles, images, fonts and media.
    pub resource_domains: Vec<String>,
    /// For nested frames.
    pub frame_domains: Vec<String>,
    /// For the base URI of the document.
    pub base_uri_domains: Vec<String>,
}

impl ResourceUi {
    /// What an object with `_meta` says: a resource of `resources/list`, or a content item of `resources/read`.
    pub fn from_item(item: &Value) -> (Self, Vec<MetadataProblem>) {
        let mut findings = Vec::new();
        let read = Self::from_reader(item, &mut findings);
        (read.unwrap_or_default(), findings)
    }

    /// What counts when both the listing and the content say something: the content, as a whole.
    ///
    /// The stable text knows only the content; ext-apps 2.x lets the listing stand in where the content is silent.
    pub fn effective(listed: Option<&Value>, content: &Value) -> (Self, Vec<MetadataProblem>) {
        match listed {
            Some(listed) if content.pointer("/_meta/ui").is_none() => Self::from_item(listed),
            _ => Self::from_item(content),
        }
    }

    /// The `ui` object that says this.
    pub fn to_value(&self) -> Value {
        let mut ui = Map::new();
        if let Some(csp) = &self.csp {
            ui.insert("csp".to_owned(), csp.to_value());
        }
        if self.permissions != Permissions::default() {
            ui.insert("permissions".to_owned(), self.permissions.to_value());
        }
        if let Some(domain) = &self.domain {
            ui.insert("domain".to_owned(), json!(domain));
        }
        if let Some(prefers) = self.prefers_border {
            ui.insert("prefersBorder".to_owned(), json!(prefers));
        }
        Value::Object(ui)
    }

    fn from_reader(item: &Value, findings: &mut Vec<MetadataProblem>) -> Option<Self> {
        let mut meta = MetadataReader::open(item.get("_meta")?, "_meta", findings)?;
        let mut ui = meta.inside("ui")?;
        let csp = ui.inside("csp").map(|mut csp| Csp::from_reader(&mut csp));
        let permissions = ui.inside("permissions").map(|mut reader| Permissions::from_reader(&mut reader));
        let domain = ui.string("domain").filter(|domain| !domain.trim().is_empty());
        if domain.is_none() && ui.raw("domain").is_some_and(Value::is_string) {
            ui.broken("domain", "is empty".to_owned());
        }
        let prefers_border = ui.boolean("prefersBorder");
        Some(Self { csp, permissions: permissions.unwrap_or_default(), domain, prefers_border })
    }
}

impl Csp {
    /// The `csp` object that says this.
    pub fn to_value(&self) -> Value {
        let lists = [
            ("connectDomains", &self.connect_domains),
            ("resourceDomains", &self.resource_domains),
            ("frameDomains", &self.frame_domains),
            ("baseUriDomains", &self.base_uri_domains),
        ];
        let given = lists.into_iter().filter(|(_, list)| !list.is_empty());
        given.map(|(name, list)| (name.to_owned(), json!(list))).collect()
    }

    fn from_reader(csp: &mut MetadataReader<'_, '_>) -> Self {
        let mut list = |name| csp.strings(name).unwrap_or_default();
        Self {
            connect_domains: list("connectDomains"),
            resource_domains: list("resourceDomains"),
            frame_domains: list("frameDomains"),
            base_uri_domains: list("baseUriDomains"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::Permission;

    fn read(ui: &Value) -> (ResourceUi, Vec<String>) {
        let (read, findings) = ResourceUi::from_item(&json!({"uri": "ui://a", "_meta": {"ui": ui}}));
        (read, findings.iter().map(MetadataProblem::to_string).collect())
    }

    #[test]
    fn everything_is_read_and_written_back() {
        let value = json!({
            "csp": {
                "connectDomains": ["https://a.example"],
                "resourceDomains": ["https://b.example"],
                "frameDomains": ["https://c.example"],
                "baseUriDomains": ["https://d.example"],
            },
            "permissions": {"camera": {}},
            "domain": "x.example",
            "prefersBorder": false,
        });
        let (ui, findings) = read(&value);
        assert_eq!(findings, [] as [String; 0]);
        assert_eq!(ui.csp.as_ref().unwrap().frame_domains, ["https://c.example"]);
        assert!(ui.permissions.has(Permission::Camera));
        assert_eq!((ui.domain.as_deref(), ui.prefers_border), (Some("x.example"), Some(false)));
        assert_eq!(ui.to_value(), value);
    }

    #[test]
    fn silence_is_fine() {
        assert_eq!(ResourceUi::from_item(&json!({"uri": "ui://a"})), (ResourceUi::default(), vec![]));
        assert_eq!(read(&json!({})), (ResourceUi::default(), vec![]));
    }

    #[test]
    fn malformed_parts_are_reported_one_by_one() {
        let (ui, findings) = read(&json!({
            "csp": {"connectDomains": "https://a.example", "resourceDomains": ["https://b.example", 7]},
            "permissions": ["camera"],
            "domain": " ",
            "prefersBorder": "yes",
        }));
        assert_eq!(
            findings,
            [
                "_meta.ui.csp.connectDomains: is a string, expected an array",
                "_meta.ui.csp.resourceDomains[1]: is a number, expected a string",
                "_meta.ui.permissions: is an array, expected an object",
                "_meta.ui.domain: is empty",
                "_meta.ui.prefersBorder: is a string, expected a boolean",
            ]
        );
        assert_eq!(ui.csp.unwrap().resource_domains, ["https://b.example"], "what is good is kept");
    }

    #[test]
    fn a_malformed_csp_is_none_declared() {
        let (ui, findings) = read(&json!({"csp": null}));
        assert_eq!((ui.csp, findings), (None, vec!["_meta.ui.csp: is null, expected an object".to_owned()]));
    }

    #[test]
    fn the_content_wins_over_the_listing() {
        let listed = json!({"_meta": {"ui": {"prefersBorder": true, "domain": "l"}}});
        let content = json!({"_meta": {"ui": {"prefersBorder": false}}});
        let (ui, _) = ResourceUi::effective(Some(&listed), &content);
        assert_eq!((ui.prefers_border, ui.domain), (Some(false), None));
        let (ui, _) = ResourceUi::effective(Some(&listed), &json!({"uri": "ui://a"}));
        assert_eq!((ui.prefers_border, ui.domain.as_deref()), (Some(true), Some("l")));
    }
}
