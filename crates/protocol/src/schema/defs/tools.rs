//! Tools: listed, called, changed.

use super::base::{
    CACHE, ICONS, NAMES, NEXT_PAGE, NO_PARAMS, NOTIFICATION, PAGE_PARAMS, REQUEST, RESPONSE, RESULT,
};
use super::content::TOOL_OUTPUT;
use super::lifecycle::INPUT_RESPONSES;
use super::meta::{META, REQUEST_PARAMS};
use super::tasks::TASK_AUGMENTED;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "Tool",
        ALWAYS,
        Object(&[
            NAMES,
            ICONS,
            &[
                opt("description", Str),
                req("inputSchema", Object(&[&[req("type", Const("object"))], TOOL_SCHEMA])),
                opt(
                    "outputSchema",
                    Object(&[&[req("type", Const("object")).until(V2025_11_25)], TOOL_SCHEMA]),
                )
                .since(V2025_06_18),
                opt("annotations", Ref("ToolAnnotations")).since(V2025_03_26),
                opt("execution", Ref("ToolExecution")).only(V2025_11_25),
            ],
            META,
        ]),
    ),
    def(
        "ToolAnnotations",
        since(V2025_03_26),
        Object(&[&[
            opt("title", Str),
            opt("readOnlyHint", Bool),
            opt("destructiveHint", Bool),
            opt("idempotentHint", Bool),
            opt("openWorldHint", Bool),
        ]]),
    ),
    def(
        "ToolExecution",
        only(V2025_11_25),
        Object(&[&[opt("taskSupport", Enum(&["forbidden", "optional", "required"]))]]),
    ),
    def("ListToolsRequest", ALWAYS, Object(&[REQUEST, &[method("tools/list")], PAGE_PARAMS])),
    def("ListToolsResult", ALWAYS, Object(&[RESULT, NEXT_PAGE, CACHE, &[req("tools", Array(&Ref("Tool")))]])),
    def("ListToolsResultResponse", MODERN, Object(&[RESPONSE, &[req("result", Ref("ListToolsResult"))]])),
    def(
        "CallToolRequest",
        ALWAYS,
        Object(&[REQUEST, &[method("tools/call"), req("params", Ref("CallToolRequestParams"))]]),
    ),
    def(
        "CallToolRequestParams",
        since(V2025_11_25),
        Object(&[
            REQUEST_PARAMS,
            TASK_AUGMENTED,
            INPUT_RESPONSES,
            &[req("name", Str), opt("arguments", AnyObject)],
        ]),
    )
    .inline_before(),
    def("CallToolResult", ALWAYS, Object(&[RESULT, TOOL_OUTPUT])),
    def(
        "CallToolResultResponse",
        MODERN,
        Object(&[
            RESPONSE,
            &[req(
                "result",
                Either(&[Ref("CallToolResult"), Ref("InputRequiredResult"), Ref("CreateTaskResult")]),
            )],
        ]),
    ),
    def(
        "ToolListChangedNotification",
        ALWAYS,
        Object(&[NOTIFICATION, &[method("notifications/tools/list_changed")], NO_PARAMS]),
    ),
];

/// The keywords that a tool's schema is held to; from 2026-07-28 on the rest of JSON Schema is open to it.
const TOOL_SCHEMA: &[Field] = &[
    opt("$schema", Str).since(V2025_11_25),
    opt("properties", Map(&AnyObject)).until(V2025_11_25),
    opt("required", Array(&Str)).until(V2025_11_25),
];
