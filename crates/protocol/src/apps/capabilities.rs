//! What View and host tell each other in `ui/initialize` that they can do.

use serde_json::Value;

use super::read::MetadataReader;
use super::{Csp, DisplayMode, MetadataProblem, Permissions, ResourceUi};

/// What a View can do (`appCapabilities`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppCapabilities {
    /// It has tools of its own; the flag says whether it notifies of changes.
    pub tools: Option<bool>,
    /// The modes that it can be shown in, if it declares them.
    pub display_modes: Option<Vec<DisplayMode>>,
}

/// What a host can do (`hostCapabilities`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCapabilities {
    /// It opens links.
    pub open_links: bool,
    /// It saves files (ext-apps 2.x).
    pub download_file: bool,
    /// It passes on tool calls; the flag says whether it notifies of changes.
    pub server_tools: Option<bool>,
    /// It passes on resource reads; the flag says whether it notifies of changes.
    pub server_resources: Option<bool>,
    /// It takes log messages.
    pub logging: bool,
    /// The browser features that it granted.
    pub permissions: Permissions,
    /// The origins that it approved.
    pub csp: Option<Csp>,
    /// What it takes for the model's context (ext-apps 2.x).
    pub update_model_context: Option<Vec<Modality>>,
    /// What it takes as a message (ext-apps 2.x).
    pub message: Option<Vec<Modality>>,
    /// It samples from a model; the flag says whether with tools (ext-apps 2.x).
    pub sampling: Option<bool>,
}

/// A kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modality {
    /// Text.
    Text,
    /// An image.
    Image,
    /// Audio.
    Audio,
    /// An embedded resource.
    Resource,
    /// A link to a resource.
    ResourceLink,
    /// Structured content.
    StructuredContent,
}

impl Modality {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Image, Self::Audio, Self::Resource, Self::ResourceLink, Self::StructuredContent];

    /// The key in the capabilities.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Resource => "resource",
            Self::ResourceLink => "resourceLink",
            Self::StructuredContent => "structuredContent",
        }
    }
}

impl AppCapabilities {
    /// What an `appCapabilities` object says, and what is wrong with it.
    pub fn from_value(value: &Value) -> (Self, Vec<MetadataProblem>) {
        let mut findings = Vec::new();
        let read = MetadataReader::open(value, "appCapabilities", &mut findings).map(|mut reader| Self {
            tools: switch(&mut reader, "tools", "listChanged"),
            display_modes: reader.words("availableDisplayModes", DisplayMode::NAMES),
        });
        (read.unwrap_or_default(), findings)
    }
}

impl HostCapabilities {
    /// What a `hostCapabilities` object says, and what is wrong with it.
    pub fn from_value(value: &Value) -> (Self, Vec<MetadataProblem>) {
        let mut findings = Vec::new();
        let sandbox = MetadataReader::open(value, "hostCapabilities", &mut findings)
            .map(|mut reader| Self::from_reader(&mut reader));
        let mut read = sandbox.unwrap_or_default();
        if let Some(sandbox) = value.get("sandbox") {
            // The sandbox grants with the same members with which a resource asks.
            let (granted, found) = ResourceUi::from_item(&serde_json::json!({"_meta": {"ui": sandbox}}));
            read.permissions = granted.permissions;
            read.csp = granted.csp;
            findings.extend(found.into_iter().map(|finding| MetadataProblem {
                at: finding.at.replacen("_meta.ui", "hostCapabilities.sandbox", 1),
                ..finding
            }));
        }
        (read, findings)
    }

    fn from_reader(host: &mut MetadataReader<'_, '_>) -> Self {
        Self {
            open_links: host.inside("openLinks").is_some(),
            download_file: host.inside("downloadFile").is_some(),
            server_tools: switch(host, "serverTools", "listChanged"),
            server_resources: switch(host, "serverResources", "listChanged"),
            logging: host.inside("logging").is_some(),
            permissions: Permissions::default(),
            csp: None,
            update_model_context: modalities(host, "updateModelContext"),
            message: modalities(host, "message"),
            sampling: host.inside("sampling").map(|mut sampling| sampling.inside("tools").is_some()),
        }
    }
}

fn switch(reader: &mut MetadataReader<'_, '_>, key: &str, switch: &str) -> Option<bool> {
    let mut inner = reader.inside(key)?;
    Some(inner.boolean(switch).unwrap_or(false))
}

fn modalities(reader: &mut MetadataReader<'_, '_>, key: &str) -> Option<Vec<Modality>> {
    let mut inner = reader.inside(key)?;
    Some(Modality::ALL.into_iter().filter(|modality| inner.inside(modality.key()).is_some()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::apps::Permission;

    #[test]
    fn a_view_declares_tools_and_modes() {
        let (app, findings) = AppCapabilities::from_value(
            &json!({"tools": {"listChanged": true}, "availableDisplayModes": ["pip"]}),
        );
        assert_eq!((app.tools, app.display_modes), (Some(true), Some(vec![DisplayMode::Pip])));
        assert!(findings.is_empty());
        assert_eq!(AppCapabilities::from_value(&json!({})).0, AppCapabilities::default());
    }

    #[test]
    fn an_unknown_mode_is_reported() {
        let (app, findings) =
            AppCapabilities::from_value(&json!({"availableDisplayModes": ["inline", "cinema"]}));
        assert_eq!(app.display_modes, Some(vec![DisplayMode::Inline]));
        assert!(findings[0].says.contains("`cinema`"), "{findings:?}");
    }

    #[test]
    fn a_host_declares_the_rest() {
        let (host, findings) = HostCapabilities::from_value(&json!({
            "openLinks": {}, "downloadFile": {}, "logging": {},
            "serverTools": {"listChanged": true}, "serverResources": {},
            "sandbox": {"permissions": {"camera": {}}, "csp": {"connectDomains": ["https://a.example"]}},
            "updateModelContext": {"text": {}, "structuredContent": {}}, "message": {}, "sampling": {"tools": {}},
            "serverPrompts": {},
        }));
        assert!(findings.is_empty(), "{findings:?}");
        assert!(host.open_links && host.download_file && host.logging);
        assert_eq!((host.server_tools, host.server_resources), (Some(true), Some(false)));
        assert!(host.permissions.has(Permission::Camera));
        assert_eq!(host.csp.unwrap().connect_domains, ["https://a.example"]);
        assert_eq!(host.update_model_context, Some(vec![Modality::Text, Modality::StructuredContent]));
        assert_eq!((host.message, host.sampling), (Some(vec![]), Some(true)));
    }

    #[test]
    fn findings_name_the_place() {
        let (host, findings) = HostCapabilities::from_value(
            &json!({"openLinks": true, "sandbox": {"permissions": {"usb": {}}}}),
        );
        assert!(!host.open_links);
        let said: Vec<String> = findings.iter().map(MetadataProblem::to_string).collect();
        assert_eq!(
            said,
            [
                "hostCapabilities.openLinks: is a boolean, expected an object",
                "hostCapabilities.sandbox.permissions.usb: `usb` is not a permission that MCP Apps knows",
            ]
        );
    }
}
