//! Completion of the arguments of prompts and resource templates.

use super::base::{NAMES, REQUEST, RESPONSE, RESULT};
use super::meta::REQUEST_PARAMS;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "CompleteRequest",
        ALWAYS,
        Object(&[REQUEST, &[method("completion/complete"), req("params", Ref("CompleteRequestParams"))]]),
    ),
    def(
        "CompleteRequestParams",
        since(V2025_11_25),
        Object(&[
            REQUEST_PARAMS,
            &[
                req(
                    "ref",
                    Either(&[
                        Ref("PromptReference"),
                        Ref("ResourceReference"),
                        Ref("ResourceTemplateReference"),
                    ]),
                ),
                req("argument", Object(&[&[req("name", Str), req("value", Str)]])),
                opt("context", Object(&[&[opt("arguments", Map(&Str))]])).since(V2025_06_18),
            ],
        ]),
    )
    .inline_before(),
    def(
        "CompleteResult",
        ALWAYS,
        Object(&[
            RESULT,
            &[req(
                "completion",
                Object(&[&[
                    req("values", Array(&Str)).until(V2025_11_25),
                    req("values", ArrayUpTo(100, &Str)).since(V2026_07_28),
                    opt("total", Int),
                    opt("hasMore", Bool),
                ]]),
            )],
        ]),
    ),
    def("CompleteResultResponse", MODERN, Object(&[RESPONSE, &[req("result", Ref("CompleteResult"))]])),
    def("PromptReference", ALWAYS, Object(&[&[req("type", Const("ref/prompt"))], NAMES])),
    def("ResourceReference", until(V2025_03_26), RESOURCE_REFERENCE),
    def("ResourceTemplateReference", since(V2025_06_18), RESOURCE_REFERENCE),
];

const RESOURCE_REFERENCE: ValueShape =
    Object(&[&[req("type", Const("ref/resource")), req("uri", UriTemplate)]]);
