//! Faults of HTTP: who is let in, statuses, headers, sessions.

use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderName, StatusCode};

use transport::serve::http::Slip;

use super::edit::{in_error, only, result_of};
use super::{Effect, Fault};

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

/// Any web page is let in.
pub const ACCEPT_ANY_ORIGIN: Fault = Fault {
    name: "accept-any-origin",
    about: "a request from a foreign Origin is served",
    effect: Effect::Http(|options| options.guard.check_origin = false),
};

/// Only POST is guarded.
pub const ORIGIN_ON_POST_ALONE: Fault = Fault {
    name: "origin-on-post-alone",
    about: "the Origin of GET and DELETE is not looked at",
    effect: Effect::Http(|options| {
        options.guard.unguarded = vec![::http::Method::GET, ::http::Method::DELETE];
    }),
};

/// A foreign Origin gets another status than 403.
pub const FOREIGN_ORIGIN_WRONG_STATUS: Fault = Fault {
    name: "foreign-origin-wrong-status",
    about: "a request from a foreign Origin gets 400",
    effect: Effect::Head(|_, head| {
        if head.status == StatusCode::FORBIDDEN {
            head.status = StatusCode::BAD_REQUEST;
        }
    }),
};

/// Any name in DNS leads here.
pub const ACCEPT_ANY_HOST: Fault = Fault {
    name: "accept-any-host",
    about: "a request for a foreign Host is served",
    effect: Effect::Http(|options| options.guard.check_host = false),
};

/// A notification gets 200.
pub const NOTIFICATION_200: Fault = Fault {
    name: "notification-200",
    about: "an accepted notification gets 200 instead of 202",
    effect: Effect::Head(|_, head| {
        if head.status == StatusCode::ACCEPTED {
            head.status = StatusCode::OK;
        }
    }),
};

/// JSON under another name.
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

/// GET answers with something else.
pub const GET_NOT_A_STREAM: Fault = Fault {
    name: "get-not-a-stream",
    about: "GET answers 200 with JSON instead of an event stream or 405",
    effect: Effect::Head(|method, head| {
        if method.is_none() && head.status == StatusCode::OK {
            head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
    }),
};

/// A session id that is no visible ASCII.
pub const SESSION_ID_NOT_ASCII: Fault = Fault {
    name: "session-id-not-ascii",
    about: "session ids contain a space",
    effect: Effect::Http(|options| options.slips.push(Slip::SpacedSessions)),
};

/// Requests without a session are served.
pub const SESSION_OPTIONAL: Fault = Fault {
    name: "session-optional",
    about: "sessions have ids, but a request without one is served",
    effect: Effect::Http(|options| options.require_session = false),
};

/// A session that cannot be ended.
pub const SESSION_IMMORTAL: Fault = Fault {
    name: "session-immortal",
    about: "a session lives on after it was terminated",
    effect: Effect::Http(|options| options.forget_sessions = false),
};

/// A version that does not exist is let through.
pub const VERSION_HEADER_IGNORED: Fault = Fault {
    name: "version-header-ignored",
    about: "an unknown MCP-Protocol-Version is served",
    effect: Effect::Http(|options| options.check_version = false),
};

/// Headers that contradict the body.
pub const HEADER_MISMATCH_SERVED: Fault = Fault {
    name: "header-mismatch-served",
    about: "a modern request whose headers contradict its body is served",
    effect: Effect::Switch,
};

/// A result that looks like a failure.
pub const RESULT_500: Fault = Fault {
    name: "result-500",
    about: "tools/list gives its result with HTTP 500",
    effect: Effect::Head(|method, head| {
        if method == Some("tools/list") && head.status == StatusCode::OK {
            head.status = StatusCode::INTERNAL_SERVER_ERROR;
        }
    }),
};

/// Headers that contradict the body get another error.
pub const HEADER_MISMATCH_WRONG_CODE: Fault = Fault {
    name: "header-mismatch-wrong-code",
    about: "headers that contradict the body get -32600",
    effect: Effect::Message(|_, m| {
        in_error(m, |m, code| {
            if code == -32020 {
                m["error"]["code"] = (-32600).into();
            }
        })
    }),
};

/// An unknown method gets 200.
pub const UNKNOWN_METHOD_200: Fault = Fault {
    name: "unknown-method-200",
    about: "the error for an unknown method comes with 200 instead of 404",
    effect: Effect::Head(|method, head| {
        if method.is_some() && head.status == StatusCode::NOT_FOUND {
            head.status = StatusCode::OK;
        }
    }),
};

/// A session where there are none.
pub const STATELESS_SESSION: Fault = Fault {
    name: "stateless-session",
    about: "modern responses carry an Mcp-Session-Id",
    effect: Effect::Head(|method, head| {
        if method.is_some() {
            head.headers.insert("mcp-session-id", HeaderValue::from_static("left-over"));
        }
    }),
};

/// Streams that a proxy may hold back.
pub const BUFFERING_ALLOWED: Fault = Fault {
    name: "buffering-allowed",
    about: "event streams do not ask proxies not to buffer",
    effect: Effect::Head(|_, head| {
        head.headers.remove(HeaderName::from_static("x-accel-buffering"));
    }),
};

/// An answer that never comes; kept here because HTTP shows it as an empty body.
pub const SILENT: Fault = Fault {
    name: "silent",
    about: "requests are taken in and never answered",
    effect: Effect::Message(|_, m| only(m, |m| m.get("method").is_some())),
};

/// A response of the client gets 200.
pub const RESPONSE_200: Fault = Fault {
    name: "response-200",
    about: "a response that the client posts gets 200 instead of 202",
    effect: Effect::Head(|method, head| {
        if method.is_none() && head.status == StatusCode::ACCEPTED {
            head.status = StatusCode::OK;
        }
    }),
};

/// Broken JSON gets 200.
pub const BAD_JSON_200: Fault = Fault {
    name: "bad-json-200",
    about: "the error for what is not JSON comes with 200",
    effect: Effect::Head(|method, head| {
        if method.is_none() && head.status == StatusCode::BAD_REQUEST {
            head.status = StatusCode::OK;
        }
    }),
};

/// Streams of an era that is over.
pub const GET_IN_MODERN: Fault = Fault {
    name: "get-in-modern",
    about: "a server of 2026-07-28 alone answers GET and DELETE otherwise than with 405",
    effect: Effect::Several(&[MODERN_ALONE, Effect::Http(|options| options.slips.push(Slip::ModernGet))]),
};

/// A header of an era that is over.
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
const MODERN_ALONE: Effect = Effect::Message(|out, m| {
    result_of(out, "server/discover", m, |r| r["supportedVersions"] = serde_json::json!(["2026-07-28"]))
});

/// Several messages in one JSON body.
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

/// Calls that never come back.
pub const CALLS_HANG: Fault = Fault {
    name: "calls-hang",
    about: "tools/call is never answered, everything else is",
    effect: Effect::Message(|out, m| only(m, |_| out.method != Some("tools/call"))),
};
