//! Handshake and discovery.

use protocol::capability::extension;
use protocol::meta::{MetaError, ProgressToken, SERVER_INFO};
use protocol::{Era, Version};
use serde_json::{Value, json};

use crate::apps::{self, Hints};
use crate::call::{Call, Reply, Stop};
use crate::catalogue::{ICON, media};
use crate::client::Client;
use crate::cost;
use crate::feature::dialect;
use crate::peer::Peer;
use crate::rpc::RpcError;
use crate::server::{exists_in, supported};

const NAME: &str = "yardstick";
const INSTRUCTIONS: &str =
    "Yardstick's reference server. Every tool is harmless; `echo` is the place to start.";

/// Finds the client of a legacy request: that of the handshake of its session.
pub(crate) fn find_client(
    peer: &Peer,
    method: &str,
    params: &Value,
) -> Result<(Client, Option<Value>), RpcError> {
    let progress = params.get("_meta").and_then(|meta| meta.get("progressToken"));
    let progress = progress.map(read_token).transpose()?;
    if method == "initialize" {
        let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let version = Version::negotiate(asked);
        let capabilities = params.get("capabilities").cloned().unwrap_or_default().into();
        let hints = Hints::from_params(params);
        return Ok((Client { version, capabilities, log_level: None, hints }, progress));
    }
    match peer.client() {
        Some(client) => {
            let hints = Hints::from_params(params).or(client.hints);
            Ok((Client { hints, ..client }, progress))
        }
        // It is allowed before the handshake, and the same in every revision that has it.
        None if method == "ping" => Ok((undeclared_client(Era::Legacy.newest()), progress)),
        None if exists_in(Era::Modern, method) && !exists_in(Era::Legacy, method) => {
            Err(RpcError::invalid_params(MetaError::NoMeta.to_string()).at(400))
        }
        None => Err(RpcError::invalid_request(format!("{method} before initialize"))),
    }
}

/// `initialize`
pub(crate) fn initialize(call: &Call) -> Result<Reply, Stop> {
    let params = &call.params;
    for (member, inner) in [("capabilities", &[][..]), ("clientInfo", &["name", "version"])] {
        let object = params.get(member).filter(|v| v.is_object());
        let object = object
            .ok_or_else(|| RpcError::invalid_params(format!("initialize: `{member}` must be an object")))?;
        if let Some(name) = inner.iter().find(|name| !object[**name].is_string()) {
            let why = format!("initialize: `{member}.{name}` must be a string");
            return Err(RpcError::invalid_params(why).into());
        }
    }
    call.text("protocolVersion")?;
    let stored = call.peer.store_handshake(call.client.clone(), cost::estimate_value(params));
    if !stored.map_err(RpcError::over_budget)? {
        return Err(RpcError::invalid_request("initialize was sent before").into());
    }
    Ok(Reply::Done(json!({
        "protocolVersion": call.version(),
        "capabilities": capabilities(call),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })))
}

/// `server/discover`
pub(crate) fn discover(call: &Call) -> Value {
    json!({
        "supportedVersions": supported(),
        "capabilities": capabilities(call),
        "instructions": INSTRUCTIONS,
        "_meta": { SERVER_INFO: server_info() },
        "ttlMs": 3_600_000,
        // It depends on what the client declares.
        "cacheScope": "private",
    })
}

/// The short `serverInfo` that goes with every modern result.
pub(crate) fn signature() -> Value {
    json!({ "name": NAME, "version": env!("CARGO_PKG_VERSION") })
}

/// The full `serverInfo`.
pub(crate) fn server_info() -> Value {
    json!({
        "name": NAME,
        "title": "Yardstick reference server",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Every feature of every protocol revision, for tests",
        "icons": media::icons(ICON),
    })
}

fn capabilities(call: &Call) -> Value {
    let mut capabilities = json!({
        "tools": { "listChanged": true },
        "resources": { "subscribe": true, "listChanged": true },
        "prompts": { "listChanged": true },
        "completions": {},
        "logging": {},
    });
    // Tasks were part of the protocol in one revision, and are an extension since then.
    match call.version().era() {
        Era::Legacy => {
            capabilities["tasks"] =
                json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
        }
        Era::Modern => capabilities["extensions"] = json!({ extension::TASKS: {} }),
    }
    if call.server.speaks_dialect() && call.version().era() == Era::Legacy {
        dialect::declare(&mut capabilities);
    }
    apps::declare(call, &mut capabilities);
    capabilities
}

/// A client that has declared nothing.
pub(crate) fn undeclared_client(version: Version) -> Client {
    Client { version, capabilities: json!({}).into(), log_level: None, hints: Hints::default() }
}

fn read_token(value: &Value) -> Result<Value, RpcError> {
    ProgressToken::from_value(value)
        .map(|token| token.as_value().clone())
        .map_err(|error| RpcError::invalid_params(error.to_string()))
}
