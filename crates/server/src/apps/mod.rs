//! MCP Apps (SEP-1865): six demo apps, the tools that open them, and who is told of them.
//!
//! Only a client that negotiated the extension, with the media type that the apps have, is told: tools then carry
//! `_meta.ui`, the apps are listed as resources, tools for apps alone are offered, and the extension is declared in
//! return. To everybody else the same tools are tools that answer in text.

mod app;
mod document;
mod hints;
mod ledger;
mod link;
mod locale;
mod money;
mod openai;
mod system;
mod tools;

use protocol::apps::MIME_TYPE;
use protocol::capability::extension;
use protocol::shape::Shape;
use serde_json::{Map, Value, json};

use crate::context::Call;
use crate::fault::app_details::UI_ANY_MEDIA_TYPE;
use crate::fault::apps as fault;

pub(crate) use app::{listed, read};
pub(crate) use hints::Hints;
pub(crate) use link::Link;
pub(crate) use tools::TOOLS;

/// What the apps' tools remember.
#[derive(Debug)]
pub(crate) struct State {
    monitor: system::Monitor,
    ledger: ledger::Ledger,
}

impl State {
    /// The state of a server that starts.
    pub(crate) fn new() -> Self {
        app::make_ready();
        Self { monitor: system::Monitor::new(), ledger: ledger::Ledger::default() }
    }
}

/// Whether this client is told of apps.
pub(crate) fn are_shown(call: &Call) -> bool {
    let meant = call.client.shows_apps() && !call.server.is_broken(&fault::UI_METADATA_MISSING);
    let declares = || call.client.capabilities["extensions"].get(extension::UI).is_some();
    meant
        || call.server.is_broken(&fault::UI_FOR_EVERYONE)
        || call.server.is_broken(&UI_ANY_MEDIA_TYPE) && declares()
}

/// Declares the extension to a client that declared it.
pub(crate) fn declare(call: &Call, capabilities: &mut Value) {
    if are_shown(call) {
        capabilities["extensions"][extension::UI] = json!({ "mimeTypes": [MIME_TYPE] });
    }
}

/// Makes a result fit its client: what the apps need is kept in every revision.
pub(crate) fn shape(call: &Call, result: &mut Value) -> Result<(), protocol::shape::Unfit> {
    if matches!(call.method.name, "initialize" | "server/discover") {
        locale::answer(call, result);
    }
    let structured = of_app(call, result);
    let shape = call.client.shape();
    let shape: Shape = if are_shown(call) { shape.keeping_item_meta() } else { shape };
    shape.result(call.method.name, result)?;
    if let (Some(structured), Some(members)) = (structured, result.as_object_mut()) {
        members.insert("structuredContent".to_owned(), structured);
    }
    Ok(())
}

/// The structured content of a call that an app made or shows.
///
/// The two oldest revisions have no structured content, but the extension, which may be negotiated in any of them,
/// has: an app is given nothing else. Results may have members that a revision does not name.
fn of_app(call: &Call, result: &mut Value) -> Option<Value> {
    let name = call.params.get("name").filter(|_| call.method.name == "tools/call")?.as_str()?;
    let link = call.server.catalogue.tool(name)?.tool.ui?;
    let members: &mut Map<String, Value> = result.as_object_mut()?;
    if link.has_app() && members.contains_key("content") && call.server.is_broken(&fault::UI_NO_TEXT_FALLBACK)
    {
        members.insert("content".to_owned(), json!([]));
    }
    if are_shown(call) { members.shift_remove("structuredContent") } else { None }
}
