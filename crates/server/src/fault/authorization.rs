//! Faults of a server that asks for a token.

use http::StatusCode;
use http::header::{HeaderValue, WWW_AUTHENTICATE};
use http::response::Parts;
use serde_json::{Value, json};
use transport::serve::http::{Body, Response, shown_token};

use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] = &[
    &NO_CHALLENGE,
    &NO_METADATA_URL,
    &NO_METADATA,
    &NO_AUTHORIZATION_SERVERS,
    &OTHER_RESOURCE,
    &NO_SCOPE,
    &OFFLINE_ACCESS,
    &FORBIDS_INSTEAD,
    &ANY_TOKEN,
    &ANY_JWT,
    &QUERY_TOKEN,
    &SESSION_SUFFICES,
];

pub const NO_CHALLENGE: Fault = Fault {
    name: "no-challenge",
    about: "401 comes without WWW-Authenticate",
    effect: Effect::Head(|_, head| drop(head.headers.remove(WWW_AUTHENTICATE))),
};

pub const NO_METADATA_URL: Fault = Fault {
    name: "no-metadata-url",
    about: "WWW-Authenticate has no resource_metadata",
    effect: Effect::Head(|_, head| {
        challenge(head, |parts| parts.retain(|part| !part.starts_with("resource_metadata=")));
    }),
};

pub const NO_METADATA: Fault = Fault {
    name: "no-metadata",
    about: "there is no protected resource metadata anywhere",
    effect: Effect::Response(|_, _, response| {
        metadata(response, |head, _| head.status = StatusCode::NOT_FOUND)
    }),
};

pub const NO_AUTHORIZATION_SERVERS: Fault = Fault {
    name: "no-authorization-servers",
    about: "the protected resource metadata names no authorization server",
    effect: Effect::Response(|_, _, response| {
        metadata(response, |_, document| document["authorization_servers"] = json!([]))
    }),
};

pub const OTHER_RESOURCE: Fault = Fault {
    name: "other-resource",
    about: "the protected resource metadata is about another resource",
    effect: Effect::Response(|_, _, response| {
        metadata(response, |_, document| document["resource"] = json!("https://other.example/mcp"))
    }),
};

pub const NO_SCOPE: Fault = Fault {
    name: "no-scope",
    about: "WWW-Authenticate has no scope",
    effect: Effect::Head(|_, head| challenge(head, |parts| parts.retain(|part| !part.starts_with("scope=")))),
};

pub const OFFLINE_ACCESS: Fault = Fault {
    name: "offline-access",
    about: "WWW-Authenticate asks for offline_access",
    effect: Effect::Head(|_, head| {
        challenge(head, |parts| {
            parts.retain(|part| !part.starts_with("scope="));
            parts.push(r#"scope="mcp offline_access""#.to_owned());
        });
    }),
};

pub const FORBIDS_INSTEAD: Fault = Fault {
    name: "forbids-instead",
    about: "a missing token is answered with 403",
    effect: Effect::Head(|_, head| {
        if head.status == StatusCode::UNAUTHORIZED {
            head.status = StatusCode::FORBIDDEN;
        }
    }),
};

pub const ANY_TOKEN: Fault = Fault {
    name: "any-token",
    about: "any token is accepted",
    effect: Effect::Http(|options| options.authenticate = |_, headers, _| shown_token(headers).is_some()),
};

pub const ANY_JWT: Fault = Fault {
    name: "any-jwt",
    about: "every JWT is accepted, whatever its audience",
    effect: Effect::Http(|options| {
        options.authenticate = |bearer, headers, _| {
            let is_jwt = |token: &str| token.split('.').count() == 3;
            shown_token(headers).is_some_and(|token| bearer.matches(token) || is_jwt(token))
        };
    }),
};

pub const QUERY_TOKEN: Fault = Fault {
    name: "query-token",
    about: "a token in the query string is accepted",
    effect: Effect::Http(|options| {
        options.authenticate = |bearer, headers, uri| {
            let mut values = uri.query().unwrap_or_default().split(['&', '=']);
            bearer.is_shown_in(headers) || values.any(|value| bearer.matches(value))
        };
    }),
};

pub const SESSION_SUFFICES: Fault = Fault {
    name: "session-suffices",
    about: "within a session no token is asked for",
    effect: Effect::Http(|options| {
        options.authenticate =
            |bearer, headers, _| bearer.is_shown_in(headers) || headers.contains_key("mcp-session-id");
    }),
};

/// Edits the parts of a challenge, if there is one.
fn challenge(head: &mut Parts, change: impl FnOnce(&mut Vec<String>)) {
    let Some(said) = head.headers.get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok()) else { return };
    let parts = said.strip_prefix("Bearer ").unwrap_or(said);
    let mut parts: Vec<String> = parts.split(", ").map(str::to_owned).collect();
    change(&mut parts);
    if let Ok(value) = HeaderValue::try_from(format!("Bearer {}", parts.join(", "))) {
        head.headers.insert(WWW_AUTHENTICATE, value);
    }
}

/// Edits the protected resource metadata; other responses pass.
fn metadata(response: Response, change: impl FnOnce(&mut Parts, &mut Value)) -> Response {
    let document = response.body().whole().and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
    let Some(mut document) = document.filter(|document| document.get("authorization_servers").is_some())
    else {
        return response;
    };
    let (mut head, _) = response.into_parts();
    change(&mut head, &mut document);
    Response::from_parts(head, Body::full(document.to_string().into()))
}
