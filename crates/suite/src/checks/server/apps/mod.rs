//! MCP Apps (SEP-1865): what it asks of servers. What it asks of Views and hosts is in `wire::ui`.

pub(in crate::checks) mod content;
pub(in crate::checks) mod fallback;
mod html;
pub(in crate::checks) mod listed;
pub(in crate::checks) mod metadata;
pub(in crate::checks) mod negotiation;
pub(in crate::checks) mod reading;
mod spelling;
mod surface;
pub(in crate::checks) mod tool_details;
mod tool_link;
pub(in crate::checks) mod tools;

pub(crate) use surface::Surface;
pub(super) use tool_link::ToolLink;

use crate::Finding;

/// There is nothing to look at.
pub(super) fn no_apps() -> Finding {
    Finding::not_applicable("no UI tools")
}
