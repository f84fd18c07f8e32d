//! A message of the bridge, classified by its members.

use serde_json::{Map, Value};

/// A message of the bridge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BridgeMessage<'a> {
    /// A request.
    Request {
        /// The method.
        method: &'a str,
        /// The id that the answer repeats.
        id: &'a Value,
        /// The parameters; null when there are none.
        params: &'a Value,
    },
    /// A notification.
    Notification {
        /// The method.
        method: &'a str,
        /// The parameters; null when there are none.
        params: &'a Value,
    },
    /// A response with a result.
    Result {
        /// The id of the request.
        id: &'a Value,
        /// The result.
        result: &'a Value,
    },
    /// A response with an error.
    Error {
        /// The id of the request; none if it could not be read.
        id: Option<&'a Value>,
        /// The error.
        error: &'a Value,
    },
    /// An invalid JSON-RPC message; the text says why.
    Malformed(&'static str),
    /// Not JSON-RPC: a window also gets the messages of other scripts.
    Foreign,
}

static NULL: Value = Value::Null;

impl<'a> BridgeMessage<'a> {
    /// The message that a value is.
    pub fn from_value(value: &'a Value) -> Self {
        match value {
            Value::Object(members) => Self::of_members(members),
            Value::Array(items) if items.iter().any(|item| item.get("jsonrpc").is_some()) => {
                Self::Malformed("is an array; messages are sent one by one")
            }
            Value::String(text) if text.contains("\"jsonrpc\"") => {
                Self::Malformed("is a string; a message is posted as an object, not as its text")
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Self::Foreign
            }
        }
    }

    /// The method of a request or notification.
    pub const fn method(&self) -> Option<&'a str> {
        match self {
            Self::Request { method, .. } | Self::Notification { method, .. } => Some(method),
            Self::Result { .. } | Self::Error { .. } | Self::Malformed(_) | Self::Foreign => None,
        }
    }

    /// The parameters of a request or notification; null when there are none.
    pub fn params(&self) -> &'a Value {
        match self {
            Self::Request { params, .. } | Self::Notification { params, .. } => params,
            Self::Result { .. } | Self::Error { .. } | Self::Malformed(_) | Self::Foreign => &NULL,
        }
    }

    /// Whether it is a request.
    pub const fn is_request(&self) -> bool {
        matches!(self, Self::Request { .. })
    }

    fn of_members(members: &'a Map<String, Value>) -> Self {
        let ours = ["method", "result", "error"].iter().any(|name| members.contains_key(*name));
        match members.get("jsonrpc") {
            Some(version) if version.as_str() != Some("2.0") => {
                return Self::Malformed("has a `jsonrpc` that is not \"2.0\"");
            }
            None if is_ours(members) || ours && members.contains_key("id") => {
                return Self::Malformed("has no `jsonrpc`, which is \"2.0\"");
            }
            None => return Self::Foreign,
            Some(_) => {}
        }
        match (members.get("method"), members.get("result"), members.get("error")) {
            (Some(method), None, None) => Self::called(method, members),
            (None, Some(result), None) => match members.get("id") {
                Some(id) if is_id(id) => Self::Result { id, result },
                Some(_) => Self::Malformed("has an `id` that is neither a string nor an integer"),
                None => Self::Malformed("is a result without an `id`"),
            },
            (None, None, Some(error)) => match members.get("id") {
                Some(id) if is_id(id) => Self::Error { id: Some(id), error },
                Some(Value::Null) | None => Self::Error { id: None, error },
                Some(_) => Self::Malformed("has an `id` that is neither a string nor an integer"),
            },
            (None, None, None) => Self::Malformed("has neither `method` nor `result` nor `error`"),
            _ => Self::Malformed("has more than one of `method`, `result` and `error`"),
        }
    }

    fn called(method: &'a Value, members: &'a Map<String, Value>) -> Self {
        let Some(method) = method.as_str() else {
            return Self::Malformed("has a `method` that is not a string");
        };
        let params = members.get("params").unwrap_or(&NULL);
        match members.get("id") {
            None => Self::Notification { method, params },
            Some(id) if is_id(id) => Self::Request { method, id, params },
            Some(_) => Self::Malformed("has an `id` that is neither a string nor an integer"),
        }
    }
}

/// Whether something without `jsonrpc` still speaks of MCP Apps.
fn is_ours(members: &Map<String, Value>) -> bool {
    members.get("method").and_then(Value::as_str).is_some_and(|method| method.starts_with("ui/"))
}

/// Zero is an id, and so is the empty string.
fn is_id(value: &Value) -> bool {
    value.is_string() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_tell_messages_apart() {
        let message = json!({"jsonrpc": "2.0", "id": 0, "method": "ping"});
        assert!(matches!(BridgeMessage::from_value(&message), BridgeMessage::Request { method: "ping", .. }));
        let message = json!({"jsonrpc": "2.0", "id": "", "result": null});
        // The empty string is an id, and null is a result.
        assert!(matches!(BridgeMessage::from_value(&message), BridgeMessage::Result { .. }));
        let message = json!({"jsonrpc": "2.0", "method": "ui/notifications/initialized"});
        assert_eq!(BridgeMessage::from_value(&message).method(), Some("ui/notifications/initialized"));
        let message = json!({"jsonrpc": "2.0", "id": null, "error": {}});
        assert!(matches!(BridgeMessage::from_value(&message), BridgeMessage::Error { id: None, .. }));
    }

    #[test]
    fn what_means_to_be_json_rpc_is_malformed_and_the_rest_foreign() {
        for value in [
            json!({"jsonrpc": "1.0", "method": "ping"}),
            json!({"method": "ui/initialize", "id": 1}),
            json!({"id": 1, "result": {}}),
            json!({"jsonrpc": "2.0"}),
            json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}),
            json!({"jsonrpc": "2.0", "result": {}}),
            json!({"jsonrpc": "2.0", "method": 3}),
            json!([{"jsonrpc": "2.0", "method": "ping", "id": 1}]),
            json!("{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}"),
        ] {
            assert!(matches!(BridgeMessage::from_value(&value), BridgeMessage::Malformed(_)), "{value}");
        }
        for value in [json!(1), json!("hello"), json!({"type": "webpackOk"}), json!([]), json!(null)] {
            assert_eq!(BridgeMessage::from_value(&value), BridgeMessage::Foreign, "{value}");
        }
    }
}
