//! The headers of a request: the usual ones, what mirrors the body, and what a test wants instead.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use protocol::header::{self as mcp, Mirrored};
use protocol::{Era, Version};
use serde_json::Value;
use url::Url;
use wire::Frame;

use super::request::Request;
use crate::client::link::http::Origin;
use crate::client::message::value;
use crate::client::{Endpoint, Failure};

const BOTH: &str = "application/json, text/event-stream";
const AGENT: &str = concat!("yardstick/", env!("CARGO_PKG_VERSION"));

/// What goes with every request to an endpoint.
pub(super) fn base(endpoint: &Endpoint) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    let authority = Origin::of(&endpoint.url)?.authority();
    set(&mut headers, header::HOST.as_str(), authority.as_bytes()).map_err(Failure::Unusable)?;
    headers.insert(header::USER_AGENT, HeaderValue::from_static(AGENT));
    if let Some(credentials) = credentials(&endpoint.url) {
        set(&mut headers, header::AUTHORIZATION.as_str(), credentials.as_bytes())
            .map_err(Failure::Unusable)?;
    }
    let given = endpoint.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes()));
    replace(&mut headers, &given.collect::<Vec<_>>()).map_err(Failure::Unusable)?;
    Ok(headers)
}

/// What a POST adds, whatever its body.
pub(super) fn post(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT, HeaderValue::from_static(BOTH));
}

/// What the modern era mirrors from the body; the revision itself even where the body cannot be read.
pub(super) fn mirror(headers: &mut HeaderMap, body: &[u8], version: Version) -> Result<(), Failure> {
    let frame = Frame::parse(body).ok();
    let method = frame.as_ref().and_then(Frame::method);
    let params: Option<Value> = frame.as_ref().and_then(|frame| frame.params).and_then(value);
    let said = method.as_deref().map(|method| Mirrored::of(method, params.as_ref())).unwrap_or_default();
    let version = said.version.unwrap_or(version.as_str());
    let mut mirrored = vec![(mcp::PROTOCOL_VERSION, mcp::encode(version))];
    mirrored.extend(method.is_some().then(|| (mcp::METHOD, mcp::encode(said.method))));
    mirrored.extend(said.name.map(|name| (mcp::NAME, mcp::encode(name))));
    mirrored
        .into_iter()
        .try_for_each(|(name, value)| set(headers, name, value.as_bytes()))
        .map_err(Failure::Ours)
}

/// What a legacy session adds from 2025-06-18 on, once it knows: the revision.
pub(super) fn session(headers: &mut HeaderMap, negotiated: Option<&str>) -> Result<(), Failure> {
    let older = |text: &str| text.parse::<Version>().is_ok_and(|version| version < Version::V2025_06_18);
    match negotiated {
        Some(version) if !older(version) => {
            set(headers, mcp::PROTOCOL_VERSION, version.as_bytes()).map_err(Failure::Ours)
        }
        _ => Ok(()),
    }
}

impl Request {
    /// Applies what the test wants instead.
    pub(super) fn adjust(&self, headers: &mut HeaderMap) -> Result<(), Failure> {
        replace(headers, &self.headers).map_err(Failure::Ours)?;
        for name in &self.without {
            headers.remove(name.as_str());
        }
        Ok(())
    }

    /// Whether the body mirrors into headers.
    pub(super) fn is_modern(&self) -> bool {
        self.session.inner.version.era() == Era::Modern
    }
}

/// The first of a name takes the place of what was there; more of the same name are added.
fn replace(headers: &mut HeaderMap, given: &[(String, Vec<u8>)]) -> Result<(), String> {
    let mut seen: Vec<HeaderName> = Vec::new();
    for (name, bytes) in given {
        let (name, value) = (parse_name(name)?, parse_value(name, bytes)?);
        if seen.contains(&name) {
            headers.append(name, value);
        } else {
            headers.insert(name.clone(), value);
            seen.push(name);
        }
    }
    Ok(())
}

fn set(headers: &mut HeaderMap, name: &str, value: &[u8]) -> Result<(), String> {
    headers.insert(parse_name(name)?, parse_value(name, value)?);
    Ok(())
}

fn parse_name(name: &str) -> Result<HeaderName, String> {
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is no header name; send it raw"))
}

fn parse_value(name: &str, value: &[u8]) -> Result<HeaderValue, String> {
    let bad = |_| format!("the value of header `{name}` has control characters; send it raw");
    HeaderValue::from_bytes(value).map_err(bad)
}

/// User and password of a URL, as HTTP wants them.
fn credentials(url: &Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let plain = |text: &str| percent_decoded(text);
    let pair = format!("{}:{}", plain(url.username()), plain(url.password().unwrap_or_default()));
    Some(format!("Basic {}", STANDARD.encode(pair)))
}

fn percent_decoded(text: &str) -> String {
    // A query string knows the same escapes; a plus sign means itself here.
    let escaped = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(escaped.as_bytes()).map(|(name, _)| name.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str) -> Endpoint {
        Endpoint::new(url).unwrap()
    }

    #[test]
    fn given_headers_replace_and_repeat() {
        let endpoint = endpoint("http://h/").header("User-Agent", "x").header("A", "1").header("a", "2");
        let headers = base(&endpoint).unwrap();
        assert_eq!(headers.get("user-agent").unwrap(), "x");
        assert_eq!(headers.get_all("a").iter().collect::<Vec<_>>(), ["1", "2"]);
    }

    #[test]
    fn a_user_in_the_url_becomes_a_header() {
        let headers = base(&endpoint("http://me:p%40s+s@h/")).unwrap();
        let expected = format!("Basic {}", STANDARD.encode("me:p@s+s"));
        assert_eq!(headers.get("authorization").unwrap(), expected.as_str());
    }

    #[test]
    fn the_modern_era_mirrors_the_body() {
        let body = br#"{"id":1,"method":"tools/call","params":{"name":"caf\u00e9","_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}"#;
        let mut headers = HeaderMap::new();
        mirror(&mut headers, body, Version::V2026_07_28).unwrap();
        assert_eq!(headers.get("mcp-protocol-version").unwrap(), "1900-01-01");
        assert_eq!(headers.get("mcp-method").unwrap(), "tools/call");
        assert_eq!(headers.get("mcp-name").unwrap(), "=?base64?Y2Fmw6k=?=");
    }

    #[test]
    fn old_sessions_name_no_version() {
        let sent = |version| {
            let mut headers = HeaderMap::new();
            session(&mut headers, Some(version)).unwrap();
            headers.contains_key("mcp-protocol-version")
        };
        assert!(!sent("2025-03-26") && sent("2025-06-18") && sent("2099-01-01"));
    }
}
