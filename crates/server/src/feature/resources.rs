//! `resources/*`

use protocol::code;
use serde_json::{Value, json};

use crate::call::{Call, Reply, Stop};
use crate::catalogue::Found;
use crate::lists;
use crate::rpc::RpcError;

/// Small enough that the list has more than one page.
const PAGE_SIZE: usize = 20;
/// The longest URI that is remembered.
const MAX_URI: usize = 8 * 1024;

/// `resources/list`
pub(crate) fn list(call: &Call) -> Result<Reply, Stop> {
    let resources = call.server.catalogue.resources(call).collect();
    Ok(Reply::Done(lists::page(call, "resources", resources, PAGE_SIZE)?))
}

/// `resources/templates/list`
pub(crate) fn templates(call: &Call) -> Result<Reply, Stop> {
    let templates = call.server.catalogue.templates().collect();
    Ok(Reply::Done(lists::page(call, "resourceTemplates", templates, PAGE_SIZE)?))
}

/// `resources/read`
pub(crate) fn read(call: &Call) -> Result<Reply, Stop> {
    let uri = call.text("uri")?;
    match call.server.catalogue.find_resource(call, uri) {
        Some(Found::Contents(contents)) => Ok(Reply::Done(json!({ "contents": contents }))),
        Some(Found::Later(work)) => Ok(Reply::Later(work)),
        None => Err(not_found(call, uri).into()),
    }
}

/// `resources/subscribe` (until 2025-11-25)
pub(crate) fn subscribe(call: &Call) -> Result<Reply, Stop> {
    let uri = call.text("uri")?;
    check_length(uri)?;
    if call.server.catalogue.find_resource(call, uri).is_none() {
        return Err(not_found(call, uri).into());
    }
    call.peer.subscribe(uri).map_err(RpcError::over_budget)?;
    Ok(Reply::Done(Value::Object(serde_json::Map::new())))
}

/// `resources/unsubscribe` (until 2025-11-25)
pub(crate) fn unsubscribe(call: &Call) -> Result<Reply, Stop> {
    call.peer.unsubscribe(call.text("uri")?);
    Ok(Reply::Done(Value::Object(serde_json::Map::new())))
}

/// Refuses a URI that is too long to be kept.
pub(super) fn check_length(uri: &str) -> Result<(), RpcError> {
    if uri.len() > MAX_URI {
        let why = format!("a URI of {} bytes: at most {MAX_URI} are subscribed to", uri.len());
        return Err(RpcError::invalid_params(why));
    }
    Ok(())
}

fn not_found(call: &Call, uri: &str) -> RpcError {
    let code = code::resource_not_found(call.version());
    RpcError::new(code, format!("no resource {uri}")).with(json!({ "uri": uri }))
}
