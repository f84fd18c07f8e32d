//! Who may ask, by token: the server as an OAuth resource server with one static token.

use std::fmt;

use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST, HeaderValue, WWW_AUTHENTICATE};
use ring::hmac;
use serde_json::json;

use super::{MCP_PATH, Options, Request, Response, Slip, reply};

/// Where the metadata of a resource is found (RFC 9728), before the path of the resource.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// The scope that a token has to have.
const SCOPE: &str = "mcp";

/// What is signed with a token to compare it with another.
const PROOF: &[u8] = b"the token of this server";

/// The one token that is let in.
#[derive(Clone)]
pub struct Bearer {
    token: String,
    /// What only this token signs.
    signed: hmac::Tag,
}

impl Bearer {
    /// Lets in whoever shows `token`.
    pub fn new(token: impl Into<String>) -> Self {
        let token = token.into();
        let signed = hmac::sign(&key(&token), PROOF);
        Self { token, signed }
    }

    /// The metadata, or the refusal; `None` lets the request in.
    pub(super) fn answer(&self, request: &Request, options: &Options) -> Option<Response> {
        let path = request.uri().path();
        if path.starts_with(WELL_KNOWN) && request.method() == http::Method::GET {
            return Some(metadata(request, options));
        }
        let said = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = said
            .and_then(|said| said.split_once(' '))
            .and_then(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer").then_some(token.trim()));
        let in_query = options.slips(Slip::QueryToken)
            && request.uri().query().is_some_and(|query| query.contains(&self.token));
        let in_session =
            options.slips(Slip::SessionSuffices) && request.headers().contains_key("mcp-session-id");
        let good = token.is_some_and(|token| self.takes(token, options));
        (!good && !in_query && !in_session).then(|| challenge(request, said.is_some(), options))
    }

    fn takes(&self, token: &str, options: &Options) -> bool {
        // Compared by what they sign, which takes as long whatever they have in common.
        hmac::verify(&key(token), PROOF, self.signed.as_ref()).is_ok()
            || options.slips(Slip::AnyToken)
            || (options.slips(Slip::AnyJwt) && token.split('.').count() == 3)
    }
}

fn key(token: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, token.as_bytes())
}

/// Not derived: it is a secret.
impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer")
    }
}

fn metadata(request: &Request, options: &Options) -> Response {
    let path = request.uri().path().strip_prefix(WELL_KNOWN).unwrap_or_default();
    if options.slips(Slip::NoMetadata) || !(path.is_empty() || path == MCP_PATH) {
        return reply::refused(404, "no such resource");
    }
    let origin = origin(request);
    let resource = match options.slips(Slip::OtherResource) {
        true => "https://other.example/mcp".to_owned(),
        false => format!("{origin}{MCP_PATH}"),
    };
    let servers = if options.slips(Slip::NoAuthorizationServers) { json!([]) } else { json!([origin]) };
    let document = json!({
        "resource": resource,
        "authorization_servers": servers,
        "scopes_supported": [SCOPE],
        "bearer_methods_supported": ["header"],
    });
    reply::json(200, Bytes::from(document.to_string()))
}

/// The refusal, which says what to bring and where to get it.
fn challenge(request: &Request, tried: bool, options: &Options) -> Response {
    let status = if options.slips(Slip::ForbidsInstead) { 403 } else { 401 };
    let mut response = reply::refused(status, "a token is needed: send Authorization: Bearer TOKEN");
    let mut parts = Vec::new();
    if tried {
        parts.push(r#"error="invalid_token""#.to_owned());
    }
    if !options.slips(Slip::NoMetadataUrl) {
        parts.push(format!(r#"resource_metadata="{}{WELL_KNOWN}{MCP_PATH}""#, origin(request)));
    }
    if options.slips(Slip::OfflineAccess) {
        parts.push(format!(r#"scope="{SCOPE} offline_access""#));
    } else if !options.slips(Slip::NoScope) {
        parts.push(format!(r#"scope="{SCOPE}""#));
    }
    if !options.slips(Slip::NoChallenge)
        && let Ok(value) = HeaderValue::try_from(format!("Bearer {}", parts.join(", ")))
    {
        response.headers_mut().insert(WWW_AUTHENTICATE, value);
    }
    response
}

/// Where the client believes to be.
fn origin(request: &Request) -> String {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("http://{host}")
}
