//! Errors that the gateway itself answers with. They say which side is to blame, and whether trying again is safe.

use std::fmt;

use bytes::Bytes;
use protocol::code;
use serde_json::json;
use transport::serve::Answer;

use crate::client_message::ClientMessage;

/// The answer to what the client has done wrong, and what therefore goes to no server.
pub(crate) fn refuse(status: u16, id_json: Option<&[u8]>, code: i64, why: &str) -> Answer {
    let error = json!({ "code": code, "message": why, "data": { "blame": "client" } });
    Answer::Message { status, body: error_response(id_json.unwrap_or(b"null"), error) }
}

/// A response that carries an error.
pub(crate) fn error_response(id_json: &[u8], error: impl fmt::Display) -> Bytes {
    let mut body = br#"{"jsonrpc":"2.0","id":"#.to_vec();
    body.extend_from_slice(id_json);
    body.extend_from_slice(format!(r#","error":{error}}}"#).as_bytes());
    body.into()
}

/// What became of a message that got no answer from the server.
#[derive(Debug)]
pub(crate) struct UpstreamFailure {
    pub(crate) why: String,
    /// Whether it is certain that the server did nothing.
    pub(crate) retryable: bool,
}

impl UpstreamFailure {
    /// The server has not received the message.
    pub(crate) fn unsent(why: impl Into<String>) -> Self {
        Self { why: why.into(), retryable: true }
    }

    /// The server may have received the message.
    pub(crate) fn lost(why: impl Into<String>) -> Self {
        Self { why: why.into(), retryable: false }
    }

    /// The error response for the request `id_json`.
    pub(crate) fn response(&self, id_json: &[u8]) -> Bytes {
        let error = json!({
            "code": code::INTERNAL_ERROR,
            "message": format!("the server behind the gateway gave no answer: {}", self.why),
            "data": { "blame": "upstream", "retryable": self.retryable },
        });
        error_response(id_json, error)
    }

    /// The answer to `message`. Who sent a notification is told by the status.
    pub(crate) fn answer(&self, message: &ClientMessage) -> Answer {
        Answer::Message { status: 502, body: self.response(message.id_json.as_deref().unwrap_or(b"null")) }
    }
}
