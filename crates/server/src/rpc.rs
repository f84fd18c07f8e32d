//! Writes JSON-RPC messages.

use std::sync::LazyLock;

use protocol::meta::SERVER_INFO;
use protocol::{Era, Version, code};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use transport::serve::{Exhausted, Scope};

use crate::feature::lifecycle;

/// An error that goes back to the client.
#[derive(Clone, Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
    /// The HTTP status, if the code alone does not decide it.
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

    /// The error for an exhausted budget.
    pub(crate) fn over_budget(why: Exhausted) -> Self {
        let status = match (why.is_too_large, why.scope) {
            (true, _) => 413,
            (false, Scope::Session) => 429,
            (false, Scope::Process) => 503,
        };
        Self::new(code::INTERNAL_ERROR, why.to_string()).at(status)
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
    written(&Message { id: Some(id), result: Some(result), ..Message::default() })
}

/// A response with a result that carries `serverInfo`. If the result has no `_meta`, it is added as text, which is
/// cheaper than building members for every answer.
pub(crate) fn signed_result(id: &RawValue, value: &Value) -> Vec<u8> {
    let mut message = result(id, value);
    let unsigned =
        value.as_object().is_some_and(|members| !members.is_empty() && !members.contains_key("_meta"));
    if unsigned && message.ends_with(b"}}") {
        message.truncate(message.len() - 2);
        message.extend_from_slice(SIGNATURE.as_bytes());
    }
    message
}

/// The response of a tool with one text, as [`result`] and [`signed_result`] would write it.
pub(crate) fn text_result(id: &RawValue, era: Era, text: &str) -> Vec<u8> {
    let mut message = Vec::with_capacity(RESULT_ROOM + text.len());
    message.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    message.extend_from_slice(id.get().as_bytes());
    message.extend_from_slice(br#","result":{"content":[{"type":"text","text":"#);
    // Writing to memory cannot fail.
    let _ = serde_json::to_writer(&mut message, text);
    message.extend_from_slice(b"}]");
    match era {
        Era::Legacy => message.extend_from_slice(b"}}"),
        Era::Modern => {
            message.extend_from_slice(br#","resultType":"complete""#);
            message.extend_from_slice(SIGNATURE.as_bytes());
        }
    }
    message
}

/// The room for a text result besides its text, with a reserve for escapes.
const RESULT_ROOM: usize = 384;

/// The end of a signed response.
static SIGNATURE: LazyLock<String> = LazyLock::new(|| {
    let meta = json!({ SERVER_INFO: lifecycle::signature() });
    format!(r#","_meta":{meta}}}}}"#)
});

/// A response with an error. Without `id`, the message has none: an id that could not be read is left out.
pub(crate) fn error(id: Option<&RawValue>, error: &RpcError) -> Vec<u8> {
    written(&Message { id, error: Some(&error.to_value()), ..Message::default() })
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    written(&Message { method: Some(method), params: Some(params), ..Message::default() })
}

/// A request of ours.
pub(crate) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    let id = RawValue::from_string(id.to_string()).ok();
    let id = id.as_deref();
    written(&Message { id, method: Some(method), params: Some(params), ..Message::default() })
}

/// A message with its members.
#[derive(Default, Serialize)]
struct Message<'a> {
    jsonrpc: Version2,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Value>,
}

/// The version of JSON-RPC.
#[derive(Default, Serialize)]
enum Version2 {
    #[default]
    #[serde(rename = "2.0")]
    Only,
}

fn written(message: &Message<'_>) -> Vec<u8> {
    // Writing fails only for maps whose keys are not strings, and there are none.
    serde_json::to_vec(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_like_any_other_result() {
        let id = RawValue::from_string("7".to_owned()).unwrap();
        let said = "tab\t, \"quote\" and ü";
        let content = json!([{ "type": "text", "text": said }]);
        assert_eq!(text_result(&id, Era::Legacy, said), result(&id, &json!({ "content": content })));
        let complete = json!({ "content": content, "resultType": "complete" });
        assert_eq!(text_result(&id, Era::Modern, said), signed_result(&id, &complete));
    }

    #[test]
    fn messages_have_the_members_that_they_need() {
        let id = RawValue::from_string("8.0".to_owned()).unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        assert_eq!(text(result(&id, &json!({}))), r#"{"jsonrpc":"2.0","id":8.0,"result":{}}"#);
        let refused = RpcError::new(-1, "no").with(json!(7));
        assert_eq!(
            text(error(None, &refused)),
            r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no","data":7}}"#
        );
        assert_eq!(text(notification("n", &json!([]))), r#"{"jsonrpc":"2.0","method":"n","params":[]}"#);
        assert_eq!(text(request(3, "m", &json!({}))), r#"{"jsonrpc":"2.0","id":3,"method":"m","params":{}}"#);
    }
}
