//! Where the specification says it, and how strongly.

use std::fmt;

use protocol::{Span, Version};
use serde::{Deserialize, Serialize};
use transport::Transport;

/// How strongly a requirement binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// Advice that no specification of MCP gives: breaking it is a warning.
    Advice,
    /// A recommendation: breaking it is a warning.
    Should,
    /// A requirement: breaking it is a failure.
    Must,
}

/// A place in the specification that asks for what a check tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cite {
    /// How strongly.
    pub level: Level,
    /// `PAGE#ANCHOR`, as in the specification's own tree; the anchor may be followed by `/N`, the statement in it.
    pub place: &'static str,
    /// The revisions whose page says so.
    pub span: Span,
    /// How the page says so.
    pub basis: Basis,
    /// The transport that the place speaks of; `None` where it speaks of all.
    pub transport: Option<Transport>,
}

/// Places whose heading has an addition in brackets, which is part of the anchor on the site and not of ours.
const ANCHORS: [(&str, &str); 2] = [
    ("basic/patterns/mrtr#server-requirements", "basic/patterns/mrtr#server-requirements-basic-workflow"),
    ("server/utilities/caching#time-to-live-field", "server/utilities/caching#time-to-live-ttl-field"),
];

/// How places in the proposal that defines the tasks extension begin.
const TASKS_EXTENSION: &str = "sep-2663";

/// How a page asks for something, the clearest way first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// In a sentence with a keyword of RFC 2119.
    #[default]
    Stated,
    /// By defining the message, its fields or its error, without such a keyword.
    Defined,
    /// Not as a requirement: by example, in passing, or in the documentation of one host.
    Advised,
    /// Nowhere: the person who runs the check asks for it.
    Requested,
}

/// A MUST.
pub const fn must(place: &'static str, span: Span) -> Cite {
    Cite { level: Level::Must, place, span, basis: Basis::Stated, transport: None }
}

/// What follows from the definition of a message; it binds like a MUST.
pub const fn defined(place: &'static str, span: Span) -> Cite {
    Cite { level: Level::Must, place, span, basis: Basis::Defined, transport: None }
}

/// A MUST NOT, which binds as strongly as a MUST.
pub const fn must_not(place: &'static str, span: Span) -> Cite {
    must(place, span)
}

/// A SHOULD.
pub const fn should(place: &'static str, span: Span) -> Cite {
    Cite { level: Level::Should, place, span, basis: Basis::Stated, transport: None }
}

/// What follows from the purpose that a page gives, without a keyword; breaking it is a warning.
pub const fn advised(place: &'static str, span: Span) -> Cite {
    Cite { level: Level::Should, place, span, basis: Basis::Defined, transport: None }
}

/// A SHOULD NOT, which binds as strongly as a SHOULD.
pub const fn should_not(place: &'static str, span: Span) -> Cite {
    should(place, span)
}

/// Advice; the place may be the address of a page elsewhere.
pub const fn advice(place: &'static str, span: Span) -> Cite {
    Cite { level: Level::Advice, place, span, basis: Basis::Advised, transport: None }
}

impl Cite {
    /// The same place, which speaks of one transport alone.
    #[must_use]
    pub const fn over(self, transport: Transport) -> Self {
        Self { transport: Some(transport), ..self }
    }

    /// Whether the place speaks of `version` over `transport`.
    pub fn binds(&self, version: Version, transport: Transport) -> bool {
        self.span.contains(version) && self.transport.is_none_or(|only| only == transport)
    }

    /// The page of `version` on the specification's site, or the page elsewhere.
    pub fn url(&self, version: Version) -> String {
        if self.is_elsewhere() {
            return self.place.to_owned();
        }
        let place = self.place.split_once('#').map_or(self.place, |(page, rest)| {
            let anchor = rest.split('/').next().unwrap_or_default();
            &self.place[..page.len() + 1 + anchor.len()]
        });
        let page = place.trim_end_matches('#').replace("/index#", "#");
        let renamed = ANCHORS.iter().find(|(ours, _)| page == *ours).map(|(_, site)| (*site).to_owned());
        let page = renamed.unwrap_or(page);
        if self.is_apps() {
            return format!(
                "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/{page}"
            );
        }
        if let Some(anchor) = place.strip_prefix(TASKS_EXTENSION) {
            return format!(
                "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/seps/2663-tasks-extension.md{anchor}"
            );
        }
        format!("https://modelcontextprotocol.io/specification/{version}/{}", page.trim_end_matches("/index"))
    }

    /// Whether it is an extension that says so, and no page of the specification.
    pub fn is_extension(&self) -> bool {
        self.is_apps() || self.place.starts_with(TASKS_EXTENSION)
    }

    /// Whether it is the Apps extension that says so.
    pub fn is_apps(&self) -> bool {
        self.place.starts_with("apps.mdx")
    }

    /// Whether the place is not a specification of MCP.
    pub fn is_elsewhere(&self) -> bool {
        self.place.starts_with("https://")
    }
}

impl Level {
    /// How strongly it binds, in a word that claims a keyword only where the page has one.
    pub const fn word(self, basis: Basis) -> &'static str {
        match (self, basis) {
            (Self::Must, Basis::Stated) => "MUST",
            (Self::Must, Basis::Defined | Basis::Advised) => "DEFINED",
            (Self::Must | Self::Should, Basis::Requested) => "REQUESTED",
            (Self::Should, Basis::Stated) => "SHOULD",
            (Self::Should, Basis::Defined | Basis::Advised) => "IMPLIED",
            (Self::Advice, _) => "ADVICE",
        }
    }

    /// What [`Level::word`] stands for, where it is not a keyword.
    pub const fn meaning(self, basis: Basis) -> Option<&'static str> {
        match (self, basis) {
            (Self::Must, Basis::Defined | Basis::Advised) => {
                Some("defined by the schema or the page, without a keyword")
            }
            (Self::Should, Basis::Defined | Basis::Advised) => Some("implied by the page, without a keyword"),
            (Self::Must | Self::Should, Basis::Requested) => Some("requested on the command line"),
            (Self::Must | Self::Should, Basis::Stated) | (Self::Advice, _) => None,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::Advice => "ADVICE",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_addresses() {
        let url = |place| must(place, Span::ALWAYS).url(Version::V2025_11_25);
        assert_eq!(
            url("server/tools#error-handling/2"),
            "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling"
        );
        assert_eq!(
            url("basic/index#responses"),
            "https://modelcontextprotocol.io/specification/2025-11-25/basic#responses"
        );
        assert_eq!(url("basic/index#"), "https://modelcontextprotocol.io/specification/2025-11-25/basic");
        assert!(url("apps.mdx#ui-resource-format").ends_with("2026-01-26/apps.mdx#ui-resource-format"));
        assert_eq!(url("https://example.com/a#b"), "https://example.com/a#b");
        assert!(
            url("basic/patterns/mrtr#server-requirements/3").ends_with("#server-requirements-basic-workflow")
        );
    }

    #[test]
    fn a_place_may_speak_of_one_transport() {
        let stdio = must("basic/transports/stdio#receiving-messages", Span::MODERN).over(Transport::Stdio);
        assert!(stdio.binds(Version::V2026_07_28, Transport::Stdio));
        assert!(!stdio.binds(Version::V2026_07_28, Transport::StreamableHttp));
        assert!(!stdio.binds(Version::V2025_11_25, Transport::Stdio));
        assert!(must("basic/index#", Span::ALWAYS).binds(Version::V2025_11_25, Transport::HttpSse));
    }

    #[test]
    fn a_keyword_is_claimed_only_where_the_page_has_one() {
        let word = |cite: Cite| cite.level.word(cite.basis);
        assert_eq!(word(must("a#b", Span::ALWAYS)), "MUST");
        assert_eq!(word(defined("a#b", Span::ALWAYS)), "DEFINED");
        assert_eq!(word(advised("a#b", Span::ALWAYS)), "IMPLIED");
        assert_eq!(word(advice("a#b", Span::ALWAYS)), "ADVICE");
    }

    #[test]
    fn advice_binds_least() {
        assert!(Level::Advice < Level::Should && Level::Should < Level::Must);
    }
}
