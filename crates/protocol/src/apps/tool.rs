//! `_meta.ui` of a tool: which View shows its results, and who may call it.

use serde_json::Value;

use super::read::MetadataReader;
use super::{MetadataProblem, Weight, is_ui_uri};

/// The deprecated flat key, which is older than the nested object.
pub const LEGACY_RESOURCE_URI: &str = "ui/resourceUri";

/// What a tool says about its UI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolUi {
    /// The UI resource that shows the tool's results.
    pub resource_uri: Option<String>,
    /// Who may call the tool.
    pub visibility: Visibility,
}

/// Who may call a tool; everybody unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Visibility {
    /// The model sees it and may call it.
    pub model: bool,
    /// Views of the same server may call it.
    pub app: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Who {
    Model,
    App,
}

const WHO: &[(&str, Who)] = &[("model", Who::Model), ("app", Who::App)];

impl Default for Visibility {
    fn default() -> Self {
        Self { model: true, app: true }
    }
}

impl Visibility {
    fn from_listed(listed: &[Who]) -> Self {
        Self { model: listed.contains(&Who::Model), app: listed.contains(&Who::App) }
    }

    /// The names, as they stand in the metadata.
    pub fn names(self) -> Vec<&'static str> {
        [(self.model, "model"), (self.app, "app")]
            .into_iter()
            .filter_map(|(on, name)| on.then_some(name))
            .collect()
    }
}

impl ToolUi {
    /// What a tool, as `tools/list` returns it, says about its UI, and what is wrong with that.
    pub fn from_tool(tool: &Value) -> (Self, Vec<MetadataProblem>) {
        let mut findings = Vec::new();
        let read = tool.get("_meta").and_then(|meta| {
            let mut meta = MetadataReader::open(meta, "_meta", &mut findings)?;
            Some(Self::from_meta(&mut meta))
        });
        (read.unwrap_or_default(), findings)
    }

    /// Whether the tool has a View.
    pub const fn has_view(&self) -> bool {
        self.resource_uri.is_some()
    }

    fn from_meta(meta: &mut MetadataReader<'_, '_>) -> Self {
        let mut nested = None;
        let mut visibility = Visibility::default();
        if let Some(mut ui) = meta.inside("ui") {
            nested = uri(&mut ui, "resourceUri");
            visibility = read_visibility(&mut ui);
            for key in ["csp", "permissions"] {
                if ui.raw(key).is_some() {
                    ui.broken(key, "belongs to the UI resource, not to the tool".to_owned());
                }
            }
        }
        let flat = uri(meta, LEGACY_RESOURCE_URI);
        match (&nested, &flat) {
            (None, Some(_)) => {
                let says = "is deprecated; write `_meta.ui.resourceUri`".to_owned();
                meta.note(LEGACY_RESOURCE_URI, says, Weight::Deprecated);
            }
            (Some(nested), Some(flat)) if nested != flat => {
                meta.broken(
                    LEGACY_RESOURCE_URI,
                    format!("`{flat}` contradicts `_meta.ui.resourceUri`, `{nested}`"),
                );
            }
            _ => (),
        }
        Self { resource_uri: nested.or(flat), visibility }
    }
}

fn uri(reader: &mut MetadataReader<'_, '_>, key: &str) -> Option<String> {
    let uri = reader.string(key)?;
    if is_ui_uri(&uri) {
        return Some(uri);
    }
    reader.broken(key, format!("`{uri}` is not a `ui://` URI"));
    None
}

fn read_visibility(ui: &mut MetadataReader<'_, '_>) -> Visibility {
    match ui.words("visibility", WHO) {
        None => Visibility::default(),
        Some(listed) => {
            if listed.is_empty() {
                ui.broken("visibility", "lets nobody call the tool".to_owned());
            }
            Visibility::from_listed(&listed)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(meta: &Value) -> (ToolUi, Vec<String>) {
        let (ui, findings) = ToolUi::from_tool(&json!({"name": "t", "_meta": meta}));
        (ui, findings.iter().map(MetadataProblem::to_string).collect())
    }

    #[test]
    fn the_nested_key_is_read() {
        let (ui, findings) = read(&json!({"ui": {"resourceUri": "ui://a", "visibility": ["app"]}}));
        assert_eq!(ui.resource_uri.as_deref(), Some("ui://a"));
        assert_eq!(ui.visibility, Visibility { model: false, app: true });
        assert!(findings.is_empty() && ui.has_view());
    }

    #[test]
    fn everybody_may_call_a_tool_that_says_nothing() {
        let (ui, findings) = ToolUi::from_tool(&json!({"name": "t"}));
        assert_eq!((ui.visibility, ui.has_view()), (Visibility { model: true, app: true }, false));
        assert!(findings.is_empty());
    }

    #[test]
    fn the_flat_key_still_works() {
        let (ui, findings) = read(&json!({"ui/resourceUri": "ui://a"}));
        assert_eq!(ui.resource_uri.as_deref(), Some("ui://a"));
        assert_eq!(findings, ["_meta.ui/resourceUri: is deprecated; write `_meta.ui.resourceUri`"]);
        let (_, findings) = read(&json!({"ui": {"resourceUri": "ui://a"}, "ui/resourceUri": "ui://a"}));
        assert!(findings.is_empty(), "both, and the same, is what servers send to be safe");
    }

    #[test]
    fn the_nested_key_wins_over_another_flat_one() {
        let (ui, findings) = read(&json!({"ui": {"resourceUri": "ui://a"}, "ui/resourceUri": "ui://b"}));
        assert_eq!(ui.resource_uri.as_deref(), Some("ui://a"));
        assert_eq!(findings, ["_meta.ui/resourceUri: `ui://b` contradicts `_meta.ui.resourceUri`, `ui://a`"]);
    }

    #[test]
    fn malformed_parts_are_reported_and_left_out() {
        for (meta, said) in [
            (json!("x"), "_meta: is a string, expected an object"),
            (json!({"ui": []}), "_meta.ui: is an array, expected an object"),
            (json!({"ui": {"resourceUri": 3}}), "_meta.ui.resourceUri: is a number, expected a string"),
            (
                json!({"ui": {"resourceUri": "http://a"}}),
                "_meta.ui.resourceUri: `http://a` is not a `ui://` URI",
            ),
            (json!({"ui": {"resourceUri": ""}}), "_meta.ui.resourceUri: `` is not a `ui://` URI"),
            (json!({"ui": {"visibility": "app"}}), "_meta.ui.visibility: is a string, expected an array"),
            (json!({"ui": {"visibility": []}}), "_meta.ui.visibility: lets nobody call the tool"),
            (
                json!({"ui": {"visibility": ["app", 3]}}),
                "_meta.ui.visibility[1]: is a number, expected a string",
            ),
            (json!({"ui": {"visibility": ["app", "app"]}}), "_meta.ui.visibility: `app` is listed twice"),
            (
                json!({"ui": {"visibility": ["app", "user"]}}),
                "_meta.ui.visibility: `user` is none of `model`, `app`",
            ),
            (json!({"ui": {"csp": {}}}), "_meta.ui.csp: belongs to the UI resource, not to the tool"),
        ] {
            let (ui, findings) = read(&meta);
            assert_eq!((ui.resource_uri, findings), (None, vec![said.to_owned()]));
        }
    }
}
