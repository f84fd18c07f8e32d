//! Who may ask: this machine's browser, from the page itself, with the token.

use http::header::{HOST, HeaderMap, ORIGIN};

use crate::Shared;
use crate::page::Led;

/// The header that carries the token.
pub(super) const TOKEN: &str = "x-yardstick-token";

/// Admits a request by its `Host` and `Origin`: a name that somebody pointed at loopback is refused, and so is a page of
/// somebody else.
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

/// Who led the browser to the page.
pub(super) fn led(headers: &HeaderMap) -> Led {
    match headers.get("sec-fetch-site").map(http::HeaderValue::as_bytes) {
        Some(b"cross-site" | b"same-site") => Led::Stranger,
        Some(b"same-origin") => Led::Page,
        Some(_) | None => Led::Person,
    }
}

/// Whether the token is there: in its header, or in the query where a header cannot be set.
pub(super) fn knows_token(shared: &Shared, headers: &HeaderMap, query: &[(String, String)]) -> bool {
    let given = headers.get(TOKEN).map(http::HeaderValue::as_bytes);
    let asked = query.iter().find(|(name, _)| name == "token").map(|(_, value)| value.as_bytes());
    given.or(asked).is_some_and(|token| same(token, shared.token.as_bytes()))
}

/// Compares in a time that tells nothing.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_of_another_site_runs_nothing() {
        let from = |site: &'static str| {
            led(&HeaderMap::from_iter([("sec-fetch-site".parse().unwrap(), site.parse().unwrap())]))
        };
        assert_eq!((led(&HeaderMap::new()), from("none")), (Led::Person, Led::Person));
        assert_eq!((from("cross-site"), from("same-site")), (Led::Stranger, Led::Stranger));
        assert_eq!(from("same-origin"), Led::Page);
    }
}
