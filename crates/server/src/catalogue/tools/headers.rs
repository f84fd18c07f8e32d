//! Arguments that a client repeats in HTTP headers (`x-mcp-header`, 2026-07-28).

use serde_json::json;

use crate::catalogue::tool::{Run, Tool, text};

pub(super) const TOOLS: &[Tool] = &[ROUTE];

const ROUTE: Tool = Tool::new(
    "route",
    || {
        json!({
            "title": "Route",
            "description": "Says where it was routed; its arguments are repeated in headers, for those in between",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "region": { "type": "string", "description": "Where to", "x-mcp-header": "Region" },
                    "priority": { "type": "integer", "description": "How soon", "x-mcp-header": "Priority" },
                    "dryRun": { "type": "boolean", "description": "Whether at all", "x-mcp-header": "Dry-Run" },
                    "tenant": {
                        "type": "object",
                        "properties": {
                            "id": { "type": "string", "description": "For whom", "x-mcp-header": "Tenant-Id" },
                        },
                    },
                    "note": { "type": "string", "description": "What is not repeated" },
                },
                "required": ["region"],
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Now(|_, arguments| text(format!("routed with {arguments}"))),
);
