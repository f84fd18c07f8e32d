//! Faults of HTTP: admission, statuses, headers, sessions.

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{HeaderName, Method, StatusCode};
use protocol::{Era, Version};
use serde_json::json;

use super::edit::only;
use super::{Effect, Fault};

const PROTOCOL_VERSION: &str = "mcp-protocol-version";

pub(super) const FAULTS: &[&Fault] = &[
    &ACCEPT_ANY_ORIGIN,
    &ORIGIN_ON_POST_ALONE,
    &FOREIGN_ORIGIN_WRONG_STATUS,
    &ACCEPT_ANY_HOST,
    &NOTIFICATION_200,
    &CONTENT_TYPE_TEXT,
    &GET_NOT_A_STREAM,
    &SESSION_ID_NOT_ASCII,
    &SESSION_OPTIONAL,
    &SESSION_IMMORTAL,
    &VERSION_HEADER_IGNORED,
    &HEADER_MISMATCH_SERVED,
    &HEADER_MISMATCH_WRONG_CODE,
    &UNKNOWN_METHOD_200,
    &RESULT_500,
    &STATELESS_SESSION,
    &BUFFERING_ALLOWED,
    &RESPONSE_200,
    &BAD_JSON_200,
    &GET_IN_MODERN,
    &SESSION_HEADER_REFUSED,
    &JSON_LINES,
    &SILENT,
    &CALLS_HANG,
];

pub const ACCEPT_ANY_ORIGIN: Fault = Fault {
    name: "accept-any-origin",
    about: "a request from a foreign Origin is served",
    effect: Effect::Http(|options| options.guard.check_origin = false),
};

pub const ORIGIN_ON_POST_ALONE: Fault = Fault {
    name: "origin-on-post-alone",
    about: "the Origin of GET and DELETE is not looked at",
    effect: Effect::Http(|options| {
        options.guard.unguarded = vec![Method::GET, Method::DELETE];
    }),
};

pub const FOREIGN_ORIGIN_WRONG_STATUS: Fault = Fault {
    name: "foreign-origin-wrong-status",
    about: "a request from a foreign Origin gets 400",
    effect: Effect::Head(|_, head| {
        if head.status == StatusCode::FORBIDDEN {
            head.status = StatusCode::BAD_REQUEST;
        }
    }),
};

pub const ACCEPT_ANY_HOST: Fault = Fault {
    name: "accept-any-host",
    about: "a request for a foreign Host is served",
    effect: Effect::Http(|options| options.guard.check_host = false),
};

pub const NOTIFICATION_200: Fault = Fault {
    name: "notification-200",
    about: "an accepted notification gets 200 instead of 202",
    effect: Effect::Head(|_, head| {
        if head.status == StatusCode::ACCEPTED {
            head.status = StatusCode::OK;
        }
    }),
};

pub const CONTENT_TYPE_TEXT: Fault = Fault {
    name: "content-type-text",
    about: "JSON responses are called text/plain",
    effect: Effect::Head(|method, head| {
        let json = head.headers.get(CONTENT_TYPE).is_some_and(|value| value == "application/json");
        if method.is_some() && json && head.status == StatusCode::OK {
            head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
        }
    }),
};

pub const GET_NOT_A_STREAM: Fault = Fault {
    name: "get-not-a-stream",
    about: "GET answers 200 with JSON instead of an event stream or 405",
    effect: Effect::Head(|method, head| {
        if method.is_none() && head.status == StatusCode::OK {
            head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
    }),
};

pub const SESSION_ID_NOT_ASCII: Fault = Fault {
    name: "session-id-not-ascii",
    about: "session ids contain a space",
    effect: Effect::Several(&[
        Effect::Head(|_, head| rename(&mut head.headers, |id| Some(format!("session {id}")))),
        Effect::Request(|_, _, headers| {
            rename(headers, |id| id.strip_prefix("session ").map(str::to_owned));
            None
        }),
    ]),
};

pub const SESSION_OPTIONAL: Fault = Fault {
    name: "session-optional",
    about: "sessions have ids, but a request without one is served",
    effect: Effect::Http(|options| options.require_session = false),
};

pub const SESSION_IMMORTAL: Fault = Fault {
    name: "session-immortal",
    about: "a session lives on after it was terminated",
    effect: Effect::Request(|_, verb, headers| {
        let is_legacy = |named: Option<Version>| named.is_some_and(|version| version.era() == Era::Legacy);
        let ends = verb == Method::DELETE && version(headers).is_none_or(is_legacy);
        ends.then_some(StatusCode::NO_CONTENT)
    }),
};

pub const VERSION_HEADER_IGNORED: Fault = Fault {
    name: "version-header-ignored",
    about: "an unknown MCP-Protocol-Version is served",
    effect: Effect::Request(|_, _, headers| {
        if version(headers).is_some_and(|named| named.is_none()) {
            headers.remove(PROTOCOL_VERSION);
        }
        None
    }),
};

pub const HEADER_MISMATCH_SERVED: Fault = Fault {
    name: "header-mismatch-served",
    about: "a modern request whose headers contradict its body is served",
    effect: Effect::Incoming(|incoming| {
        incoming.headers = None;
        None
    }),
};

pub const RESULT_500: Fault = Fault {
    name: "result-500",
    about: "tools/list gives its result with HTTP 500",
    effect: Effect::Head(|method, head| {
        if method == Some("tools/list") && head.status == StatusCode::OK {
            head.status = StatusCode::INTERNAL_SERVER_ERROR;
        }
    }),
};

pub const HEADER_MISMATCH_WRONG_CODE: Fault = Fault {
    name: "header-mismatch-wrong-code",
    about: "headers that contradict the body get -32600",
    effect: Effect::Recode(&[], -32020, -32600),
};

pub const UNKNOWN_METHOD_200: Fault = Fault {
    name: "unknown-method-200",
    about: "the error for an unknown method comes with 200 instead of 404",
    effect: Effect::Head(|method, head| {
        if method.is_some() && head.status == StatusCode::NOT_FOUND {
            head.status = StatusCode::OK;
        }
    }),
};

pub const STATELESS_SESSION: Fault = Fault {
    name: "stateless-session",
    about: "modern responses carry an Mcp-Session-Id",
    effect: Effect::Head(|method, head| {
        if method.is_some() {
            head.headers.insert("mcp-session-id", HeaderValue::from_static("left-over"));
        }
    }),
};

pub const BUFFERING_ALLOWED: Fault = Fault {
    name: "buffering-allowed",
    about: "event streams do not ask proxies not to buffer",
    effect: Effect::Head(|_, head| {
        head.headers.remove(HeaderName::from_static("x-accel-buffering"));
    }),
};

pub const SILENT: Fault = Fault {
    name: "silent",
    about: "requests are accepted and never answered",
    effect: Effect::Message(|_, m| only(m, |m| m.get("method").is_some())),
};

pub const RESPONSE_200: Fault = Fault {
    name: "response-200",
    about: "a response that the client posts gets 200 instead of 202",
    effect: Effect::Head(|method, head| {
        if method.is_none() && head.status == StatusCode::ACCEPTED {
            head.status = StatusCode::OK;
        }
    }),
};

pub const BAD_JSON_200: Fault = Fault {
    name: "bad-json-200",
    about: "the error for what is not JSON comes with 200",
    effect: Effect::Head(|method, head| {
        if method.is_none() && head.status == StatusCode::BAD_REQUEST {
            head.status = StatusCode::OK;
        }
    }),
};

pub const GET_IN_MODERN: Fault = Fault {
    name: "get-in-modern",
    about: "a server of 2026-07-28 alone answers GET and DELETE otherwise than with 405",
    effect: Effect::Several(&[
        MODERN_ALONE,
        Effect::Request(|_, verb, headers| {
            if (verb == Method::GET || verb == Method::DELETE) && version(headers).is_some() {
                headers.remove(PROTOCOL_VERSION);
            }
            None
        }),
    ]),
};

pub const SESSION_HEADER_REFUSED: Fault = Fault {
    name: "session-header-refused",
    about: "a server of 2026-07-28 alone sends a session id back",
    effect: Effect::Several(&[
        MODERN_ALONE,
        Effect::Head(|method, head| {
            if method == Some("tools/list") {
                head.headers.insert("mcp-session-id", HeaderValue::from_static("left-over"));
            }
        }),
    ]),
};

/// Discovery that names the modern revision alone.
const MODERN_ALONE: Effect =
    Effect::Set(&["server/discover"], &["supportedVersions"], || json!([Era::Modern.newest()]));

pub const JSON_LINES: Fault = Fault {
    name: "json-lines",
    about: "the JSON body of a list of templates holds a second message, on a line of its own",
    effect: Effect::Bytes(|outgoing, bytes| match outgoing.method {
        Some("resources/templates/list") => {
            [&bytes[..], b"\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/extra\"}"].concat()
        }
        _ => bytes,
    }),
};

pub const CALLS_HANG: Fault = Fault {
    name: "calls-hang",
    about: "tools/call is never answered, everything else is",
    effect: Effect::Message(|out, m| only(m, |_| out.method != Some("tools/call"))),
};

/// Renames a session.
fn rename(headers: &mut HeaderMap, change: impl FnOnce(&str) -> Option<String>) {
    let id = headers.get("mcp-session-id").and_then(|id| id.to_str().ok()).and_then(change);
    if let Some(Ok(id)) = id.map(HeaderValue::try_from) {
        headers.insert("mcp-session-id", id);
    }
}

/// The revision that the headers name; `Some(None)` if it is unknown.
fn version(headers: &HeaderMap) -> Option<Option<Version>> {
    let named = headers.get(PROTOCOL_VERSION)?;
    Some(named.to_str().ok().and_then(|named| named.parse().ok()))
}
