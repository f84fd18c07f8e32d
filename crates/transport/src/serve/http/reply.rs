//! Responses, made in one place.

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use http::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{HeaderName, StatusCode};
use tokio::sync::mpsc;

use super::Response;
use super::body::Body;
use super::session::StreamPermit;
use crate::serve::{Budget, Exhausted, Out, Reservation, Scope};

/// Answers of at most this length are not charged.
const MAX_UNCHARGED: usize = 64 * 1024;
/// After how many seconds a client that was refused for lack of room should try again.
const RETRY_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// A response without content type.
pub(super) fn empty(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

/// 202: a notification or a response was accepted.
pub(super) fn accepted() -> Response {
    empty(StatusCode::ACCEPTED, Body::empty())
}

/// One JSON message.
pub(super) fn json(status: u16, body: Bytes) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = empty(status, Body::full(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        headers.insert(RETRY_AFTER, RETRY_SECONDS);
    }
    response
}

/// One JSON message, charged until the client has read it. Short messages are bounded by the number of connections.
pub(super) fn charged_json(status: u16, body: Bytes, work: &Budget) -> Response {
    if body.len() <= MAX_UNCHARGED {
        return json(status, body);
    }
    work.hold(body).map_or_else(|why| *over_budget(&why), |body| json(status, body))
}

/// The last message of a stream as JSON, once it has come. `held` is what the handler has reserved.
pub(super) fn last_message(mut outs: mpsc::Receiver<Out>, held: Reservation) -> Response {
    let last = async move {
        let _held = held;
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

/// A refusal for lack of room: 413 when it would never fit, 429 when the session has used its share, otherwise 503.
pub(super) fn over_budget(why: &Exhausted) -> Box<Response> {
    let status = match (why.is_too_large, why.scope) {
        (true, _) => 413,
        (false, Scope::Session) => 429,
        (false, Scope::Process) => 503,
    };
    Box::new(refused(status, &why.to_string()))
}

/// The same response, after which the connection is closed.
pub(super) fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// 405 with the methods that are allowed.
pub(super) fn not_allowed(methods: &'static str) -> Response {
    let mut response = refused(405, &format!("only {methods}"));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}

/// A stream of events, which holds its permit until it ends.
pub(super) fn events(stream: impl Stream<Item = Bytes> + Send + 'static, permit: StreamPermit) -> Response {
    let stream = stream.inspect(move |_| {
        let _open = &permit;
    });
    let mut response = empty(StatusCode::OK, Body::events(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Reverse proxies buffer a stream unless they are told not to.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}
