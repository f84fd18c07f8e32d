//! Elicitation: a server asks the user, with a form or a web page.

use super::base::{NOTIFICATION, SERVER_REQUEST};
use super::tasks::TASK_AUGMENTED;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "ElicitRequest",
        since(V2025_06_18),
        Object(&[SERVER_REQUEST, &[method("elicitation/create"), req("params", Ref("ElicitRequestParams"))]]),
    ),
    def(
        "ElicitRequestParams",
        since(V2025_11_25),
        Either(&[Ref("ElicitRequestFormParams"), Ref("ElicitRequestURLParams")]),
    )
    .inline_before(),
    def(
        "ElicitRequestFormParams",
        since(V2025_11_25),
        Object(&[
            PARAMS,
            TASK_AUGMENTED,
            &[
                opt("mode", Const("form")).since(V2025_11_25),
                req(
                    "requestedSchema",
                    Object(&[&[
                        opt("$schema", Str).since(V2025_11_25),
                        req("type", Const("object")),
                        req("properties", Map(&Ref("PrimitiveSchemaDefinition"))),
                        opt("required", Array(&Str)),
                    ]]),
                ),
            ],
        ]),
    )
    .inline_before(),
    def(
        "ElicitRequestURLParams",
        since(V2025_11_25),
        Object(&[
            PARAMS,
            TASK_AUGMENTED,
            &[req("mode", Const("url")), req("url", Uri), req("elicitationId", Str).only(V2025_11_25)],
        ]),
    ),
    def(
        "ElicitResult",
        since(V2025_06_18),
        Object(&[&[
            opt("_meta", Ref("MetaObject")).until(V2025_11_25),
            req("action", Enum(&["accept", "decline", "cancel"])),
            opt("content", Map(&ANSWER)),
        ]]),
    ),
    def(
        "ElicitationCompleteNotification",
        only(V2025_11_25),
        Object(&[
            NOTIFICATION,
            &[
                method("notifications/elicitation/complete"),
                req("params", Object(&[&[req("elicitationId", Str)]])),
            ],
        ]),
    ),
];

const PARAMS: &[Field] = &[opt("_meta", Ref("RequestMetaObject")).only(V2025_11_25), req("message", Str)];

/// What a user filled in. The published schema forgets fractions, which a number field asks for.
const ANSWER: ValueShape = Either(&[
    Str,
    Narrowed { published: &Int, source: &Num },
    Bool,
    By(&[(since(V2025_11_25), Array(&Str))]),
]);
