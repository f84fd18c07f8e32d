//! The parts that only 2026-07-28 has: per-request `_meta`, headers that repeat the body, and interim results that ask
//! for input.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use http::{HeaderMap, HeaderValue};
use protocol::capability::{self, Capabilities, Capability};
use protocol::header::{self, Mirrored, Mismatch};
use protocol::meta::RequestMeta;
use protocol::{Era, Version, code, method};
use serde_json::{Map, Value, json};

use crate::apps::Hints;
use crate::call::{Ask, Call, Stop};
use crate::client::Client;
use crate::params::Params;
use crate::rpc::RpcError;
use crate::server::{Server, supported};

/// The member of the sealed state that keeps answers from earlier rounds.
const ANSWERS_MEMBER: &str = "answers";

/// Reads what a modern request says about its client, and compares it with the headers that it came with.
///
/// Headers are checked first where both name a version, because intermediaries have acted on them. An unsupported
/// version is reported before anything that only this version requires.
pub(crate) fn read_client(
    method: &str,
    params: Params<'_>,
    headers: Option<&HeaderMap>,
) -> Result<(Client, Option<Value>, Value), RpcError> {
    let Params { meta: raw, rest } = params;
    let params = Value::Object(rest);
    let hints = raw.map(Hints::from_raw_meta).unwrap_or_default();
    let meta = RequestMeta::of_raw_meta(raw);
    let meta = meta.map_err(|e| RpcError::invalid_params(e.to_string()).at(400))?;
    let mismatch =
        headers.and_then(|headers| compare_standard_headers(method, &meta.version, &params, headers).err());
    if let Some(mismatch) = mismatch.as_ref().filter(|mismatch| is_about_version(mismatch)) {
        return Err(mismatch_error(mismatch));
    }
    let version = version(&meta.version)?;
    if let Some(mismatch) = mismatch {
        return Err(mismatch_error(&mismatch));
    }
    let progress = meta.progress_token.as_ref().map(|token| token.as_value().clone());
    let log_level = meta.log_level;
    Ok((
        Client { version, capabilities: meta.into_capabilities().into(), log_level, hints },
        progress,
        params,
    ))
}

fn version(named: &str) -> Result<Version, RpcError> {
    let version = named.parse::<Version>().ok().filter(|v| v.era() == Era::Modern);
    version.ok_or_else(|| {
        let data = json!({ "supported": supported(), "requested": named });
        let message = format!("protocol version {named} is not spoken here");
        RpcError::new(code::UNSUPPORTED_PROTOCOL_VERSION, message).with(data)
    })
}

/// Compares the headers that every request has with its body.
fn compare_standard_headers(
    method: &str,
    version: &str,
    params: &Value,
    headers: &HeaderMap,
) -> Result<(), Mismatch> {
    let headers = fold_repeated(headers);
    let body = match method::find(Era::Modern.newest(), method) {
        Some(known) => Mirrored::of_known(known, version, params),
        None => Mirrored { method, version: Some(version), ..Mirrored::default() },
    };
    header::check_standard(body, |name| lookup(&headers, name))
}

/// Compares the headers that a tool declares with the arguments of its call.
pub(crate) fn check_params(server: &Server, params: &Value, headers: &HeaderMap) -> Result<(), RpcError> {
    let tool = params.get("name").and_then(Value::as_str).and_then(|name| server.catalogue.tool(name));
    let Some(tool) = tool else { return Ok(()) };
    let headers = fold_repeated(headers);
    let checked = header::check_params(&tool.headers, params.get("arguments"), |name| lookup(&headers, name));
    checked.map_err(|mismatch| mismatch_error(&mismatch))
}

/// The headers, each name once. Repeated headers are joined to a list, which then matches no body. Otherwise one reader
/// might use the first value and another the last.
fn fold_repeated(headers: &HeaderMap) -> Cow<'_, HeaderMap> {
    if headers.len() == headers.keys_len() {
        return Cow::Borrowed(headers);
    }
    let mut once = HeaderMap::new();
    for name in headers.keys() {
        let values: Vec<_> = headers.get_all(name).iter().map(HeaderValue::as_bytes).collect();
        // A list of valid values is valid.
        if let Ok(value) = HeaderValue::from_bytes(&values.join(&b", "[..])) {
            once.insert(name, value);
        }
    }
    Cow::Owned(once)
}

fn lookup<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h [u8]> {
    headers.get(name).map(HeaderValue::as_bytes)
}

fn mismatch_error(mismatch: &Mismatch) -> RpcError {
    RpcError::new(code::HEADER_MISMATCH, mismatch.to_string())
}

fn is_about_version(mismatch: &Mismatch) -> bool {
    let (Mismatch::Missing { header, .. }
    | Mismatch::Differs { header, .. }
    | Mismatch::Malformed { header, .. }) = mismatch;
    header == header::PROTOCOL_VERSION
}

/// The error for a client that did not declare what a request needs.
pub(crate) fn missing_capabilities(version: Version, needs: &[Capability]) -> RpcError {
    let names: Vec<_> = needs.iter().map(|c| c.path().join(".")).collect();
    let message = format!("this needs a client that declares {}", names.join(", "));
    match (version.era(), capability::missing(Capabilities::from_value(&Value::Null), needs)) {
        (Era::Modern, Some(missing)) => {
            RpcError::new(code::MISSING_REQUIRED_CLIENT_CAPABILITY, message).with(missing.into_data())
        }
        (Era::Modern | Era::Legacy, _) => RpcError::invalid_request(message).at(200),
    }
}

/// The answers to `asks`, from this request or from the state of earlier ones. If any is missing, all missing ones are
/// asked for at once.
pub(crate) fn answers(call: &Call, asks: &[Ask]) -> Result<Vec<Value>, Stop> {
    let known = answers_so_far(call)?;
    let mut missing = Map::new();
    let mut answers = Vec::new();
    for ask in asks {
        match known.get(ask.key).filter(|answer| ask.is_answered_by(answer)) {
            Some(answer) => answers.push(answer.clone()),
            None => drop(missing.insert(ask.key.to_owned(), ask.as_input())),
        }
    }
    if missing.is_empty() { Ok(answers) } else { Err(Stop::Input(missing)) }
}

/// The interim result that asks for `requests`.
pub(crate) fn input_required(call: &Call, requests: &Map<String, Value>) -> Result<Value, RpcError> {
    let answers = answers_so_far(call)?;
    let state = call.server.sealer.seal(&subject(call), json!({ ANSWERS_MEMBER: answers }));
    let state =
        state.ok_or_else(|| RpcError::new(code::INTERNAL_ERROR, "no randomness to seal state with"))?;
    Ok(json!({ "resultType": "input_required", "inputRequests": requests, "requestState": state }))
}

/// Everything that the client has answered so far.
fn answers_so_far(call: &Call) -> Result<Map<String, Value>, RpcError> {
    let mut known = Map::new();
    match call.params.get("requestState") {
        None => {}
        Some(Value::String(text)) => {
            let state = call.server.sealer.open(&subject(call), text);
            let state = state.map_err(|broken| RpcError::invalid_params(broken.to_string()))?;
            known.extend(state[ANSWERS_MEMBER].as_object().cloned().unwrap_or_default());
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

/// The subject of sealed state: the method and the params that do not change between rounds.
fn subject(call: &Call) -> String {
    let mut hasher = DefaultHasher::new();
    for member in ["name", "uri", "arguments"] {
        call.params.get(member).map(Value::to_string).hash(&mut hasher);
    }
    format!("{} {:x}", call.method.name, hasher.finish())
}
