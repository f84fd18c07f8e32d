//! Turns a request into bytes, and into what must come back.

use bytes::Bytes;
use protocol::{Era, meta};
use serde_json::{Map, Value};
use wire::Id;

use super::request::{Request, RequestId};
use crate::client::expected_response::{ExpectedResponse, progress_token};

/// A message, ready to be sent.
#[derive(Clone, Debug)]
pub(super) struct Composed {
    pub(super) bytes: Bytes,
    pub(super) expected: ExpectedResponse,
    pub(super) token: Option<Id>,
    /// Its name in failures.
    pub(super) label: String,
}

/// A body that is longer is not searched for its method.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;

/// The method of a body that was given as bytes.
fn method_in(body: &[u8]) -> Option<String> {
    if body.len() > MAX_SEARCHED_BYTES {
        return None;
    }
    let message: Value = serde_json::from_slice(body).ok()?;
    Some(message.get("method")?.as_str()?.to_owned())
}

impl Request {
    pub(super) fn compose(&self) -> Composed {
        let bytes = match &self.body {
            Some(body) => body.clone(),
            None if self.verb != http::Method::POST => Bytes::new(),
            None => self.message().into(),
        };
        let expected =
            if bytes.is_empty() { ExpectedResponse::Nothing } else { ExpectedResponse::from_sent(&bytes) };
        let expected = if self.exact { expected.exact() } else { expected };
        let label = match (&self.body, &self.verb) {
            (Some(body), _) => {
                method_in(body).unwrap_or_else(|| "a message that is not a valid request".to_owned())
            }
            (None, &http::Method::POST) => self.method.clone(),
            (None, verb) => format!("an HTTP {verb}"),
        };
        Composed { expected, token: progress_token(&bytes), bytes, label }
    }

    /// The message as it will be sent. Unless an id was given, it takes the next number of the session, as sending
    /// does.
    pub fn message(&self) -> String {
        let id = match &self.id {
            RequestId::Fresh => format!(r#""id":{},"#, self.session.inner.next_id()),
            RequestId::Raw(json) => format!(r#""id":{json},"#),
            RequestId::None => String::new(),
        };
        let method = Value::from(self.method.as_str());
        let params = self.full_params().map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
        format!(r#"{{"jsonrpc":"2.0",{id}"method":{method}{params}}}"#)
    }

    /// The parameters with their `_meta`. Parameters that are not an object stay as they are.
    fn full_params(&self) -> Option<Value> {
        let mut params = self.params.clone().unwrap_or_else(|| Value::Object(Map::new()));
        let Some(object) = params.as_object_mut() else { return Some(params) };
        let mut fields = match object.get("_meta") {
            Some(Value::Object(given)) => given.clone(),
            Some(_) => return Some(params),
            None => Map::new(),
        };
        for (key, value) in self.usual_meta() {
            fields.entry(key).or_insert(value);
        }
        for (key, value) in &self.meta {
            match value {
                Some(value) => fields.insert(key.clone(), value.clone()),
                None => fields.shift_remove(key),
            };
        }
        if !fields.is_empty() || object.contains_key("_meta") {
            object.insert("_meta".to_owned(), Value::Object(fields));
        }
        (!object.is_empty() || self.params.is_some()).then_some(params)
    }

    /// What every modern request carries.
    fn usual_meta(&self) -> Vec<(String, Value)> {
        let inner = &self.session.inner;
        match (inner.version.era(), &self.id) {
            (Era::Legacy, _) | (Era::Modern, RequestId::None) => Vec::new(),
            (Era::Modern, RequestId::Fresh | RequestId::Raw(_)) => vec![
                (meta::PROTOCOL_VERSION.to_owned(), inner.version.as_str().into()),
                (meta::CLIENT_INFO.to_owned(), inner.profile.info.clone()),
                (meta::CLIENT_CAPABILITIES.to_owned(), inner.profile.capabilities_in(inner.version)),
            ],
        }
    }
}
