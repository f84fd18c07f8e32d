//! Which headers of a client go on to a server: all, but those that concern one connection, name the client's own partner, or are
//! credentials for the gateway.

use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, COOKIE, FORWARDED, HOST, HeaderMap, HeaderName, ORIGIN,
    PROXY_AUTHORIZATION, REFERER,
};
use transport::strip_hop_by_hop;

/// Headers that stay behind, besides those of one connection.
const WITHHELD: [HeaderName; 11] = [
    ACCEPT_ENCODING,
    AUTHORIZATION,
    CONTENT_LENGTH,
    COOKIE,
    FORWARDED,
    HOST,
    LAST_EVENT_ID,
    ORIGIN,
    PROXY_AUTHORIZATION,
    REFERER,
    SESSION_ID,
];
const WITHHELD_PREFIXES: [&str; 2] = ["x-forwarded-", "sec-"];

/// Names the session with the gateway, which is not the one with the server.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// Names an event of the gateway, not of the server.
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The headers of a request that go on to a server.
pub(crate) fn to_server(headers: &HeaderMap) -> HeaderMap {
    let is_withheld = |name: &HeaderName| {
        WITHHELD.contains(name) || WITHHELD_PREFIXES.iter().any(|prefix| name.as_str().starts_with(prefix))
    };
    let mut passed = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| !is_withheld(name)) {
        passed.append(name, value.clone());
    }
    strip_hop_by_hop(&mut passed);
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_hops_stay_behind_and_the_rest_passes() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Bearer secret"),
            ("cookie", "a=b"),
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("mcp-session-id", "ours"),
            ("mcp-protocol-version", "2025-11-25"),
            ("mcp-param-region", "eu"),
            ("x-unknown", "kept"),
            ("traceparent", "00-1-2-01"),
        ] {
            headers.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        let passed = to_server(&headers);
        let names: Vec<_> = passed.keys().map(HeaderName::as_str).collect();
        assert_eq!(names.len(), 4, "{names:?}");
        for kept in ["mcp-protocol-version", "mcp-param-region", "x-unknown", "traceparent"] {
            assert!(passed.contains_key(kept), "{kept}");
        }
    }
}
