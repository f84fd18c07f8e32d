//! Responses, made in one place.

use bytes::Bytes;
use futures_util::Stream;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{HeaderName, StatusCode};
use tokio::sync::mpsc;

use super::Response;
use super::body::Body;
use crate::serve::Out;

/// A response without content type.
pub(super) fn empty(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

/// 202: a notification or a response was taken in.
pub(super) fn accepted() -> Response {
    empty(StatusCode::ACCEPTED, Body::empty())
}

/// One JSON message.
pub(super) fn json(status: u16, body: Bytes) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = empty(status, Body::Full(Some(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The last message of a stream as JSON, once it is there.
pub(super) fn last(mut outs: mpsc::Receiver<Out>) -> Response {
    let last = async move {
        let mut last = Bytes::new();
        while let Some(out) = outs.recv().await {
            match out {
                Out::Message(message) => last = message,
                Out::Hangup { .. } => {}
            }
        }
        last
    };
    let mut response = empty(StatusCode::OK, Body::events(futures_util::stream::once(last)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A refusal at the level of HTTP: a JSON-RPC error without an id.
pub(super) fn refused(status: u16, why: &str) -> Response {
    let message = serde_json::Value::from(why);
    let body = format!(r#"{{"jsonrpc":"2.0","error":{{"code":-32600,"message":{message}}}}}"#);
    json(status, body.into())
}

/// 405 with the methods that are allowed.
pub(super) fn not_allowed(methods: &'static str) -> Response {
    let mut response = refused(405, &format!("only {methods}"));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}

/// A stream of events.
pub(super) fn events(stream: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let mut response = empty(StatusCode::OK, Body::events(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Reverse proxies hold back a stream until a buffer is full, unless told not to.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
