//! Prompts: listed, filled in, changed.

use super::base::{
    CACHE, ICONS, NAMES, NEXT_PAGE, NO_PARAMS, NOTIFICATION, PAGE_PARAMS, REQUEST, RESPONSE, RESULT,
};
use super::lifecycle::INPUT_RESPONSES;
use super::meta::{META, REQUEST_PARAMS};
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "Prompt",
        ALWAYS,
        Object(&[
            NAMES,
            ICONS,
            &[opt("description", Str), opt("arguments", Array(&Ref("PromptArgument")))],
            META,
        ]),
    ),
    def("PromptArgument", ALWAYS, Object(&[NAMES, &[opt("description", Str), opt("required", Bool)]])),
    def("PromptMessage", ALWAYS, Object(&[&[req("role", Ref("Role")), req("content", Ref("ContentBlock"))]])),
    def("ListPromptsRequest", ALWAYS, Object(&[REQUEST, &[method("prompts/list")], PAGE_PARAMS])),
    def(
        "ListPromptsResult",
        ALWAYS,
        Object(&[RESULT, NEXT_PAGE, CACHE, &[req("prompts", Array(&Ref("Prompt")))]]),
    ),
    def("ListPromptsResultResponse", MODERN, Object(&[RESPONSE, &[req("result", Ref("ListPromptsResult"))]])),
    def(
        "GetPromptRequest",
        ALWAYS,
        Object(&[REQUEST, &[method("prompts/get"), req("params", Ref("GetPromptRequestParams"))]]),
    ),
    def(
        "GetPromptRequestParams",
        since(V2025_11_25),
        Object(&[REQUEST_PARAMS, INPUT_RESPONSES, &[req("name", Str), opt("arguments", Map(&Str))]]),
    )
    .inline_before(),
    def(
        "GetPromptResult",
        ALWAYS,
        Object(&[RESULT, &[opt("description", Str), req("messages", Array(&Ref("PromptMessage")))]]),
    ),
    def(
        "GetPromptResultResponse",
        MODERN,
        Object(&[RESPONSE, &[req("result", Either(&[Ref("GetPromptResult"), Ref("InputRequiredResult")]))]]),
    ),
    def(
        "PromptListChangedNotification",
        ALWAYS,
        Object(&[NOTIFICATION, &[method("notifications/prompts/list_changed")], NO_PARAMS]),
    ),
];
