//! The dialect of mcp-validator: methods that MCP does not have, to test the checks for them.
//!
//! Only a server that was made to speak it ([`crate::Server::speaking_dialect`]) serves this.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::code;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::task::AbortHandle;
use transport::serve::{Answer, Inbound, Opening};
use wire::Frame;

use super::{dispatch, lifecycle};
use crate::call::{Call, Later, Reply, Stop};
use crate::catalogue::tool::text;
use crate::rpc::{self, RpcError};
use crate::server::supported;

/// The method of the ordinary call that a background call becomes.
const CALL: &str = r#""tools/call""#;

/// The state of the dialect.
#[derive(Debug, Default)]
pub(crate) struct Dialect {
    calls: Arc<Mutex<Vec<Background>>>,
    configuration: Mutex<Option<Value>>,
}

/// A call in the background.
#[derive(Debug)]
struct Background {
    status: &'static str,
    content: Value,
    work: AbortHandle,
}

/// Adds the capabilities of the dialect.
pub(crate) fn declare(capabilities: &mut Value) {
    capabilities["tools"]["asyncSupported"] = true.into();
    capabilities["workspace"] = json!({ "configuration": true });
}

impl Dialect {
    /// The answer, if the request belongs to the dialect. `begin` turns a message into an ordinary call.
    pub(crate) fn answer(
        &self,
        inbound: &Inbound<'_>,
        begin: impl FnOnce(&Inbound<'_>) -> Result<Call, RpcError>,
    ) -> Option<Answer> {
        let frame = &inbound.frame;
        let id = frame.id.filter(|_| inbound.opening == Opening::Legacy)?;
        let params = frame.params.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or(Value::Null);
        let outcome = match frame.method()?.as_ref() {
            "server/info" => Ok(info()),
            "workspace/configurationSchema" => Ok(json!({ "schema": { "type": "object" } })),
            "workspace/configuration" => Ok(json!({ "configuration": *self.configured() })),
            "workspace/setConfiguration" => self.configure(&params["configuration"]),
            "tools/call-async" => as_call(inbound).and_then(|inbound| self.start(begin(&inbound)?)),
            "tools/result" => self.look(&params),
            "tools/cancel" => self.cancel(&params),
            _ => return None,
        };
        let body = match &outcome {
            Ok(result) => rpc::result(id, result),
            Err(error) => rpc::error(Some(id), error),
        };
        Some(Answer::Message { status: 200, body: body.into() })
    }

    fn start(&self, call: Call) -> Result<Value, RpcError> {
        let work: Later = match dispatch(&call) {
            Ok(Reply::Done(result)) => Box::pin(std::future::ready(Ok(result))),
            Ok(Reply::Text(said)) => Box::pin(std::future::ready(Ok(text(said)))),
            Ok(Reply::Later(work)) => work(call),
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::Input(_)) => return Err(RpcError::invalid_request("this needs an ordinary call")),
        };
        let mut calls = self.calls();
        let at = calls.len();
        let all = self.calls.clone();
        let work = tokio::spawn(async move {
            let outcome = work.await;
            // The call has been noted by the time the lock is free.
            if let Some(call) = all.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                call.status = if outcome.is_ok() { "completed" } else { "error" };
                call.content = outcome.map(|result| result["content"].clone()).unwrap_or_default();
            }
        });
        calls.push(Background { status: "running", content: Value::Null, work: work.abort_handle() });
        Ok(json!({ "id": at.to_string(), "status": "running" }))
    }

    fn look(&self, params: &Value) -> Result<Value, RpcError> {
        let calls = self.calls();
        let (at, call) = find(&calls, params)?;
        Ok(json!({ "id": at.to_string(), "status": call.status, "content": call.content }))
    }

    fn cancel(&self, params: &Value) -> Result<Value, RpcError> {
        let mut calls = self.calls();
        let at = find(&calls, params)?.0;
        if let Some(call) = calls.get_mut(at).filter(|call| call.status == "running") {
            call.work.abort();
            call.status = "cancelled";
        }
        Ok(json!({ "success": true }))
    }

    fn configure(&self, configuration: &Value) -> Result<Value, RpcError> {
        if !configuration.is_object() {
            return Err(RpcError::invalid_params("`configuration` must be an object"));
        }
        *self.configured() = Some(configuration.clone());
        Ok(json!({}))
    }

    fn calls(&self) -> MutexGuard<'_, Vec<Background>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn configured(&self) -> MutexGuard<'_, Option<Value>> {
        let mut known = self.configuration.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| json!({}));
        known
    }
}

fn info() -> Value {
    let mut info = lifecycle::signature();
    info["supportedVersions"] = json!(supported());
    info
}

fn as_call<'a>(inbound: &Inbound<'a>) -> Result<Inbound<'a>, RpcError> {
    let method: &'static RawValue =
        serde_json::from_str(CALL).map_err(|error| RpcError::new(code::INTERNAL_ERROR, error.to_string()))?;
    let frame = Frame { method: Some(method), ..inbound.frame.clone() };
    Ok(Inbound { frame, ..inbound.clone() })
}

fn find<'c>(calls: &'c [Background], params: &Value) -> Result<(usize, &'c Background), RpcError> {
    let at = params["id"].as_str().and_then(|id| id.parse::<usize>().ok());
    let found = at.and_then(|at| Some((at, calls.get(at)?)));
    found.ok_or_else(|| RpcError::invalid_params("no call of that id"))
}
