//! What only 2026-07-28 has: per-request `_meta`, headers that repeat the body, and input asked for by an interim result.

use std::hash::{DefaultHasher, Hash, Hasher};

use http::HeaderMap;
use protocol::capability::{self, Capabilities, Capability};
use protocol::header::{self, Mirrored};
use protocol::meta::{CLIENT_CAPABILITIES, RequestMeta};
use protocol::method::Method;
use protocol::{Era, Version, code};
use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::context::{Ask, Call, Stop};
use crate::fault::http::HEADER_MISMATCH_SERVED;
use crate::fault::lifecycle as fault;
use crate::rpc::RpcError;
use crate::server::{Server, supported};

/// Where answers from earlier rounds are kept in the sealed state.
const ANSWERS: &str = "answers";

/// Reads what a modern request says about its client.
pub(crate) fn read(server: &Server, named: &str, params: &Value) -> Result<(Client, Option<Value>), RpcError> {
    if server.is_broken(&fault::META_OPTIONAL) && params["_meta"].get(CLIENT_CAPABILITIES).is_none() {
        return Ok((Client { version: Version::LATEST, capabilities: json!({}), log_level: None }, None));
    }
    let meta = RequestMeta::of(Some(params)).map_err(|e| RpcError::invalid_params(e.to_string()).at(400))?;
    let version = meta.version.parse::<Version>().ok().filter(|v| v.era() == Era::Modern);
    let version = version.or_else(|| server.is_broken(&fault::ANY_VERSION_SERVED).then_some(Version::LATEST));
    let Some(version) = version else {
        let data = json!({ "supported": supported(), "requested": named });
        let message = format!("protocol version {named} is not spoken here");
        return Err(RpcError::new(code::UNSUPPORTED_PROTOCOL_VERSION, message).with(data));
    };
    let progress = meta.progress_token.as_ref().map(|token| token.as_value().clone());
    let log_level = meta.log_level;
    Ok((Client { version, capabilities: meta.into_capabilities(), log_level }, progress))
}

/// Compares the headers of an HTTP request with its body.
pub(crate) fn check_headers(
    server: &Server,
    method: &Method,
    params: &Value,
    headers: &HeaderMap,
) -> Result<(), RpcError> {
    if server.is_broken(&HEADER_MISMATCH_SERVED) {
        return Ok(());
    }
    let lookup = |name: &str| headers.get(name).map(http::HeaderValue::as_bytes);
    let mismatch = |error: header::Mismatch| RpcError::new(code::HEADER_MISMATCH, error.to_string());
    header::check_standard(Mirrored::of(method.name, Some(params)), lookup).map_err(mismatch)?;
    let tool = params.get("name").and_then(Value::as_str).filter(|_| method.name == "tools/call");
    match tool.and_then(|name| server.catalogue.tool(name)) {
        Some(tool) => header::check_params(&tool.headers, params.get("arguments"), lookup).map_err(mismatch),
        None => Ok(()),
    }
}

/// The error for a client that did not declare what a request needs.
pub(crate) fn missing_capabilities(version: Version, needs: &[Capability]) -> RpcError {
    let names: Vec<_> = needs.iter().map(|c| c.path().join(".")).collect();
    let message = format!("this needs a client that declares {}", names.join(", "));
    match (version.era(), capability::missing(Capabilities::of(&Value::Null), needs)) {
        (Era::Modern, Some(missing)) => {
            RpcError::new(code::MISSING_REQUIRED_CLIENT_CAPABILITY, message).with(missing.into_data())
        }
        (Era::Modern | Era::Legacy, _) => RpcError::invalid_request(message).at(200),
    }
}

/// The answers to `asks`, from this request or from the state of earlier ones; if one is missing, all the missing
/// ones are asked for at once.
pub(crate) fn answers(call: &Call, asks: &[Ask]) -> Result<Vec<Value>, Stop> {
    let known = known(call)?;
    let mut missing = Map::new();
    let mut answers = Vec::new();
    for ask in asks {
        match known.get(ask.key).filter(|answer| fits(ask, answer)) {
            Some(answer) => answers.push(answer.clone()),
            None => {
                let mut request = json!({ "method": ask.method });
                if !ask.params.is_null() {
                    request["params"] = ask.params.clone();
                }
                missing.insert(ask.key.to_owned(), request);
            }
        }
    }
    if missing.is_empty() { Ok(answers) } else { Err(Stop::Input(missing)) }
}

/// The interim result that asks for `requests`.
pub(crate) fn input_required(call: &Call, requests: Map<String, Value>) -> Result<Value, RpcError> {
    let answers = known(call)?;
    let state = call.server.sealer.seal(&subject(call), json!({ ANSWERS: answers }));
    let state = state.ok_or_else(|| RpcError::new(code::INTERNAL_ERROR, "no randomness to seal state with"))?;
    Ok(json!({ "resultType": "input_required", "inputRequests": requests, "requestState": state }))
}

/// Everything that the client has answered so far.
fn known(call: &Call) -> Result<Map<String, Value>, RpcError> {
    let mut known = Map::new();
    match call.params.get("requestState") {
        None => {}
        Some(Value::String(text)) => {
            let state = call.server.sealer.open(&subject(call), text);
            let state = state.map_err(|broken| RpcError::invalid_params(broken.to_string()))?;
            known.extend(state[ANSWERS].as_object().cloned().unwrap_or_default());
        }
        Some(_) => return Err(RpcError::invalid_params("requestState must be a string")),
    }
    match call.params.get("inputResponses") {
        None => {}
        Some(Value::Object(answers)) => known.extend(answers.clone()),
        Some(_) => return Err(RpcError::invalid_params("inputResponses must be an object")),
    }
    Ok(known)
}

/// Whether an answer can be one: what cannot is asked for again.
fn fits(ask: &Ask, answer: &Value) -> bool {
    match ask.method {
        "elicitation/create" => matches!(answer["action"].as_str(), Some("accept" | "decline" | "cancel")),
        "sampling/createMessage" => answer["role"].is_string() && !answer["content"].is_null(),
        _ => answer["roots"].is_array(),
    }
}

/// What sealed state is bound to: the method and those params that are the same in every round.
fn subject(call: &Call) -> String {
    let mut hasher = DefaultHasher::new();
    for member in ["name", "uri", "arguments"] {
        call.params.get(member).map(Value::to_string).hash(&mut hasher);
    }
    format!("{} {:x}", call.method.name, hasher.finish())
}
