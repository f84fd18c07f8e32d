//! What only 2026-07-28 has: per-request `_meta`, headers that repeat the body, and input asked for by an interim result.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use http::{HeaderMap, HeaderValue};
use protocol::capability::{self, Capabilities, Capability};
use protocol::header::{self, Mirrored, Mismatch, ParamHeader};
use protocol::meta::{CLIENT_CAPABILITIES, MetaError, RequestMeta};
use protocol::{Era, Version, code, method};
use serde_json::{Map, Value, json};

use crate::apps::Hints;
use crate::client::Client;
use crate::context::{Ask, Call, Stop};
use crate::fault::asks::META_LEVEL_UNCHECKED;
use crate::fault::headers as spoilt;
use crate::fault::http::HEADER_MISMATCH_SERVED;
use crate::fault::lifecycle as fault;
use crate::fault::mrtr;
use crate::params::Params;
use crate::rpc::RpcError;
use crate::server::{Server, supported};

/// Where answers from earlier rounds are kept in the sealed state.
const ANSWERS: &str = "answers";

/// Reads what a modern request says about its client, and compares it with the headers that it came with.
///
/// What the headers say comes first where both name a version, for those in between have acted on it; a version that
/// is not spoken here comes before everything that only this version asks for.
pub(crate) fn read(
    server: &Server,
    method: &str,
    params: Params<'_>,
    headers: Option<&HeaderMap>,
) -> Result<(Client, Option<Value>, Value), RpcError> {
    let Params { meta: raw, rest } = params;
    let params = Value::Object(rest);
    let hints = raw.map(Hints::of_raw).unwrap_or_default();
    let lacks = |member: &str| raw.is_none_or(|raw| !raw.get().contains(member));
    if server.is_broken(&fault::META_OPTIONAL) && lacks(CLIENT_CAPABILITIES) {
        let capabilities = json!({}).into();
        return Ok((Client { version: Version::LATEST, capabilities, log_level: None, hints }, None, params));
    }
    let meta = RequestMeta::of_raw_meta(raw);
    if server.is_broken(&META_LEVEL_UNCHECKED) && matches!(meta, Err(MetaError::LogLevel(_))) {
        let capabilities = json!({}).into();
        return Ok((Client { version: Version::LATEST, capabilities, log_level: None, hints }, None, params));
    }
    let meta = meta.map_err(|e| RpcError::invalid_params(e.to_string()).at(400))?;
    let mismatch =
        headers.and_then(|headers| standard(server, method, &meta.version, &params, headers).err());
    if let Some(mismatch) = mismatch.as_ref().filter(|mismatch| is_about_version(mismatch)) {
        return Err(mismatched(mismatch));
    }
    let version = version(server, &meta.version)?;
    if let Some(mismatch) = mismatch {
        return Err(mismatched(&mismatch));
    }
    let progress = meta.progress_token.as_ref().map(|token| token.as_value().clone());
    let log_level = meta.log_level;
    Ok((
        Client { version, capabilities: meta.into_capabilities().into(), log_level, hints },
        progress,
        params,
    ))
}

fn version(server: &Server, named: &str) -> Result<Version, RpcError> {
    let version = named.parse::<Version>().ok().filter(|v| v.era() == Era::Modern);
    let version = version.or_else(|| server.is_broken(&fault::ANY_VERSION_SERVED).then_some(Version::LATEST));
    version.ok_or_else(|| {
        let data = json!({ "supported": supported(), "requested": named });
        let message = format!("protocol version {named} is not spoken here");
        RpcError::new(code::UNSUPPORTED_PROTOCOL_VERSION, message).with(data)
    })
}

/// Compares the headers that every request has with its body.
fn standard(
    server: &Server,
    method: &str,
    version: &str,
    params: &Value,
    headers: &HeaderMap,
) -> Result<(), Mismatch> {
    if server.is_broken(&HEADER_MISMATCH_SERVED) {
        return Ok(());
    }
    let headers = folded(headers);
    let body = match method::find(Version::LATEST, method) {
        Some(known) => Mirrored::of_known(known, version, params),
        None => Mirrored { method, version: Some(version), ..Mirrored::default() },
    };
    let encoded = |said: &[u8]| said.starts_with(b"=?base64?");
    if server.is_broken(&spoilt::NAME_NOT_DECODED) && lookup(&headers, header::NAME).is_some_and(encoded) {
        let header = header::NAME.to_owned();
        return Err(Mismatch::Differs { header, said: "=?base64?".to_owned(), body: None });
    }
    let checked = header::check_standard(body, |name| lookup(&headers, name));
    checked.or_else(|mismatch| match server.is_broken(&spoilt::NAME_UNCHECKED) {
        true if about(&mismatch) == header::NAME => Ok(()),
        true | false => Err(mismatch),
    })
}

/// Compares the headers that a tool declares with the arguments of its call.
pub(crate) fn check_params(server: &Server, params: &Value, headers: &HeaderMap) -> Result<(), RpcError> {
    let tool = params.get("name").and_then(Value::as_str).and_then(|name| server.catalogue.tool(name));
    let Some(tool) = tool.filter(|_| !server.is_broken(&HEADER_MISMATCH_SERVED)) else { return Ok(()) };
    let headers = folded(headers);
    if let Some(mismatch) = strict(server, &tool.headers, params.get("arguments"), &headers) {
        return Err(mismatched(&mismatch));
    }
    let checked = header::check_params(&tool.headers, params.get("arguments"), |name| lookup(&headers, name));
    let lenient = |mismatch: &Mismatch| {
        server.is_broken(match mismatch {
            Mismatch::Missing { .. } => &spoilt::PARAM_OPTIONAL,
            Mismatch::Differs { .. } => &spoilt::PARAM_UNCHECKED,
            Mismatch::Malformed { .. } => &spoilt::PARAM_ANY_BYTES,
        })
    };
    match checked {
        Err(mismatch) if !lenient(&mismatch) => Err(mismatched(&mismatch)),
        Err(_) | Ok(()) => Ok(()),
    }
}

/// What a server complains about that is stricter than it may be.
fn strict(
    server: &Server,
    declared: &[ParamHeader],
    arguments: Option<&Value>,
    headers: &HeaderMap,
) -> Option<Mismatch> {
    let always = server.is_broken(&spoilt::PARAM_ALWAYS_EXPECTED);
    let plain = server.is_broken(&spoilt::PARAM_NOT_DECODED);
    let text = server.is_broken(&spoilt::PARAM_AS_TEXT);
    if !(always || plain || text) {
        return None;
    }
    declared.iter().find_map(|param| {
        let header = format!("{}{}", header::PARAM_PREFIX, param.name);
        let Some(said) = lookup(headers, &header) else {
            return always.then(|| Mismatch::Missing { header, body: String::new() });
        };
        let said = String::from_utf8_lossy(said).into_owned();
        let number = param.value_in(arguments).filter(|value| value.is_number()).map(Value::to_string);
        let wrong = (plain && said.starts_with("=?base64?"))
            || (text && number.as_ref().is_some_and(|number| *number != said));
        wrong.then_some(Mismatch::Differs { header, said, body: number })
    })
}

/// The headers, each name once: those that came several times are one list, which then says what no body does. Who
/// looked at the first of them and who at the last would otherwise disagree.
fn folded(headers: &HeaderMap) -> Cow<'_, HeaderMap> {
    if headers.len() == headers.keys_len() {
        return Cow::Borrowed(headers);
    }
    let mut once = HeaderMap::new();
    for name in headers.keys() {
        let values: Vec<_> = headers.get_all(name).iter().map(HeaderValue::as_bytes).collect();
        // What was allowed in each is allowed in all.
        if let Ok(value) = HeaderValue::from_bytes(&values.join(&b", "[..])) {
            once.insert(name, value);
        }
    }
    Cow::Owned(once)
}

fn lookup<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h [u8]> {
    headers.get(name).map(HeaderValue::as_bytes)
}

fn mismatched(mismatch: &Mismatch) -> RpcError {
    RpcError::new(code::HEADER_MISMATCH, mismatch.to_string())
}

fn is_about_version(mismatch: &Mismatch) -> bool {
    about(mismatch) == header::PROTOCOL_VERSION
}

/// The header that it is about.
fn about(mismatch: &Mismatch) -> &str {
    let (Mismatch::Missing { header, .. }
    | Mismatch::Differs { header, .. }
    | Mismatch::Malformed { header, .. }) = mismatch;
    header
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
    let stray = known.keys().find(|key| !asks.iter().any(|ask| ask.key == key.as_str()));
    if let Some(stray) = stray.filter(|_| call.server.is_broken(&mrtr::EXTRA_ANSWER_REFUSED)) {
        return Err(RpcError::invalid_params(format!("nobody asked for {stray}")).into());
    }
    let mut missing = Map::new();
    let mut answers = Vec::new();
    for ask in asks {
        match known.get(ask.key).filter(|answer| ask.is_answered_by(answer)) {
            Some(answer) => answers.push(answer.clone()),
            None => drop(missing.insert(ask.key.to_owned(), ask.as_input())),
        }
    }
    if missing.is_empty() {
        return Ok(answers);
    }
    if call.params.get("requestState").is_some() && call.server.is_broken(&mrtr::MISSING_ANSWER_REFUSED) {
        return Err(RpcError::invalid_params("an answer is missing").into());
    }
    Err(Stop::Input(missing))
}

/// The interim result that asks for `requests`.
pub(crate) fn input_required(call: &Call, requests: &Map<String, Value>) -> Result<Value, RpcError> {
    let answers = known(call)?;
    let state = call.server.sealer.seal(&subject(call), json!({ ANSWERS: answers }));
    let state =
        state.ok_or_else(|| RpcError::new(code::INTERNAL_ERROR, "no randomness to seal state with"))?;
    Ok(json!({ "resultType": "input_required", "inputRequests": requests, "requestState": state }))
}

/// Everything that the client has answered so far.
fn known(call: &Call) -> Result<Map<String, Value>, RpcError> {
    let mut known = Map::new();
    match call.params.get("requestState") {
        None => {}
        Some(Value::String(text)) => {
            let state = call.server.sealer.open(&subject(call), text);
            let state = match state {
                Err(_) if call.server.is_broken(&mrtr::STATE_UNVERIFIED) => Value::Null,
                state => state.map_err(|broken| RpcError::invalid_params(broken.to_string()))?,
            };
            known.extend(state[ANSWERS].as_object().cloned().unwrap_or_default());
        }
        Some(_) => return Err(RpcError::invalid_params("requestState must be a string")),
    }
    match call.params.get("inputResponses") {
        None => {}
        Some(_) if call.server.is_broken(&mrtr::ANSWERS_IGNORED) => {}
        Some(Value::Object(answers)) => known.extend(answers.clone()),
        Some(_) if call.server.is_broken(&mrtr::ANSWERS_UNCHECKED) => {}
        Some(_) => return Err(RpcError::invalid_params("inputResponses must be an object")),
    }
    Ok(known)
}

/// What sealed state is bound to: the method and those params that are the same in every round.
fn subject(call: &Call) -> String {
    if call.server.is_broken(&mrtr::STATE_UNBOUND) {
        return String::new();
    }
    let mut hasher = DefaultHasher::new();
    for member in ["name", "uri", "arguments"] {
        call.params.get(member).map(Value::to_string).hash(&mut hasher);
    }
    format!("{} {:x}", call.method.name, hasher.finish())
}
