//! MCP Apps (SEP-1865): metadata of tools and resources, the policy a View runs under, and the messages of the bridge.
//!
//! Facts are those of the stable text of 2026-01-26; what ext-apps 2.x adds is marked as such. Reading is tolerant: a
//! malformed part is reported as a [`MetadataProblem`] and left out, the rest is kept.

mod breach;
mod capabilities;
mod container;
mod content;
mod context;
mod csp;
mod direction;
mod judge;
mod lifecycle;
mod media;
mod message;
pub mod method;
mod mode;
pub mod openai;
mod permission;
mod read;
mod resource;
pub mod rule;
mod source;
pub mod style;
mod tool;

use std::fmt;

pub use breach::{Breach, BridgeRule, Gravity};
pub use capabilities::{AppCapabilities, HostCapabilities, Modality};
pub use container::{Axis, Container};
pub use content::UiContent;
pub use context::{Device, HostContext, Insets, Platform, Theme, ToolInfo, merge_context};
pub use csp::Policy;
pub use direction::{BridgeDirection, BridgeParty};
pub use judge::Bridge;
pub use media::{MediaProblem, MediaType};
pub use message::BridgeMessage;
pub use mode::DisplayMode;
pub use permission::{Permission, Permissions};
pub use resource::{Csp, ResourceUi};
pub use source::{SourceProblem, check_source};
pub use tool::{LEGACY_RESOURCE_URI, ToolUi, Visibility};

/// The identifier of the extension.
pub const EXTENSION: &str = crate::capability::extension::UI;
/// The media type of a View's HTML.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// What the URI of a UI resource begins with.
pub const URI_SCHEME: &str = "ui://";
/// The version string of the handshake between View and host, in the stable text and in ext-apps 2.x.
pub const PROTOCOL_VERSION: &str = "2026-01-26";

/// Something in the metadata that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataProblem {
    /// Where, as a path of members.
    pub at: String,
    /// What, in one line.
    pub says: String,
    /// How bad it is.
    pub weight: Weight,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Allowed, but not what the author is likely to want.
    Doubtful,
    /// Allowed for now.
    Deprecated,
    /// Not allowed; the part is ignored.
    Broken,
}

impl fmt::Display for MetadataProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.says)
    }
}

/// Whether a URI is one of a UI resource.
pub fn is_ui_uri(uri: &str) -> bool {
    uri.strip_prefix(URI_SCHEME).is_some_and(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_uris_have_a_scheme_and_more() {
        assert!(is_ui_uri("ui://weather") && is_ui_uri("ui://a/b?c"));
        assert!(
            !is_ui_uri("ui://") && !is_ui_uri("ui:/a") && !is_ui_uri("https://a") && !is_ui_uri("UI://a")
        );
    }

    #[test]
    fn findings_read_as_a_sentence() {
        let finding =
            MetadataProblem { at: "_meta.ui.csp".into(), says: "is null".into(), weight: Weight::Broken };
        assert_eq!(finding.to_string(), "_meta.ui.csp: is null");
        assert!(Weight::Broken > Weight::Deprecated);
    }
}
