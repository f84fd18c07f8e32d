//! Admits requests by token: the server is an OAuth resource server with one static token.

use std::fmt;

use bytes::Bytes;
use http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use http::{Method, Uri};
use ring::hmac;
use serde_json::json;

use super::{MCP_PATH, Options, Request, Response, reply};

/// The prefix of the path of a resource's metadata (RFC 9728).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// The scope that a token has to have.
const SCOPE: &str = "mcp";

/// The text that is signed with two tokens to compare them.
const SIGNED_TEXT: &[u8] = b"the token of this server";

/// The one token that is accepted.
#[derive(Clone)]
pub struct Bearer {
    /// The signature that only this token makes.
    signed: hmac::Tag,
}

/// Decides by headers and target whether a request is admitted.
pub type Authenticate = fn(&Bearer, &HeaderMap, &Uri) -> bool;

impl Bearer {
    /// Admits requests that carry `token`.
    pub fn new(token: impl Into<String>) -> Self {
        Self { signed: hmac::sign(&key(&token.into()), SIGNED_TEXT) }
    }

    /// Whether `token` is the accepted one. Signatures are compared, so the time does not depend on how much two tokens
    /// have in common.
    pub fn matches(&self, token: &str) -> bool {
        hmac::verify(&key(token), SIGNED_TEXT, self.signed.as_ref()).is_ok()
    }

    /// Whether the headers carry the token.
    pub fn is_shown_in(&self, headers: &HeaderMap) -> bool {
        shown_token(headers).is_some_and(|token| self.matches(token))
    }

    /// The metadata, or the refusal; `None` admits the request.
    pub(super) fn answer(&self, request: &Request, options: &Options) -> Option<Response> {
        let path = request.uri().path();
        if path.starts_with(WELL_KNOWN) && request.method() == Method::GET {
            return Some(metadata(request));
        }
        let is_admitted = (options.authenticate)(self, request.headers(), request.uri());
        (!is_admitted).then(|| challenge(request))
    }
}

/// The token in the headers, be it the right one or not.
pub fn shown_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
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

fn metadata(request: &Request) -> Response {
    let path = request.uri().path().strip_prefix(WELL_KNOWN).unwrap_or_default();
    if !(path.is_empty() || path == MCP_PATH) {
        return reply::refused(404, "no such resource");
    }
    let origin = origin(request);
    let document = json!({
        "resource": format!("{origin}{MCP_PATH}"),
        "authorization_servers": [origin],
        "scopes_supported": [SCOPE],
        "bearer_methods_supported": ["header"],
    });
    reply::json(200, Bytes::from(document.to_string()))
}

/// The refusal. It says which token is needed and where to get one.
fn challenge(request: &Request) -> Response {
    let mut response = reply::refused(401, "a token is needed: send Authorization: Bearer TOKEN");
    let error = if request.headers().contains_key(AUTHORIZATION) { r#"error="invalid_token", "# } else { "" };
    let metadata = format!("{}{WELL_KNOWN}{MCP_PATH}", origin(request));
    let challenge = format!(r#"Bearer {error}resource_metadata="{metadata}", scope="{SCOPE}""#);
    if let Ok(value) = HeaderValue::try_from(challenge) {
        response.headers_mut().insert(WWW_AUTHENTICATE, value);
    }
    response
}

/// The origin of the server, as the client addressed it.
fn origin(request: &Request) -> String {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("http://{host}")
}
