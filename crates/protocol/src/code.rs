//! Error codes: which ones each revision defines, what any number may mean, and the HTTP status of each.

use crate::{Era, Span, Version};

/// The message is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is not a request.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist, or belongs to a capability that was not declared.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The params are wrong: malformed, an unknown tool or prompt, a stale cursor, from 2026-07-28 an unknown resource.
pub const INVALID_PARAMS: i64 = -32602;
/// The receiver failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// The resource does not exist (until 2025-11-25).
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The user must first visit a URL (2025-11-25 only).
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// Headers and body disagree, or a required header is missing or malformed (2026-07-28).
pub const HEADER_MISMATCH: i64 = -32020;
/// The client did not declare a capability that the request needs (2026-07-28).
pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// The server does not speak the version of the request (2026-07-28).
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
/// The user declined the sampling request; an example of the sampling page until 2025-11-25.
pub const USER_REJECTED: i64 = -1;

/// An error code that some revision defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The number on the wire.
    pub code: i64,
    /// The name, as the specification spells it.
    pub name: &'static str,
    /// The revisions that define it.
    pub span: Span,
    /// What it means, in one line.
    pub meaning: &'static str,
    /// The official name of the error's definition, where there is one.
    pub schema: Option<&'static str>,
}

/// Every code that some revision defines.
pub const CODES: &[Code] = &[
    code(PARSE_ERROR, "ParseError", Span::ALWAYS, "the message is not JSON"),
    code(INVALID_REQUEST, "InvalidRequest", Span::ALWAYS, "the message is not a request"),
    code(METHOD_NOT_FOUND, "MethodNotFound", Span::ALWAYS, "the receiver does not have the method"),
    code(INVALID_PARAMS, "InvalidParams", Span::ALWAYS, "the params are wrong"),
    code(INTERNAL_ERROR, "InternalError", Span::ALWAYS, "the receiver failed"),
    code(RESOURCE_NOT_FOUND, "ResourceNotFound", Span::LEGACY, "the resource does not exist"),
    code(
        URL_ELICITATION_REQUIRED,
        "URLElicitationRequired",
        Span::only(Version::V2025_11_25),
        "the user must first visit a URL",
    )
    .described_by("URLElicitationRequiredError"),
    code(HEADER_MISMATCH, "HeaderMismatch", Span::MODERN, "headers and body disagree")
        .described_by("HeaderMismatchError"),
    code(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        "MissingRequiredClientCapability",
        Span::MODERN,
        "the client did not declare a capability that the request needs",
    )
    .described_by("MissingRequiredClientCapabilityError"),
    code(
        UNSUPPORTED_PROTOCOL_VERSION,
        "UnsupportedProtocolVersion",
        Span::MODERN,
        "the server does not speak the version of the request",
    )
    .described_by("UnsupportedProtocolVersionError"),
    code(USER_REJECTED, "UserRejected", Span::LEGACY, "the user declined the sampling request"),
];

/// What a number may stand for in a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The revision defines it.
    Defined(&'static Code),
    /// Another revision defines it; 2026-07-28 forbids to send the ones of older revisions.
    OtherRevision(&'static Code),
    /// -32000 to -32019: assigned before there was a policy, so a receiver cannot know what it means. The page of 2026-07-28
    /// advises new implementations against these, its schema calls them free for implementations.
    Unassigned,
    /// -32020 to -32099: kept for the specification; nobody else may send it from 2026-07-28 on.
    Reserved,
    /// The rest of what JSON-RPC keeps for itself.
    JsonRpc,
    /// Free for applications.
    Application,
}

/// An HTTP status for an error, and whether the revision leaves a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorStatus {
    /// The revision demands this one.
    Fixed(u16),
    /// The revision says nothing; this is what we send.
    Chosen(u16),
}

const fn code(code: i64, name: &'static str, span: Span, meaning: &'static str) -> Code {
    Code { code, name, span, meaning, schema: None }
}

impl Code {
    const fn described_by(mut self, schema: &'static str) -> Self {
        self.schema = Some(schema);
        self
    }
}

impl ErrorStatus {
    /// The number.
    pub const fn code(self) -> u16 {
        match self {
            Self::Fixed(status) | Self::Chosen(status) => status,
        }
    }
}

/// The code as `version` defines it.
pub fn find(version: Version, code: i64) -> Option<&'static Code> {
    CODES.iter().find(|row| row.code == code && row.span.contains(version))
}

/// What `code` may stand for in `version`.
pub fn classify(version: Version, code: i64) -> Class {
    match CODES.iter().find(|row| row.code == code) {
        Some(row) if row.span.contains(version) => Class::Defined(row),
        // Outside of JSON-RPC's own numbers an application may use any, so also one that an example once used.
        Some(row) if is_json_rpc(code) => Class::OtherRevision(row),
        _ => match code {
            -32019..=-32000 => Class::Unassigned,
            -32099..=-32020 => Class::Reserved,
            _ if is_json_rpc(code) => Class::JsonRpc,
            _ => Class::Application,
        },
    }
}

/// The code that says that a resource does not exist.
pub const fn resource_not_found(version: Version) -> i64 {
    match version.era() {
        Era::Legacy => RESOURCE_NOT_FOUND,
        Era::Modern => INVALID_PARAMS,
    }
}

/// The HTTP status of a response that carries the error.
///
/// 2026-07-28 fixes the status of the codes it defines and of an unknown method. About -32602 it says 400 for a missing
/// `_meta` field and nothing for the rest. No revision defines the status for a message that
/// is not a request; we send 400, because nothing in it could be accepted. All other errors are ordinary answers.
pub const fn http_status(version: Version, code: i64) -> ErrorStatus {
    match (version.era(), code) {
        (
            Era::Modern,
            HEADER_MISMATCH | MISSING_REQUIRED_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION,
        ) => ErrorStatus::Fixed(400),
        (Era::Modern, METHOD_NOT_FOUND) => ErrorStatus::Fixed(404),
        (_, PARSE_ERROR | INVALID_REQUEST) => ErrorStatus::Chosen(400),
        _ => ErrorStatus::Chosen(200),
    }
}

/// Whether an error tells a client that the server is of the modern era, so that it must not fall back to a handshake.
///
/// `status` is the HTTP status, none on stdio. Legacy servers answer an unknown request with all sorts of codes, so only
/// those count that 2026-07-28 added, and on HTTP the pair of 404 and -32601 that it prescribes.
pub const fn is_recognised_modern(status: Option<u16>, code: i64) -> bool {
    match code {
        HEADER_MISMATCH | MISSING_REQUIRED_CLIENT_CAPABILITY | UNSUPPORTED_PROTOCOL_VERSION => true,
        METHOD_NOT_FOUND => matches!(status, Some(404)),
        _ => false,
    }
}

const fn is_json_rpc(code: i64) -> bool {
    matches!(code, -32768..=-32000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        for (at, one) in CODES.iter().enumerate() {
            for two in &CODES[at + 1..] {
                assert!(one.code != two.code && one.name != two.name, "{} and {}", one.name, two.name);
            }
        }
    }

    #[test]
    fn an_unknown_resource_changed_its_code() {
        assert_eq!(resource_not_found(Version::V2025_11_25), -32002);
        assert_eq!(resource_not_found(Version::V2026_07_28), -32602);
        assert!(find(Version::V2025_11_25, -32002).is_some());
        assert!(find(Version::V2026_07_28, -32002).is_none());
    }

    #[test]
    fn url_elicitation_lived_in_one_revision() {
        let with: Vec<_> = Version::ALL.into_iter().filter(|v| find(*v, -32042).is_some()).collect();
        assert_eq!(with, [Version::V2025_11_25]);
    }

    #[test]
    fn numbers_fall_into_the_ranges_of_the_policy() {
        let class = |code| classify(Version::V2026_07_28, code);
        assert!(matches!(class(-32020), Class::Defined(_)));
        assert!(matches!(class(-32002), Class::OtherRevision(code) if code.name == "ResourceNotFound"));
        assert!(matches!(class(-32042), Class::OtherRevision(_)));
        assert_eq!(class(-32000), Class::Unassigned);
        assert_eq!(class(-32019), Class::Unassigned);
        assert_eq!(class(-32099), Class::Reserved);
        assert_eq!(class(-32023), Class::Reserved);
        assert_eq!(class(-32100), Class::JsonRpc);
        assert_eq!(class(-32768), Class::JsonRpc);
        assert_eq!(class(-32769), Class::Application);
        assert_eq!(class(-1), Class::Application, "an example of older revisions");
        assert_eq!(class(7), Class::Application);
        assert!(matches!(classify(Version::V2025_06_18, -1), Class::Defined(_)));
    }

    #[test]
    fn the_modern_revision_fixes_some_statuses() {
        let v = Version::V2026_07_28;
        for code in [-32020, -32021, -32022] {
            assert_eq!(http_status(v, code), ErrorStatus::Fixed(400));
            assert!(is_recognised_modern(Some(400), code) && is_recognised_modern(None, code));
        }
        assert_eq!(http_status(v, -32601), ErrorStatus::Fixed(404));
        assert_eq!(http_status(v, -32602), ErrorStatus::Chosen(200));
        assert_eq!(http_status(v, -32700), ErrorStatus::Chosen(400));
        assert!(is_recognised_modern(Some(404), -32601));
        assert!(!is_recognised_modern(None, -32601) && !is_recognised_modern(Some(200), -32601));
        assert!(!is_recognised_modern(Some(400), -32602));
    }

    #[test]
    fn older_revisions_fix_none() {
        for version in Span::LEGACY.versions() {
            assert_eq!(http_status(version, -32601), ErrorStatus::Chosen(200));
            assert_eq!(http_status(version, -32600).code(), 400);
            assert_eq!(http_status(version, -32700), ErrorStatus::Chosen(400));
        }
    }
}
