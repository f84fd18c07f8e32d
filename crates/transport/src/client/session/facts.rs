//! What a server said about itself.

use protocol::{Version, meta};
use serde_json::Value;

/// What a server said about itself, in its handshake or its discovery.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Server {
    /// The version that the server named in the handshake.
    pub version: Option<String>,
    /// The revisions that a modern server says it supports.
    pub supported: Vec<String>,
    /// Its `Implementation` object.
    pub info: Option<Value>,
    /// Its capabilities.
    pub capabilities: Value,
    /// Its instructions.
    pub instructions: Option<String>,
    /// The session id that it assigned over HTTP.
    pub session_id: Option<String>,
    /// The whole result of the handshake or discovery.
    pub result: Option<Value>,
}

impl Server {
    /// The revision that the handshake ended in, if it is a known one.
    pub fn negotiated(&self) -> Option<Version> {
        self.version.as_deref()?.parse().ok()
    }

    /// Name and version in one line, as far as they are known.
    pub fn name(&self) -> Option<String> {
        let info = self.info.as_ref()?;
        let name = info.get("name")?.as_str()?;
        match info.get("version").and_then(Value::as_str) {
            Some(version) => Some(format!("{name} {version}")),
            None => Some(name.to_owned()),
        }
    }

    /// Stores the result of `initialize`.
    pub(crate) fn store_initialize_result(&mut self, result: Value) {
        self.version = result.get("protocolVersion").and_then(Value::as_str).map(str::to_owned);
        self.info = result.get("serverInfo").cloned();
        self.store_description(result);
    }

    /// Stores the result of `server/discover`.
    pub(crate) fn store_discovery(&mut self, result: Value) {
        self.supported = versions(result.get("supportedVersions"));
        self.info = result.get("_meta").and_then(|meta| meta.get(meta::SERVER_INFO)).cloned();
        self.store_description(result);
    }

    fn store_description(&mut self, result: Value) {
        self.capabilities = result.get("capabilities").cloned().unwrap_or_default();
        self.instructions = result.get("instructions").and_then(Value::as_str).map(str::to_owned);
        self.result = Some(result);
    }
}

/// The strings of a list of versions.
pub(crate) fn versions(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
