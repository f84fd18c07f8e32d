//! Rewrites headers on their way through, and writes heads for the record.

use std::fmt::Write as _;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, HOST, HeaderMap, HeaderValue, ORIGIN, PROXY_AUTHORIZATION};
use http::{Uri, request, response};
use url::Url;

use super::Shared;
use crate::client::link::http::path_of;
use crate::strip_hop_by_hop;

/// Turns the head of a request to the tap into one to the server.
pub(super) fn redirect(shared: &Shared, parts: &mut request::Parts) {
    strip_hop_by_hop(&mut parts.headers);
    parts.headers.remove(ACCEPT_ENCODING);
    let authority = shared.connector.origin.authority();
    if let Ok(host) = HeaderValue::from_str(&authority) {
        parts.headers.insert(HOST, host);
    }
    let own = [format!("http://{}", shared.address), format!("http://localhost:{}", shared.address.port())];
    let from_here = parts.headers.get(ORIGIN).is_some_and(|origin| own.iter().any(|own| origin == own));
    let theirs = shared.endpoint.url.origin().ascii_serialization();
    if let (true, Ok(origin)) = (from_here, HeaderValue::from_str(&theirs)) {
        parts.headers.insert(ORIGIN, origin);
    }
    if let Some(credentials) = shared.connector.proxy_authorization() {
        parts.headers.insert(PROXY_AUTHORIZATION, credentials);
    }
    let target = shared.connector.request_target(&target(&shared.endpoint.url, &parts.uri));
    if let Ok(uri) = target.parse() {
        parts.uri = uri;
    }
}

/// Where a request goes: to its own path, with the parameters of the endpoint if it has none.
fn target(endpoint: &Url, uri: &Uri) -> String {
    match uri.path_and_query() {
        Some(asked) if asked.query().is_none() && asked.path() == endpoint.path() => path_of(endpoint),
        Some(asked) => asked.as_str().to_owned(),
        None => path_of(endpoint),
    }
}

/// The head of a request as it came.
pub(super) fn request_head(parts: &request::Parts) -> Bytes {
    let path = parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    head(&format!("{} {path} {:?}", parts.method, parts.version), &parts.headers)
}

/// The head of a response as it came.
pub(super) fn response_head(parts: &response::Parts) -> Bytes {
    let reason = parts.extensions.get::<hyper::ext::ReasonPhrase>();
    let reason = reason.map(|reason| String::from_utf8_lossy(reason.as_bytes()).into_owned());
    let reason = reason.or_else(|| parts.status.canonical_reason().map(str::to_owned)).unwrap_or_default();
    head(&format!("{:?} {} {reason}", parts.version, parts.status.as_u16()), &parts.headers)
}

fn head(start: &str, headers: &HeaderMap) -> Bytes {
    let mut text = format!("{start}\r\n");
    for (name, value) in headers {
        // Writing to a string cannot fail.
        let _ = write!(text, "{name}: {}\r\n", String::from_utf8_lossy(value.as_bytes()));
    }
    text.push_str("\r\n");
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_the_endpoint_are_added_where_there_are_none() {
        let endpoint: Url = "https://a.example/mcp?key=1".parse().unwrap();
        let to = |uri: &'static str| target(&endpoint, &Uri::from_static(uri));
        assert_eq!(to("/mcp"), "/mcp?key=1");
        assert_eq!(to("/mcp?x=2"), "/mcp?x=2");
        assert_eq!(to("/.well-known/oauth-protected-resource"), "/.well-known/oauth-protected-resource");
    }
}
