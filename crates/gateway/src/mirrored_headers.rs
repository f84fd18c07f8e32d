//! Headers that repeat parts of a modern message. A server over HTTP compares them itself; for one on a pipe the gateway does. A
//! client on a pipe has no headers; for a server over HTTP the gateway adds them.

use std::collections::HashMap;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use protocol::header::{self, Mirrored, ParamHeader, check_params, check_standard};
use protocol::meta::RequestMeta;
use protocol::{Era, code};
use serde_json::Value;
use transport::serve::Answer;
use wire::{Frame, Kind};

use crate::client_message::ClientMessage;
use crate::failure::refuse;
use crate::ids::member;

/// Which arguments of each tool have headers.
#[derive(Debug, Default)]
pub(crate) struct ToolHeaders(HashMap<String, Vec<ParamHeader>>);

impl ToolHeaders {
    /// Adds the tools of a `tools/list` result. Declarations that break the rules count as none.
    pub(crate) fn add(&mut self, result: &Value) {
        for tool in result["tools"].as_array().into_iter().flatten() {
            if let (Some(name), Ok(declared)) =
                (tool["name"].as_str(), header::declared(&tool["inputSchema"]))
                && !declared.is_empty()
            {
                self.0.insert(name.to_owned(), declared);
            }
        }
    }
}

/// Whether the headers of a message have to be compared with its body.
pub(crate) fn has_mirrored_headers(message: &ClientMessage) -> bool {
    message.is_modern() && !message.headers.is_empty() && message.kind == Kind::Request
}

/// The refusal of a modern request over HTTP that lacks its `_meta` or contradicts its headers.
pub(crate) fn check_mirrored_headers(message: &ClientMessage, tools: &ToolHeaders) -> Result<(), Answer> {
    let refuse = |code, why: &str| {
        let status = code::http_status(Era::Modern.newest(), code).code();
        Err(refuse(status.max(400), message.id_json.as_deref(), code, why))
    };
    let params = Frame::parse(&message.bytes).ok().and_then(|frame| frame.params);
    let meta = params.and_then(|params| member(params, "_meta"));
    let params = params.and_then(|params| serde_json::from_str::<Value>(params.get()).ok());
    if let Err(why) = RequestMeta::of_raw_meta(meta) {
        return refuse(code::INVALID_PARAMS, &why.to_string());
    }
    let method = message.method.as_deref().unwrap_or_default();
    let body = Mirrored::from_request(method, params.as_ref());
    let lookup = |name: &str| only(&message.headers, name);
    let standard = check_standard(body, lookup);
    let tool = params.as_ref().filter(|_| method == "tools/call").and_then(|params| params["name"].as_str());
    let declared = tool.and_then(|tool| tools.0.get(tool)).map_or(&[][..], Vec::as_slice);
    let arguments = params.as_ref().and_then(|params| params.get("arguments"));
    match standard.and_then(|()| check_params(declared, arguments, lookup)) {
        Ok(()) => Ok(()),
        Err(mismatch) => refuse(code::HEADER_MISMATCH, &mismatch.to_string()),
    }
}

/// Adds the headers that repeat parts of a modern message.
pub(crate) fn mirror(message: &ClientMessage, tools: &ToolHeaders, headers: &mut HeaderMap) {
    let params = Frame::parse(&message.bytes).ok().and_then(|frame| frame.params);
    let params = params.and_then(|params| serde_json::from_str::<Value>(params.get()).ok());
    let body = Mirrored::from_request(message.method.as_deref().unwrap_or_default(), params.as_ref());
    let mut mirrored = vec![(header::METHOD.to_owned(), header::encode(body.method).into_owned())];
    let version = body.version.unwrap_or(Era::Modern.newest().as_str());
    mirrored.push((header::PROTOCOL_VERSION.to_owned(), header::encode(version).into_owned()));
    mirrored.extend(body.name.map(|name| (header::NAME.to_owned(), header::encode(name).into_owned())));
    if message.is("tools/call")
        && let Some(declared) = params.as_ref().and_then(|params| tools.0.get(params["name"].as_str()?))
    {
        let arguments = params.as_ref().and_then(|params| params.get("arguments"));
        // The server refuses an argument that cannot be a header.
        mirrored.extend(header::mirror(declared, arguments).unwrap_or_default());
    }
    for (name, value) in mirrored {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
}

/// The value of a header. One that is repeated matches no body, because readers differ in which value they take.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h [u8]> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    Some(if values.next().is_none() { first.as_bytes() } else { b", " })
}
