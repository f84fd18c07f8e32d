//! Builders for HTTP responses. Every response gets its security headers here.

use std::convert::Infallible;
use std::future::{Future, ready};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Frame;
use serde_json::{Value, json};

use super::Response;

/// The page's own content security policy: nothing from outside, and frames only from the sandbox.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src data:; connect-src 'self'; \
                           font-src 'self'; frame-src http://*.localhost:*; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// A response with a body of the given media type.
pub(super) fn content(status: u16, kind: &'static str, body: impl Into<Bytes>) -> Response {
    let body = Full::new(body.into()).boxed_unsync();
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    set(headers, CONTENT_TYPE, kind);
    set(headers, CACHE_CONTROL, "no-store");
    set(headers, HeaderName::from_static("x-content-type-options"), "nosniff");
    set(headers, HeaderName::from_static("referrer-policy"), "no-referrer");
    response
}

/// The page: the browser gets `first` at once, and `rest` when it is ready.
pub(super) fn page(first: String, rest: impl Future<Output = String> + Send + 'static) -> Response {
    let parts = stream::once(ready(first)).chain(stream::once(rest));
    let mut response = streamed("text/html; charset=utf-8", parts.map(Bytes::from));
    let headers = response.headers_mut();
    set(headers, http::header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    set(headers, HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    response
}

/// A JSON response.
pub(super) fn json(status: u16, value: &Value) -> Response {
    content(status, "application/json", value.to_string())
}

/// An error response with a reason that a person can read.
pub(super) fn refused(status: u16, why: &str) -> Response {
    json(status, &json!({ "error": { "message": why } }))
}

/// An error response with a reason and a fix.
pub(super) fn unfit(status: u16, why: &str, repair: &str) -> Response {
    json(status, &json!({ "error": { "message": why, "repair": repair } }))
}

/// A stream of server-sent events.
pub(super) fn events(stream: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    streamed("text/event-stream", stream)
}

fn streamed(kind: &'static str, stream: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let frames = stream.map(|bytes| Ok::<_, Infallible>(Frame::data(bytes)));
    let mut response = content(200, kind, Bytes::new());
    *response.body_mut() = StreamBody::new(frames).boxed_unsync();
    response
}

pub(super) fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // All values come from this host. A value that cannot be a header is left out.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
