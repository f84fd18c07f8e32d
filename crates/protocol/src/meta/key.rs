//! The names that `_meta` allows, and the ones that it keeps for the protocol.

use crate::{Span, Version};

/// A key, split at its slash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaKey<'a> {
    /// The labels before the slash, dots included; none for a bare name.
    pub prefix: Option<&'a str>,
    /// What follows the slash; may be empty.
    pub name: &'a str,
}

/// What is wrong with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// There is more than one slash.
    #[error("a key has at most one slash, between prefix and name")]
    Slashes,
    /// Two dots in a row, or a dot at an end.
    #[error("the prefix has an empty label")]
    EmptyLabel,
    /// A label begins with something else than a letter.
    #[error("each label of the prefix begins with a letter")]
    LabelStart,
    /// A label ends with something else than a letter or digit.
    #[error("each label of the prefix ends with a letter or digit")]
    LabelEnd,
    /// A label has a character that is not a letter, digit or hyphen.
    #[error("the labels of a prefix are made of letters, digits and hyphens")]
    LabelCharacter,
    /// The name begins or ends with something else than a letter or digit.
    #[error("the name begins and ends with a letter or digit")]
    NameEnd,
    /// The name has a character that is not a letter, digit, hyphen, underscore or dot.
    #[error("the name is made of letters, digits, hyphens, underscores and dots")]
    NameCharacter,
}

/// A key whose meaning the specification defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReservedKey {
    /// The key.
    pub key: &'static str,
    /// The revisions that define it.
    pub span: Span,
    /// Whether it has a meaning in the params of a request.
    pub in_requests: bool,
    /// Whether it has a meaning in the params of a notification.
    pub in_notifications: bool,
    /// Whether it has a meaning in a result.
    pub in_results: bool,
}

const ONLY_2025_11_25: Span = Span::only(Version::V2025_11_25);

/// Every key whose meaning a revision defines.
///
/// The table of the 2026-07-28 page leaves out `serverInfo`, which the same page defines below it. Trace context is
/// not bound to a kind of message there; its example is a request.
pub const RESERVED_KEYS: &[ReservedKey] = &[
    reserved(super::PROGRESS_TOKEN, Span::ALWAYS, [true, false, false]),
    reserved(super::RELATED_TASK, ONLY_2025_11_25, [true, true, true]),
    reserved(super::MODEL_IMMEDIATE_RESPONSE, ONLY_2025_11_25, [false, false, true]),
    reserved(super::PROTOCOL_VERSION, Span::MODERN, [true, false, false]),
    reserved(super::CLIENT_INFO, Span::MODERN, [true, false, false]),
    reserved(super::CLIENT_CAPABILITIES, Span::MODERN, [true, false, false]),
    reserved(super::LOG_LEVEL, Span::MODERN, [true, false, false]),
    reserved(super::SUBSCRIPTION_ID, Span::MODERN, [false, true, true]),
    reserved(super::SERVER_INFO, Span::MODERN, [false, false, true]),
    reserved(super::TRACEPARENT, Span::MODERN, [true, true, true]),
    reserved(super::TRACESTATE, Span::MODERN, [true, true, true]),
    reserved(super::BAGGAGE, Span::MODERN, [true, true, true]),
];

const fn reserved(
    key: &'static str,
    span: Span,
    [requests, notifications, results]: [bool; 3],
) -> ReservedKey {
    ReservedKey { key, span, in_requests: requests, in_notifications: notifications, in_results: results }
}

impl<'a> MetaKey<'a> {
    fn labels(self) -> impl Iterator<Item = &'a str> {
        self.prefix.into_iter().flat_map(|prefix| prefix.split('.'))
    }
}

/// Whether `version` says anything about the names of keys; the first two revisions do not.
pub fn has_grammar(version: Version) -> bool {
    version >= Version::V2025_06_18
}

/// Checks a key by the rules of `version`.
pub fn check_key(version: Version, key: &str) -> Result<(), KeyProblem> {
    if has_grammar(version) { parse_key(key).map(|_| ()) } else { Ok(()) }
}

/// Splits and checks a key by the grammar, which has not changed since 2025-06-18.
pub fn parse_key(key: &str) -> Result<MetaKey<'_>, KeyProblem> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if name.contains('/') {
        return Err(KeyProblem::Slashes);
    }
    let parsed = MetaKey { prefix, name };
    parsed.labels().try_for_each(check_label)?;
    check_name(name)?;
    Ok(parsed)
}

/// Whether the specification reserves the key's prefix.
///
/// 2025-06-18 reserves prefixes in which `mcp` or `modelcontextprotocol` is followed by a label (`mcp.dev/`), later
/// revisions those in which it is the second label (`dev.mcp/`). Taken literally, 2025-06-18 does not reserve
/// `io.modelcontextprotocol/`.
pub fn is_reserved_prefix(version: Version, key: &str) -> bool {
    let Ok(key) = parse_key(key) else { return false };
    let labels: Vec<&str> = key.labels().collect();
    match version {
        Version::V2024_11_05 | Version::V2025_03_26 => false,
        Version::V2025_06_18 => {
            labels.split_last().is_some_and(|(_, before)| before.iter().any(|l| is_ours(l)))
        }
        Version::V2025_11_25 | Version::V2026_07_28 => labels.get(1).is_some_and(|label| is_ours(label)),
    }
}

fn is_ours(label: &str) -> bool {
    matches!(label, "mcp" | "modelcontextprotocol")
}

fn check_label(label: &str) -> Result<(), KeyProblem> {
    let bytes = label.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return Err(KeyProblem::EmptyLabel) };
    if !bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-') {
        return Err(KeyProblem::LabelCharacter);
    }
    if !first.is_ascii_alphabetic() {
        return Err(KeyProblem::LabelStart);
    }
    if last.is_ascii_alphanumeric() { Ok(()) } else { Err(KeyProblem::LabelEnd) }
}

fn check_name(name: &str) -> Result<(), KeyProblem> {
    let bytes = name.as_bytes();
    if !bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
        return Err(KeyProblem::NameCharacter);
    }
    match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) if !(first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric()) => {
            Err(KeyProblem::NameEnd)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_keys_are_split() {
        assert_eq!(parse_key("progressToken"), Ok(MetaKey { prefix: None, name: "progressToken" }));
        assert_eq!(
            parse_key("com.example/a.b_c-d"),
            Ok(MetaKey { prefix: Some("com.example"), name: "a.b_c-d" })
        );
        assert_eq!(parse_key("ui/resourceUri").unwrap().prefix, Some("ui"));
        assert_eq!(parse_key("com.example/"), Ok(MetaKey { prefix: Some("com.example"), name: "" }));
        assert!(parse_key("").is_ok(), "the name may be empty");
        assert!(parse_key("a1-b.c/x").is_ok());
    }

    #[test]
    fn bad_keys_say_what_is_bad() {
        for (key, problem) in [
            ("a/b/c", KeyProblem::Slashes),
            ("/name", KeyProblem::EmptyLabel),
            ("a..b/name", KeyProblem::EmptyLabel),
            ("1a/name", KeyProblem::LabelStart),
            ("-a/name", KeyProblem::LabelStart),
            ("a-/name", KeyProblem::LabelEnd),
            ("a_b/name", KeyProblem::LabelCharacter),
            ("é/name", KeyProblem::LabelCharacter),
            ("-name", KeyProblem::NameEnd),
            ("name.", KeyProblem::NameEnd),
            ("a b", KeyProblem::NameCharacter),
            ("com.example/naïve", KeyProblem::NameCharacter),
        ] {
            assert_eq!(parse_key(key), Err(problem), "{key}");
        }
    }

    #[test]
    fn the_first_revisions_have_no_grammar() {
        assert_eq!(check_key(Version::V2025_03_26, "a b/c"), Ok(()));
        assert!(check_key(Version::V2025_06_18, "a b/c").is_err());
    }

    #[test]
    fn reserved_prefixes_moved_between_revisions() {
        let reserved = |version, key| is_reserved_prefix(version, key);
        let (june, late) = (Version::V2025_06_18, Version::V2025_11_25);
        for key in
            ["modelcontextprotocol.io/x", "mcp.dev/x", "api.modelcontextprotocol.org/x", "tools.mcp.com/x"]
        {
            assert!(reserved(june, key), "{key}");
        }
        assert!(!reserved(june, "com.example.mcp/x") && !reserved(june, "dev.mcp/x"));
        for version in [late, Version::V2026_07_28] {
            for key in [
                "io.modelcontextprotocol/x",
                "dev.mcp/x",
                "org.modelcontextprotocol.api/x",
                "com.mcp.tools/x",
            ] {
                assert!(reserved(version, key), "{key}");
            }
            assert!(!reserved(version, "com.example.mcp/x") && !reserved(version, "mcp.dev/x"));
        }
        assert!(!reserved(Version::V2025_03_26, "io.modelcontextprotocol/x"));
        assert!(!reserved(late, "progressToken") && !reserved(late, "mcp/x"));
    }

    #[test]
    fn reserved_keys_are_unique_and_well_formed() {
        for (at, one) in RESERVED_KEYS.iter().enumerate() {
            assert!(parse_key(one.key).is_ok(), "{}", one.key);
            assert!(RESERVED_KEYS[at + 1..].iter().all(|two| two.key != one.key), "{} twice", one.key);
        }
    }
}
