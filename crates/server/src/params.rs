//! The params of a request. `_meta` stays unparsed, because every modern request carries it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use wire::Frame;

use crate::rpc::RpcError;

/// The params of a request.
#[derive(Debug, Default)]
pub(crate) struct Params<'a> {
    /// `_meta`, as it came.
    pub(crate) meta: Option<&'a RawValue>,
    /// The other members.
    pub(crate) rest: Map<String, Value>,
}

impl<'a> Params<'a> {
    /// The params of `frame`; empty if there are none.
    pub(crate) fn from_frame(frame: &Frame<'a>) -> Result<Self, RpcError> {
        let Some(raw) = frame.params else { return Ok(Self::default()) };
        if !raw.get().starts_with('{') {
            return Err(RpcError::invalid_params("params must be an object"));
        }
        serde_json::from_str(raw.get())
            .map_err(|error| RpcError::invalid_params(format!("params cannot be read: {error}")))
    }

    /// All of them in one tree, `_meta` included.
    pub(crate) fn whole(self) -> Value {
        let mut members = self.rest;
        if let Some(meta) = self.meta.and_then(|meta| serde_json::from_str(meta.get()).ok()) {
            members.insert("_meta".to_owned(), meta);
        }
        Value::Object(members)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Params<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Params<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut params = Params::default();
                while let Some(name) = map.next_key::<String>()? {
                    if name == "_meta" {
                        params.meta = Some(map.next_value()?);
                    } else {
                        params.rest.insert(name, map.next_value()?);
                    }
                }
                Ok(params)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_is_apart_and_comes_back() {
        let frame = Frame::parse(br#"{"params":{"_meta":{ "a":1 },"name":"echo"}}"#).unwrap();
        let params = Params::from_frame(&frame).unwrap();
        assert_eq!(params.meta.map(RawValue::get), Some(r#"{ "a":1 }"#));
        assert_eq!(params.rest.keys().collect::<Vec<_>>(), ["name"]);
        assert_eq!(params.whole(), serde_json::json!({ "name": "echo", "_meta": { "a": 1 } }));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let frame = Frame::parse(br#"{"params":[1]}"#).unwrap();
        assert_eq!(Params::from_frame(&frame).unwrap_err().code, -32602);
        assert!(Params::from_frame(&Frame::default()).unwrap().rest.is_empty());
    }
}
