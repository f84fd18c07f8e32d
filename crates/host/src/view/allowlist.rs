//! The `Connection-Allowlist` header: the hosts that a View may connect to.
//!
//! A content security policy governs requests. It does not govern WebRTC, DNS lookups, preconnects, or the target of a
//! navigation. This header governs all of them in browsers that support it, and permits nothing that the policy
//! forbids.

/// Directives whose values are not hosts to connect to.
const NOT_CONNECTED: [&str; 3] = ["frame-ancestors", "report-uri", "sandbox"];

/// The header value for a document with this policy: its own origin and every network source of the policy.
///
/// Redirects are left to the policy, which checks every hop; the header could only forbid all redirects.
pub(super) fn of_policy(policy: &str) -> String {
    let mut allowed = vec!["response-origin".to_owned()];
    for directive in policy.split(';') {
        let mut words = directive.split_whitespace();
        if words.next().is_some_and(|name| NOT_CONNECTED.contains(&name)) {
            continue;
        }
        for pattern in words.flat_map(patterns) {
            let pattern = format!("\"{pattern}\"");
            if !allowed.contains(&pattern) {
                allowed.push(pattern);
            }
        }
    }
    format!("({});redirects=allow;webrtc=block", allowed.join(" "))
}

/// The URL patterns that match the same hosts as a source of the policy; paths are dropped.
fn patterns(source: &str) -> Vec<String> {
    let (scheme, rest) = match source.split_once("://") {
        Some((scheme, rest)) => (scheme, rest),
        None if source.starts_with('\'') => return Vec::new(),
        None => match source.strip_suffix(':') {
            Some(scheme) => (scheme, "*:*"),
            None if source == "*" => ("http", "*:*"),
            None => ("http", source),
        },
    };
    let authority = rest.split('/').next().unwrap_or_default();
    if !authority.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:*".contains(c)) {
        return Vec::new();
    }
    // A source with an insecure scheme also matches the secure one. The browser compares a WebSocket by the HTTP
    // scheme of its handshake.
    let schemes: &[&str] = match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => &["http", "https"],
        "https" | "wss" => &["https"],
        _ => &[],
    };
    schemes.iter().map(|scheme| format!("{scheme}://{authority}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_without_sources_leaves_the_origin_of_the_document() {
        let policy = "default-src 'none'; img-src 'self' data: blob:; base-uri 'self'; frame-ancestors http://a.example; report-uri /report";
        assert_eq!(of_policy(policy), "(response-origin);redirects=allow;webrtc=block");
    }

    #[test]
    fn every_network_source_is_named_once() {
        let policy = "connect-src https://api.example wss://live.example; img-src https://*.cdn.example/path https://api.example";
        let expected =
            "(response-origin \"https://api.example\" \"https://live.example\" \"https://*.cdn.example\")";
        assert_eq!(of_policy(policy), format!("{expected};redirects=allow;webrtc=block"));
    }

    #[test]
    fn a_source_is_matched_as_the_policy_matches_it() {
        for (source, expected) in [
            ("http://a.example:3000", &["http://a.example:3000", "https://a.example:3000"][..]),
            ("a.example", &["http://a.example", "https://a.example"]),
            ("HTTPS://A.example:*", &["https://A.example:*"]),
            ("https:", &["https://*:*"]),
            ("*", &["http://*:*", "https://*:*"]),
            ("data:", &[]),
            ("'unsafe-inline'", &[]),
            ("https://a\"b", &[]),
            ("https://(a)", &[]),
        ] {
            assert_eq!(patterns(source), expected, "{source}");
        }
    }
}
