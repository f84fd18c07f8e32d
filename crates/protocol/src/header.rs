//! HTTP headers: their names in each revision, the encoding of their values, and whether they agree with the body.

mod check;
mod declared;
mod param;
mod value;

pub use check::{Mirrored, Mismatch, check_params, check_standard};
pub use declared::{DeclarationDefect, DefectKind, ParamHeader, declared};
pub use param::{ParamError, mirror};
pub use value::{BadValue, decode, encode};

use crate::{Span, Version};

/// The protocol version of the request (from 2025-06-18).
pub const PROTOCOL_VERSION: &str = "MCP-Protocol-Version";
/// The session (2025-03-26 to 2025-11-25; the last of them writes `MCP-Session-Id`).
pub const SESSION_ID: &str = "Mcp-Session-Id";
/// Where to resume a broken stream (2025-03-26 to 2025-11-25).
pub const LAST_EVENT_ID: &str = "Last-Event-ID";
/// The method of the body (2026-07-28).
pub const METHOD: &str = "Mcp-Method";
/// The name, URI or task that the body is about (2026-07-28).
pub const NAME: &str = "Mcp-Name";
/// What the names of mirrored tool parameters begin with (2026-07-28).
pub const PARAM_PREFIX: &str = "Mcp-Param-";

/// A header that some revision defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The name; for parameters, what it begins with.
    pub name: &'static str,
    /// The revisions that define it.
    pub span: Span,
    /// What it is for, in one line.
    pub meaning: &'static str,
}

const STREAMABLE_SESSIONS: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);

/// Every header that some revision defines.
pub const HEADERS: &[Header] = &[
    Header {
        name: PROTOCOL_VERSION,
        span: Span::since(Version::V2025_06_18),
        meaning: "the protocol version of the request",
    },
    Header {
        name: SESSION_ID,
        span: STREAMABLE_SESSIONS,
        meaning: "the session that the request belongs to",
    },
    Header { name: LAST_EVENT_ID, span: STREAMABLE_SESSIONS, meaning: "where to resume a broken stream" },
    Header { name: METHOD, span: Span::MODERN, meaning: "the method of the body" },
    Header { name: NAME, span: Span::MODERN, meaning: "the name, URI or task that the body is about" },
    Header { name: PARAM_PREFIX, span: Span::MODERN, meaning: "a parameter of the tool that the body calls" },
];

/// The header as `version` defines it, whatever the case of `name`.
pub fn find(version: Version, name: &str) -> Option<&'static Header> {
    HEADERS.iter().find(|header| header.span.contains(version) && header.matches(name))
}

impl Header {
    fn matches(&self, name: &str) -> bool {
        let prefix = name.get(..self.name.len());
        let same = prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(self.name));
        same && (self.name.len() == name.len()) != (self.name == PARAM_PREFIX)
    }
}

/// Whether a byte may be part of an HTTP token (RFC 9110, 5.6.2).
pub(crate) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_their_revisions_whatever_their_case() {
        let has = |version, name| find(version, name).is_some();
        assert!(!has(Version::V2025_03_26, "mcp-protocol-version"));
        assert!(has(Version::V2025_06_18, "mcp-protocol-version"));
        assert!(has(Version::V2025_11_25, "MCP-Session-Id") && has(Version::V2025_03_26, "mcp-session-id"));
        assert!(!has(Version::V2024_11_05, "Mcp-Session-Id") && !has(Version::V2026_07_28, "Mcp-Session-Id"));
        assert!(has(Version::V2026_07_28, "MCP-METHOD") && !has(Version::V2025_11_25, "Mcp-Method"));
        assert!(has(Version::V2026_07_28, "mcp-param-region"));
        assert!(!has(Version::V2026_07_28, "mcp-param-"), "a parameter has a name");
        assert!(!has(Version::V2026_07_28, "Mcp-Names") && !has(Version::V2026_07_28, "é"));
    }
}
