//! Input schemas that need a real validator.

use protocol::{Span, Version};
use serde_json::json;

use crate::catalogue::tool::{Run, Tool, text};

pub(super) const TOOLS: &[Tool] = &[ORDER, LEGACY_ORDER];

/// JSON Schema 2020-12: definitions and references, tuples, conditions, dependencies.
const ORDER: Tool = Tool::new(
    "order",
    || {
        json!({
            "title": "Order",
            "description": "Takes an order that a schema of JSON Schema 2020-12 describes",
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": {
                    "address": {
                        "$anchor": "address",
                        "type": "object",
                        "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
                        "required": ["city"],
                    },
                    "length": {
                        "description": "A number and its unit",
                        "type": "array",
                        "prefixItems": [{ "type": "number", "exclusiveMinimum": 0 }, { "enum": ["yd", "m"] }],
                        "items": false,
                        "minItems": 2,
                    },
                },
                "properties": {
                    "cloth": { "$ref": "#/$defs/length" },
                    "deliver": { "type": "boolean", "default": false },
                    "to": { "$ref": "#address" },
                    "card": { "type": "string", "pattern": "^[0-9]{16}$" },
                    "pin": { "type": "string" },
                },
                "required": ["cloth"],
                "dependentRequired": { "card": ["pin"] },
                "if": { "properties": { "deliver": { "const": true } }, "required": ["deliver"] },
                "then": { "required": ["to"] },
                "else": { "not": { "required": ["to"] } },
                "unevaluatedProperties": false,
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Now(|_, arguments| text(format!("ordered {}", arguments["cloth"]))),
);

/// A schema that declares Draft-07, which is possible from 2025-11-25 on.
const LEGACY_ORDER: Tool = Tool::new(
    "order-draft-07",
    || {
        json!({
            "title": "Order, as before",
            "description": "Takes an order that a schema of JSON Schema draft-07 describes",
            "inputSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "definitions": {
                    "length": {
                        "type": "array",
                        "items": [{ "type": "number", "exclusiveMinimum": 0 }, { "enum": ["yd", "m"] }],
                        "additionalItems": false,
                        "minItems": 2,
                    },
                },
                "properties": {
                    "cloth": { "$ref": "#/definitions/length" },
                    "card": { "type": "string" },
                    "pin": { "type": "string" },
                },
                "required": ["cloth"],
                "dependencies": { "card": ["pin"] },
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false },
        })
    },
    Run::Now(|_, arguments| text(format!("ordered {}", arguments["cloth"]))),
)
.in_span(Span::since(Version::V2025_11_25));
