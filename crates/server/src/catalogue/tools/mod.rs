//! The server's own tools, by topic.

mod ask;
mod basic;
mod content;
mod headers;
mod lists;
mod logging;
mod rounds;
mod sampling;
mod schemas;
mod slow;
mod structured;
mod tasks;
mod urls;

use serde_json::{Value, json};

use super::tool::Tool;

/// Every tool, group by group, in the order in which they are listed: our own, those with apps, the fixtures.
pub(super) const ALL: &[&[&[Tool]]] = &[OWN, &[crate::apps::TOOLS], crate::fixtures::TOOLS];

const OWN: &[&[Tool]] = &[
    basic::TOOLS,
    content::TOOLS,
    structured::TOOLS,
    slow::TOOLS,
    logging::TOOLS,
    sampling::TOOLS,
    ask::TOOLS,
    urls::TOOLS,
    rounds::TOOLS,
    headers::TOOLS,
    schemas::TOOLS,
    lists::TOOLS,
    tasks::TOOLS,
];

/// The definition of a tool without arguments that asks the user or the client.
fn define_asking_tool(title: &str, description: &str) -> Value {
    json!({
        "title": title,
        "description": description,
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "readOnlyHint": true, "openWorldHint": true },
    })
}
