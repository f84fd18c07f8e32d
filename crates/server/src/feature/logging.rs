//! `logging/setLevel` (until 2025-11-25).

use protocol::meta::LogLevel;
use serde_json::json;

use crate::context::{Call, Reply, Stop};
use crate::fault::resources::LEVEL_UNCHECKED;
use crate::rpc::RpcError;

pub(crate) fn set_level(call: &Call) -> Result<Reply, Stop> {
    let level = call.text("level")?.parse::<LogLevel>();
    if level.is_err() && call.server.is_broken(&LEVEL_UNCHECKED) {
        return Ok(Reply::Done(json!({})));
    }
    call.peer.set_level(level.map_err(|e| RpcError::invalid_params(e.to_string()))?);
    Ok(Reply::Done(json!({})))
}
