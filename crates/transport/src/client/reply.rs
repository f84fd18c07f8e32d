//! What came back on one exchange, all of it.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use protocol::code;
use serde_json::Value;
use wire::Frame;

use super::Message;
use super::message::value;

/// The head of an HTTP response.
#[derive(Clone, Debug)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// The reason phrase; often empty.
    pub reason: String,
    /// The protocol version of the response.
    pub version: http::Version,
    /// The headers, with all their values, in order.
    pub headers: HeaderMap,
    /// Exactly the bytes of the head.
    pub raw: Bytes,
}

/// What came back on one exchange.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The head of the HTTP response; `None` where there is no HTTP.
    pub head: Option<Head>,
    /// The body as it came; empty for a stream of events, and where there is no HTTP.
    pub body: Bytes,
    /// Every message of the exchange, in order, the response included. On a shared channel this includes all messages
    /// that may belong to this request.
    pub messages: Vec<Message>,
    /// The message that settled the request.
    pub response: Option<Message>,
    /// How the answer was cut short, if it was.
    pub cut: Option<String>,
    /// Whether the answer has ended. A stream may stay open after the response.
    pub ended: bool,
    /// The id of the last event of its stream that had one.
    pub last_event_id: Option<String>,
    /// The last `retry` of its stream.
    pub retry: Option<Duration>,
    /// How long it took until the response came, or until the end if none came.
    pub elapsed: Duration,
    /// Which HTTP exchange it was; 0 where there is only one channel.
    pub exchange: u32,
}

/// A JSON-RPC error; members that are missing or of the wrong type are `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// The code.
    pub code: Option<i64>,
    /// The message.
    pub message: Option<String>,
    /// The data.
    pub data: Option<Value>,
}

impl Head {
    /// The first value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The media type, lowercase, without its parameters.
    pub fn media_type(&self) -> Option<String> {
        let value = self.header("content-type")?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }
}

impl Reply {
    /// The HTTP status.
    pub fn status(&self) -> Option<u16> {
        self.head.as_ref().map(|head| head.status)
    }

    /// The first value of a response header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.as_ref()?.header(name)
    }

    /// The media type of the response, lowercase, without its parameters.
    pub fn media_type(&self) -> Option<String> {
        self.head.as_ref()?.media_type()
    }

    /// The response's frame.
    pub fn frame(&self) -> Option<Frame<'_>> {
        self.response.as_ref()?.frames().into_iter().find(Frame::is_response)
    }

    /// Every response frame; a batch has many.
    pub fn responses(&self) -> Vec<Frame<'_>> {
        self.messages.iter().flat_map(Message::frames).filter(Frame::is_response).collect()
    }

    /// The response's bytes; nothing when there was none.
    pub fn raw(&self) -> &[u8] {
        self.response.as_ref().map_or(&[], |message| &message.bytes)
    }

    /// The result, if the response has one and is not an error.
    pub fn result(&self) -> Option<Value> {
        self.frame().filter(|frame| frame.error.is_none())?.result.and_then(value)
    }

    /// Whether the response has an error, even a malformed one.
    pub fn is_error(&self) -> bool {
        self.frame().is_some_and(|frame| frame.error.is_some())
    }

    /// The error, if the response has one.
    pub fn error(&self) -> Option<RpcError> {
        RpcError::from_frame(&self.frame()?)
    }

    /// The error's code, if the response has one that is an integer.
    pub fn code(&self) -> Option<i64> {
        self.error()?.code
    }

    /// Whether the server does not know the session: 404, unless the error is about the request itself.
    pub fn is_session_unknown(&self) -> bool {
        const ABOUT_REQUEST: [i64; 3] =
            [code::METHOD_NOT_FOUND, code::INVALID_PARAMS, code::RESOURCE_NOT_FOUND];
        self.status() == Some(404) && self.code().is_none_or(|code| !ABOUT_REQUEST.contains(&code))
    }

    /// The `resultType` of the result.
    pub fn result_type(&self) -> Option<String> {
        Some(self.result()?.get("resultType")?.as_str()?.to_owned())
    }

    /// The notifications of `method` on this exchange.
    pub fn notifications<'r>(&'r self, method: &'r str) -> impl Iterator<Item = &'r Message> {
        self.messages.iter().filter(move |message| message.is_notification(method))
    }
}

impl RpcError {
    /// The error of a frame, if it has one.
    pub fn from_frame(frame: &Frame<'_>) -> Option<Self> {
        let error = value(frame.error?).unwrap_or(Value::Null);
        Some(Self {
            code: error.get("code").and_then(wire::integer_of),
            message: error.get("message").and_then(Value::as_str).map(str::to_owned),
            data: error.get("data").cloned(),
        })
    }
}
