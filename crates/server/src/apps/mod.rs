//! MCP Apps (SEP-1865): demo apps, the tools that open them, and which clients see them.
//!
//! Only a client that negotiated the extension, with the media type of the apps, sees them: tools carry `_meta.ui`, the
//! apps are listed as resources, tools for apps alone are offered, and the server declares the extension. For all other
//! clients the same tools answer in text.

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

use crate::call::Call;

pub(crate) use app::{listed, read_app};
pub(crate) use hints::Hints;
pub(crate) use link::Link;
pub(crate) use tools::TOOLS;

/// The state of the apps' tools.
#[derive(Debug)]
pub(crate) struct State {
    monitor: system::Monitor,
    ledger: ledger::Ledger,
}

impl State {
    /// The initial state.
    pub(crate) fn new() -> Self {
        app::assemble_all();
        Self { monitor: system::Monitor::new(), ledger: ledger::Ledger::default() }
    }
}

/// Whether this client sees apps.
pub(crate) fn are_shown(call: &Call) -> bool {
    call.client.shows_apps()
}

/// Declares the extension to a client that declared it.
pub(crate) fn declare(call: &Call, capabilities: &mut Value) {
    if are_shown(call) {
        capabilities["extensions"][extension::UI] = json!({ "mimeTypes": [MIME_TYPE] });
    }
}

/// Adapts a result to its client. What the apps need is kept in every revision.
pub(crate) fn shape(call: &Call, result: &mut Value) -> Result<(), protocol::shape::Inexpressible> {
    if matches!(call.method.name, "initialize" | "server/discover") {
        locale::declare_language(call, result);
    }
    let structured = structure_for_app(call, result);
    let shape = call.client.shape();
    let shape: Shape = if are_shown(call) { shape.keeping_item_meta() } else { shape };
    shape.result(call.method.name, result)?;
    if let (Some(structured), Some(members)) = (structured, result.as_object_mut()) {
        members.insert("structuredContent".to_owned(), structured);
    }
    Ok(())
}

/// The structured content of a call that an app makes or shows.
///
/// The two oldest revisions have no structured content, but the extension has it and may be negotiated in any of them:
/// an app gets nothing else. Results may have members that a revision does not define.
fn structure_for_app(call: &Call, result: &mut Value) -> Option<Value> {
    let name = call.params.get("name").filter(|_| call.method.name == "tools/call")?.as_str()?;
    call.server.catalogue.tool(name)?.tool.ui?;
    let members: &mut Map<String, Value> = result.as_object_mut()?;
    if are_shown(call) { members.shift_remove("structuredContent") } else { None }
}

/// The document of the chart.
#[cfg(test)]
pub(crate) fn chart_document() -> String {
    document::assemble(app::CHART.page)
}
