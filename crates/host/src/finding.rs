//! Something that is not as it should be, as the page shows it.

use protocol::apps::{self, Breach, Gravity, Weight};
use serde::{Deserialize, Serialize};

/// Where the specification of MCP Apps is.
const SPEC: &str =
    "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx";

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<String>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// A rule is broken.
    Must,
    /// Advice is not followed.
    Should,
    /// Worth knowing.
    Note,
}

impl Finding {
    /// About what the specification says under `anchor`.
    pub(crate) fn new(level: Level, text: impl Into<String>, anchor: &str) -> Self {
        let link = format!("{SPEC}#{anchor}");
        Self { level, text: text.into(), rule: Some(format!("apps#{anchor}")), link: Some(link) }
    }

    /// Something worth knowing that no rule speaks of.
    pub(crate) fn note(text: impl Into<String>) -> Self {
        Self { level: Level::Note, text: text.into(), rule: None, link: None }
    }

    /// What was found in a message of the bridge.
    pub(crate) fn of_breach(breach: &Breach) -> Self {
        let level = match breach.gravity {
            Gravity::Must => Level::Must,
            Gravity::Should => Level::Should,
            Gravity::Note => Level::Note,
        };
        let text = format!("{breach} ({}'s)", breach.by.as_str());
        Self { level, text, rule: Some(breach.rule.id.to_owned()), link: Some(breach.rule.link()) }
    }

    /// What was found in metadata.
    pub(crate) fn of(finding: &apps::Finding, anchor: &str) -> Self {
        let level = match finding.weight {
            Weight::Broken => Level::Must,
            Weight::Deprecated => Level::Should,
            Weight::Doubtful => Level::Note,
        };
        Self::new(level, finding.to_string(), anchor)
    }
}
