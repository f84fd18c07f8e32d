//! Findings as the page shows them.

use protocol::apps::{self, Breach, Gravity, Weight};
use serde::{Deserialize, Serialize};

/// The specification of MCP Apps.
const SPECIFICATION: &str =
    "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx";

/// One rule that is broken, or one remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PageFinding {
    pub(crate) level: FindingLevel,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<String>,
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FindingLevel {
    /// A MUST of the specification is broken.
    Must,
    /// A SHOULD of the specification is not followed.
    Should,
    /// A remark; no rule is broken.
    Note,
}

impl PageFinding {
    /// A finding about the section at `anchor` of the specification.
    pub(crate) fn new(level: FindingLevel, text: impl Into<String>, anchor: &str) -> Self {
        let link = format!("{SPECIFICATION}#{anchor}");
        Self { level, text: text.into(), rule: Some(format!("apps#{anchor}")), link: Some(link) }
    }

    /// A remark that is not about a rule.
    pub(crate) fn note(text: impl Into<String>) -> Self {
        Self { level: FindingLevel::Note, text: text.into(), rule: None, link: None }
    }

    /// The finding for a breach in a message of the bridge.
    pub(crate) fn from_breach(breach: &Breach) -> Self {
        let level = match breach.gravity {
            Gravity::Must => FindingLevel::Must,
            Gravity::Should => FindingLevel::Should,
            Gravity::Note => FindingLevel::Note,
        };
        let text = format!("{breach} ({}'s)", breach.by.as_str());
        Self { level, text, rule: Some(breach.rule.id.to_owned()), link: Some(breach.rule.link()) }
    }

    /// The finding for a fault in metadata.
    pub(crate) fn from_metadata(finding: &apps::MetadataProblem, anchor: &str) -> Self {
        let level = match finding.weight {
            Weight::Broken => FindingLevel::Must,
            Weight::Deprecated => FindingLevel::Should,
            Weight::Doubtful => FindingLevel::Note,
        };
        Self::new(level, finding.to_string(), anchor)
    }
}
