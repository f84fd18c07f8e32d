//! Handshake and discovery.

use protocol::capability::extension;
use protocol::meta::{MetaError, ProgressToken, SERVER_INFO};
use protocol::{Era, Version};
use serde_json::{Value, json};

use crate::apps::{self, Hints};
use crate::catalogue::{ICON, media};
use crate::client::Client;
use crate::context::{Call, Reply, Stop};
use crate::cost;
use crate::fault::lifecycle as fault;
use crate::fault::negotiation::OLDEST_OFFERED;
use crate::feature::dialect;
use crate::peer::Peer;
use crate::rpc::RpcError;
use crate::server::{is_of_other_era, supported};

const NAME: &str = "yardstick";
const INSTRUCTIONS: &str =
    "Yardstick's reference server. Every tool is harmless; `echo` is the place to start.";

/// What a legacy request is answered by: the handshake of its session.
pub(crate) fn read(peer: &Peer, method: &str, params: &Value) -> Result<(Client, Option<Value>), RpcError> {
    let progress = params.get("_meta").and_then(|meta| meta.get("progressToken"));
    let progress = progress.map(token).transpose()?;
    if method == "initialize" {
        let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let version = Version::negotiate(asked);
        let capabilities = params.get("capabilities").cloned().unwrap_or_default().into();
        let hints = Hints::of(params);
        return Ok((Client { version, capabilities, log_level: None, hints }, progress));
    }
    match peer.client() {
        Some(client) => {
            let hints = Hints::of(params).or(client.hints);
            Ok((Client { hints, ..client }, progress))
        }
        // Allowed before the handshake, and the same in every revision that has it.
        None if method == "ping" => Ok((stranger(Version::LATEST_LEGACY), progress)),
        None if is_of_other_era(Version::LATEST_LEGACY, method)
            && !is_of_other_era(Version::LATEST, method) =>
        {
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
    let asked = call.text("protocolVersion")?;
    let known = asked == Version::PRE_RELEASE || asked.parse::<Version>().is_ok();
    if !known && call.server.is_broken(&fault::UNKNOWN_VERSION_REFUSED) {
        return Err(RpcError::invalid_params(format!("version {asked} is not supported")).into());
    }
    let shaken = call.peer.shake_hands(call.client.clone(), cost::of_value(params));
    if !shaken.map_err(RpcError::over_budget)? {
        return Err(RpcError::invalid_request("initialize was sent before").into());
    }
    let version = match known {
        false if call.server.is_broken(&fault::UNKNOWN_VERSION_ECHOED) => asked,
        false if call.server.is_broken(&OLDEST_OFFERED) => Version::V2024_11_05.as_str(),
        true | false => call.version().as_str(),
    };
    Ok(Reply::Done(json!({
        "protocolVersion": version,
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

/// Who we are, in the few words that go with every modern result.
pub(crate) fn signature() -> Value {
    json!({ "name": NAME, "version": env!("CARGO_PKG_VERSION") })
}

/// Who we are.
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
    // Tasks were part of the protocol for one revision, and are an extension since.
    match call.version().era() {
        Era::Legacy => {
            capabilities["tasks"] =
                json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
        }
        Era::Modern => capabilities["extensions"] = json!({ extension::TASKS: {} }),
    }
    if call.server.faults.speak_dialect() && call.version().era() == Era::Legacy {
        dialect::declare(&mut capabilities);
    }
    apps::declare(call, &mut capabilities);
    capabilities
}

/// A client of which nothing is known.
pub(crate) fn stranger(version: Version) -> Client {
    Client { version, capabilities: json!({}).into(), log_level: None, hints: Hints::default() }
}

fn token(value: &Value) -> Result<Value, RpcError> {
    ProgressToken::of(value)
        .map(|token| token.as_value().clone())
        .map_err(|error| RpcError::invalid_params(error.to_string()))
}
