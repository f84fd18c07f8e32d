//! Results and errors, as JSON-RPC spells them.

use protocol::{Version, code};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// An error that goes back to the client.
#[derive(Clone, Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
    /// The HTTP status, where the code alone does not decide it.
    pub(crate) status: Option<u16>,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None, status: None }
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(code::METHOD_NOT_FOUND, format!("no method `{method}` here"))
    }

    pub(crate) fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Fixes the HTTP status.
    pub(crate) const fn at(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    pub(crate) fn http_status(&self, version: Version) -> u16 {
        self.status.unwrap_or_else(|| code::http_status(version, self.code).code())
    }

    /// The `error` member.
    pub(crate) fn to_value(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }
}

/// A response with a result.
pub(crate) fn result(id: &RawValue, result: &Value) -> Vec<u8> {
    message(&[("id", id.get()), ("result", &result.to_string())])
}

/// A response with an error. Without an id there is none in the message: an id that could not be read is left out.
pub(crate) fn error(id: Option<&RawValue>, error: &RpcError) -> Vec<u8> {
    let error = error.to_value().to_string();
    match id {
        Some(id) => message(&[("id", id.get()), ("error", &error)]),
        None => message(&[("error", &error)]),
    }
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    message(&[("method", &Value::from(method).to_string()), ("params", &params.to_string())])
}

/// A request of ours.
pub(crate) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    message(&[
        ("id", &id.to_string()),
        ("method", &Value::from(method).to_string()),
        ("params", &params.to_string()),
    ])
}

fn message(members: &[(&str, &str)]) -> Vec<u8> {
    let length: usize = members.iter().map(|(name, json)| name.len() + json.len() + 4).sum();
    let mut out = Vec::with_capacity(length + 20);
    out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
    for (name, json) in members {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":");
        out.extend_from_slice(json.as_bytes());
    }
    out.push(b'}');
    out
}
