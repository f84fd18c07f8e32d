//! Access control: only the host's own page, in a browser on this machine and with the token, may use the API.

use http::header::{HOST, HeaderMap, ORIGIN};

use crate::Shared;
use crate::page::Referrer;

/// The name of the header with the token.
pub(super) const TOKEN_HEADER: &str = "x-yardstick-token";

/// Checks `Host` and `Origin`. This refuses foreign names that resolve to loopback (DNS rebinding) and requests from
/// foreign pages.
pub(super) fn admit(shared: &Shared, headers: &HeaderMap) -> Result<(), String> {
    let hosts: Vec<_> = headers.get_all(HOST).iter().collect();
    let [host] = hosts[..] else { return Err("one Host header is needed".to_owned()) };
    let origins = shared.page_origins();
    let own = |text: &str| origins.iter().any(|origin| origin.strip_prefix("http://") == Some(text));
    if !host.to_str().is_ok_and(own) {
        return Err(format!("Host {host:?} is not this host; open {}", origins[0]));
    }
    match headers.get(ORIGIN) {
        Some(origin) if !origins.iter().any(|own| origin == own.as_str()) => {
            Err(format!("Origin {origin:?} is not this host's own page"))
        }
        Some(_) | None => Ok(()),
    }
}

/// How the browser came to the page.
pub(super) fn referrer(headers: &HeaderMap) -> Referrer {
    match headers.get("sec-fetch-site").map(http::HeaderValue::as_bytes) {
        Some(b"cross-site" | b"same-site") => Referrer::ForeignPage,
        Some(b"same-origin") => Referrer::Page,
        Some(_) | None => Referrer::Person,
    }
}

/// Whether the request has the token: in its header, or in the query where the browser cannot set a header.
pub(super) fn knows_token(shared: &Shared, headers: &HeaderMap, query: &[(String, String)]) -> bool {
    let given = headers.get(TOKEN_HEADER).map(http::HeaderValue::as_bytes);
    let asked = query.iter().find(|(name, _)| name == "token").map(|(_, value)| value.as_bytes());
    given.or(asked).is_some_and(|token| same(token, shared.token.as_bytes()))
}

/// Compares in constant time.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_of_another_site_runs_nothing() {
        let from = |site: &'static str| {
            referrer(&HeaderMap::from_iter([("sec-fetch-site".parse().unwrap(), site.parse().unwrap())]))
        };
        assert_eq!((referrer(&HeaderMap::new()), from("none")), (Referrer::Person, Referrer::Person));
        assert_eq!((from("cross-site"), from("same-site")), (Referrer::ForeignPage, Referrer::ForeignPage));
        assert_eq!(from("same-origin"), Referrer::Page);
    }
}
