//! The fields that every modern request carries in `_meta`.

use serde::de::{Deserialize, Deserializer, IgnoredAny};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{
    CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, LogLevel, PROGRESS_TOKEN, PROTOCOL_VERSION, UnknownLevel,
};
use crate::capability::Capabilities;

/// What a request of 2026-07-28 says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestMeta {
    /// The version of the request, known to us or not.
    pub version: String,
    /// Who the client says it is.
    pub client_info: Option<ClientInfo>,
    /// The least severe log messages that the client wants; without it, it wants none.
    pub log_level: Option<LogLevel>,
    /// The token for progress notifications, if the client wants them.
    pub progress_token: Option<ProgressToken>,
    capabilities: Value,
}

/// The name and version that a client gives.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct ClientInfo {
    /// The name of the software.
    pub name: String,
    /// The version of the software.
    pub version: String,
}

/// A progress token: a string or an integer.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressToken(Value);

/// What is wrong with the `_meta` of a modern request; the answer is error -32602.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetaError {
    /// The params are missing or not an object.
    #[error("the request has no params object; a client sends `params._meta` with every request")]
    NoParams,
    /// The params have no `_meta`.
    #[error("the request has no `params._meta`; a client sends it with every request")]
    NoMeta,
    /// A required field is missing.
    #[error("`params._meta` lacks the required `{0}`")]
    Missing(&'static str),
    /// A field has the wrong type.
    #[error("`{field}` in `params._meta` is {found}, expected {expected}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// The type it should have.
        expected: &'static str,
        /// The type it has.
        found: &'static str,
    },
    /// `clientInfo` lacks its name or version.
    #[error("`io.modelcontextprotocol/clientInfo` lacks the string `{0}`")]
    ClientInfo(&'static str),
    /// The log level is unknown.
    #[error(transparent)]
    LogLevel(#[from] UnknownLevel),
}

impl RequestMeta {
    /// Reads `_meta` out of the params of a request.
    pub fn from_params(params: Option<&Value>) -> Result<Self, MetaError> {
        let params = params.and_then(Value::as_object).ok_or(MetaError::NoParams)?;
        Self::from_meta(params.get("_meta"))
    }

    /// Reads a `_meta` that has not been parsed. The usual members are read without building a tree.
    pub fn of_raw_meta(meta: Option<&RawValue>) -> Result<Self, MetaError> {
        match meta.and_then(Self::plain) {
            Some(plain) => Ok(plain),
            None => {
                let tree = meta.and_then(|meta| serde_json::from_str::<Value>(meta.get()).ok());
                Self::from_meta(tree.as_ref())
            }
        }
    }

    /// Reads a valid `_meta` that has a version, capabilities and at most the client's name; `None` for any other, which
    /// the general reader handles.
    fn plain(meta: &RawValue) -> Option<Self> {
        #[derive(serde::Deserialize)]
        struct Plain {
            #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
            version: String,
            #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
            capabilities: Map<String, Value>,
            #[serde(rename = "io.modelcontextprotocol/clientInfo", default, deserialize_with = "present")]
            client_info: Option<ClientInfo>,
            #[serde(rename = "io.modelcontextprotocol/logLevel", default, deserialize_with = "present")]
            log_level: Option<IgnoredAny>,
            #[serde(rename = "progressToken", default, deserialize_with = "present")]
            progress_token: Option<IgnoredAny>,
        }
        let plain: Plain = serde_json::from_str(meta.get()).ok()?;
        (plain.log_level.is_none() && plain.progress_token.is_none()).then(|| Self {
            version: plain.version,
            client_info: plain.client_info,
            log_level: None,
            progress_token: None,
            capabilities: Value::Object(plain.capabilities),
        })
    }

    /// What the client declared for this request.
    pub fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::from_value(&self.capabilities)
    }

    /// The declaration itself, owned.
    pub fn into_capabilities(self) -> Value {
        self.capabilities
    }

    fn from_meta(meta: Option<&Value>) -> Result<Self, MetaError> {
        let meta = match meta {
            None | Some(Value::Null) => return Err(MetaError::NoMeta),
            Some(value) => value.as_object().ok_or_else(|| wrong("_meta", "an object", value))?,
        };
        let version = required(meta, PROTOCOL_VERSION)?;
        let version =
            version.as_str().ok_or_else(|| wrong(PROTOCOL_VERSION, "a string", version))?.to_owned();
        let capabilities = required(meta, CLIENT_CAPABILITIES)?;
        if !capabilities.is_object() {
            return Err(wrong(CLIENT_CAPABILITIES, "an object", capabilities));
        }
        Ok(Self {
            version,
            client_info: meta.get(CLIENT_INFO).map(ClientInfo::from_value).transpose()?,
            log_level: meta.get(LOG_LEVEL).map(level).transpose()?,
            progress_token: meta.get(PROGRESS_TOKEN).map(ProgressToken::from_value).transpose()?,
            capabilities: capabilities.clone(),
        })
    }
}

/// Reads a member that is present, even as null.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl ClientInfo {
    fn from_value(value: &Value) -> Result<Self, MetaError> {
        let fields = value.as_object().ok_or_else(|| wrong(CLIENT_INFO, "an object", value))?;
        let text = |key| {
            fields.get(key).and_then(Value::as_str).map(str::to_owned).ok_or(MetaError::ClientInfo(key))
        };
        Ok(Self { name: text("name")?, version: text("version")? })
    }
}

impl ProgressToken {
    /// The token as it came.
    pub const fn as_value(&self) -> &Value {
        &self.0
    }

    /// The token in `value`, if it can be one.
    pub fn from_value(value: &Value) -> Result<Self, MetaError> {
        let whole = |number: f64| number.is_finite() && number.fract() == 0.0;
        match value {
            Value::String(_) => Ok(Self(value.clone())),
            Value::Number(number) if number.as_f64().is_some_and(whole) => Ok(Self(value.clone())),
            _ => Err(wrong(PROGRESS_TOKEN, "a string or an integer", value)),
        }
    }
}

/// The version that a request names in `_meta`, which is what tells a modern request from a legacy one.
pub fn peek_version(params: Option<&Value>) -> Option<&str> {
    params?.get("_meta")?.get(PROTOCOL_VERSION)?.as_str()
}

fn required<'a>(meta: &'a Map<String, Value>, field: &'static str) -> Result<&'a Value, MetaError> {
    meta.get(field).ok_or(MetaError::Missing(field))
}

fn level(value: &Value) -> Result<LogLevel, MetaError> {
    let text = value.as_str().ok_or_else(|| wrong(LOG_LEVEL, "a string", value))?;
    Ok(text.parse()?)
}

fn wrong(field: &'static str, expected: &'static str, value: &Value) -> MetaError {
    MetaError::WrongType { field, expected, found: crate::json::kind(value) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::capability::SAMPLING;

    fn params(change: impl FnOnce(&mut Map<String, Value>)) -> Value {
        let mut params = json!({"_meta": {
            PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {"sampling": {}},
        }});
        change(params["_meta"].as_object_mut().unwrap());
        params
    }

    fn error(change: impl FnOnce(&mut Map<String, Value>)) -> String {
        RequestMeta::from_params(Some(&params(change))).unwrap_err().to_string()
    }

    #[test]
    fn both_readers_agree() {
        let changes: [(&str, Value); 9] = [
            (PROTOCOL_VERSION, json!(7)),
            (PROTOCOL_VERSION, Value::Null),
            (CLIENT_CAPABILITIES, json!([])),
            (CLIENT_CAPABILITIES, json!({"roots": {}})),
            (CLIENT_INFO, json!({"name": "c", "version": "1", "title": "C"})),
            (CLIENT_INFO, json!({"name": "c"})),
            (CLIENT_INFO, Value::Null),
            (LOG_LEVEL, Value::Null),
            (PROGRESS_TOKEN, json!("a")),
        ];
        for (key, value) in changes {
            let params = params(|meta| drop(meta.insert(key.into(), value.clone())));
            let raw = serde_json::value::to_raw_value(&params["_meta"]).unwrap();
            assert_eq!(
                RequestMeta::of_raw_meta(Some(&raw)),
                RequestMeta::from_params(Some(&params)),
                "{key}: {value}"
            );
        }
        assert_eq!(RequestMeta::of_raw_meta(None), Err(MetaError::NoMeta));
    }

    #[test]
    fn a_full_meta_is_read() {
        let params = params(|meta| {
            meta.insert(CLIENT_INFO.into(), json!({"name": "c", "version": "1", "title": "C"}));
            meta.insert(LOG_LEVEL.into(), json!("notice"));
            meta.insert(PROGRESS_TOKEN.into(), json!(7));
        });
        let meta = RequestMeta::from_params(Some(&params)).unwrap();
        assert_eq!(meta.version, "2026-07-28");
        assert_eq!(meta.client_info, Some(ClientInfo { name: "c".into(), version: "1".into() }));
        assert_eq!(meta.log_level, Some(LogLevel::Notice));
        assert_eq!(meta.progress_token.as_ref().map(ProgressToken::as_value), Some(&json!(7)));
        assert!(meta.capabilities().has(SAMPLING));
    }

    #[test]
    fn optional_fields_may_be_absent() {
        let meta = RequestMeta::from_params(Some(&params(|_| ()))).unwrap();
        assert_eq!((meta.client_info, meta.log_level, meta.progress_token), (None, None, None));
    }

    #[test]
    fn required_fields_are_missed_by_name() {
        assert_eq!(RequestMeta::from_params(None), Err(MetaError::NoParams));
        assert_eq!(RequestMeta::from_params(Some(&json!([]))), Err(MetaError::NoParams));
        assert_eq!(RequestMeta::from_params(Some(&json!({}))), Err(MetaError::NoMeta));
        assert_eq!(RequestMeta::from_params(Some(&json!({"_meta": null}))), Err(MetaError::NoMeta));
        assert!(error(|m| drop(m.remove(PROTOCOL_VERSION))).contains("lacks the required"));
        assert!(error(|m| drop(m.remove(CLIENT_CAPABILITIES))).contains(CLIENT_CAPABILITIES));
    }

    #[test]
    fn wrong_types_are_named() {
        let said = |key: &'static str, value: Value| error(move |m| drop(m.insert(key.into(), value)));
        assert!(said(PROTOCOL_VERSION, json!(1)).ends_with("is a number, expected a string"));
        assert!(said(CLIENT_CAPABILITIES, json!([])).ends_with("is an array, expected an object"));
        assert!(said(CLIENT_INFO, json!("c")).contains("is a string, expected an object"));
        assert!(said(CLIENT_INFO, json!({"name": "c"})).ends_with("lacks the string `version`"));
        assert!(said(CLIENT_INFO, json!({"version": "c"})).ends_with("lacks the string `name`"));
        assert!(said(LOG_LEVEL, json!("loud")).contains("`loud` is not a log level"));
        assert!(said(LOG_LEVEL, json!(3)).contains("expected a string"));
        assert!(said(PROGRESS_TOKEN, json!(1.5)).contains("a string or an integer"));
        assert!(said(PROGRESS_TOKEN, json!(null)).contains("is null"));
    }

    #[test]
    fn the_version_can_be_peeked_at() {
        assert_eq!(peek_version(Some(&params(|_| ()))), Some("2026-07-28"));
        assert_eq!(peek_version(Some(&json!({"_meta": {"progressToken": 1}}))), None);
        assert_eq!(peek_version(None), None);
    }
}
