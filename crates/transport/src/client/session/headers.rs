//! The headers of a request: the usual ones, those that mirror the body, and those that a test replaces.

use http::{HeaderMap, HeaderName, HeaderValue, header};
use protocol::header::{self as mcp, Mirrored};
use protocol::{Era, Version};
use serde_json::Value;
use wire::Frame;

use super::request::Request;
use crate::client::basic_auth::encode_credentials;
use crate::client::link::http::Origin;
use crate::client::message::value;
use crate::client::{Endpoint, Failure};

const JSON_AND_EVENTS: &str = "application/json, text/event-stream";
const YARDSTICK_AGENT: &str = concat!("yardstick/", env!("CARGO_PKG_VERSION"));

/// The headers of every request to an endpoint.
pub(super) fn base(endpoint: &Endpoint) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    let authority = Origin::from_url(&endpoint.url)?.authority();
    set(&mut headers, header::HOST.as_str(), authority.as_bytes()).map_err(Failure::Unusable)?;
    headers.insert(header::USER_AGENT, HeaderValue::from_static(YARDSTICK_AGENT));
    if let Some(credentials) = encode_credentials(&endpoint.url) {
        set(&mut headers, header::AUTHORIZATION.as_str(), format!("Basic {credentials}").as_bytes())
            .map_err(Failure::Unusable)?;
    }
    let given = endpoint.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes()));
    replace(&mut headers, &given.collect::<Vec<_>>()).map_err(Failure::Unusable)?;
    Ok(headers)
}

/// Adds the headers of every POST.
pub(super) fn post(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::ACCEPT, HeaderValue::from_static(JSON_AND_EVENTS));
}

/// Adds the headers that mirror the body in the modern era. The revision is added even if the body cannot be parsed.
pub(super) fn mirror(headers: &mut HeaderMap, body: &[u8], version: Version) -> Result<(), Failure> {
    let frame = Frame::parse(body).ok();
    let method = frame.as_ref().and_then(Frame::method);
    let params: Option<Value> = frame.as_ref().and_then(|frame| frame.params).and_then(value);
    let said =
        method.as_deref().map(|method| Mirrored::from_request(method, params.as_ref())).unwrap_or_default();
    let version = said.version.unwrap_or(version.as_str());
    let mut mirrored = vec![(mcp::PROTOCOL_VERSION, mcp::encode(version))];
    mirrored.extend(method.is_some().then(|| (mcp::METHOD, mcp::encode(said.method))));
    mirrored.extend(said.name.map(|name| (mcp::NAME, mcp::encode(name))));
    mirrored
        .into_iter()
        .try_for_each(|(name, value)| set(headers, name, value.as_bytes()))
        .map_err(Failure::Ours)
}

/// Adds the revision, in legacy sessions from 2025-06-18 on, once it is negotiated.
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
    /// Replaces and removes headers as the test asks.
    pub(super) fn adjust(&self, headers: &mut HeaderMap) -> Result<(), Failure> {
        replace(headers, &self.headers).map_err(Failure::Ours)?;
        for name in &self.without {
            headers.remove(name.as_str());
        }
        Ok(())
    }

    /// Whether headers mirror the body.
    pub(super) fn is_modern(&self) -> bool {
        self.session.inner.version.era() == Era::Modern
    }
}

/// The first header of a name replaces those that were there. More of the same name are added.
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
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is not a header name; send it raw"))
}

fn parse_value(name: &str, value: &[u8]) -> Result<HeaderValue, String> {
    let bad = |_| format!("the value of header `{name}` has control characters; send it raw");
    HeaderValue::from_bytes(value).map_err(bad)
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
        let expected = "Basic bWU6cEBzK3M=";
        assert_eq!(headers.get("authorization").unwrap(), expected);
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
