//! `logging/setLevel` (until 2025-11-25).

use protocol::meta::LogLevel;
use serde_json::json;

use crate::call::{Call, Reply, Stop};
use crate::rpc::RpcError;

pub(crate) fn set_level(call: &Call) -> Result<Reply, Stop> {
    let level = call.text("level")?.parse::<LogLevel>();
    call.peer.set_level(level.map_err(|e| RpcError::invalid_params(e.to_string()))?);
    Ok(Reply::Done(json!({})))
}
