//! What a View asks of its host, and the other way round.

use super::{BASE, MODE, SILENT};
use crate::schema::defs::base::{NOTIFICATION, REQUEST, RESULT};
use crate::schema::defs::meta::REQUEST_PARAMS;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "McpUiOpenLinkRequest",
        BASE,
        Object(&[
            REQUEST,
            &[method("ui/open-link"), req("params", Object(&[REQUEST_PARAMS, &[req("url", Str)]]))],
        ]),
    ),
    def("McpUiOpenLinkResult", BASE, DONE),
    def(
        "McpUiDownloadFileRequest",
        BASE,
        Object(&[
            REQUEST,
            &[
                method("ui/download-file"),
                req("params", Object(&[REQUEST_PARAMS, &[req("contents", Array(&FILE))]])),
            ],
        ]),
    ),
    def("McpUiDownloadFileResult", BASE, DONE),
    def(
        "McpUiMessageRequest",
        BASE,
        Object(&[
            REQUEST,
            &[
                method("ui/message"),
                req(
                    "params",
                    Object(&[REQUEST_PARAMS, &[req("role", Const("user")), req("content", SPOKEN)]]),
                ),
            ],
        ]),
    ),
    def("McpUiMessageResult", BASE, DONE),
    def(
        "McpUiUpdateModelContextRequest",
        BASE,
        Object(&[
            REQUEST,
            &[
                method("ui/update-model-context"),
                req(
                    "params",
                    Object(&[
                        REQUEST_PARAMS,
                        &[opt("content", Array(&Ref("ContentBlock"))), opt("structuredContent", AnyObject)],
                    ]),
                ),
            ],
        ]),
    ),
    def("McpUiUpdateModelContextResult", BASE, DONE),
    def(
        "McpUiRequestDisplayModeRequest",
        BASE,
        Object(&[
            REQUEST,
            &[
                method("ui/request-display-mode"),
                req("params", Object(&[REQUEST_PARAMS, &[req("mode", MODE)]])),
            ],
        ]),
    ),
    def("McpUiRequestDisplayModeResult", BASE, Object(&[RESULT, &[req("mode", MODE)]])),
    def(
        "McpUiResourceTeardownRequest",
        BASE,
        Object(&[
            REQUEST,
            &[
                method("ui/resource-teardown"),
                // The text has a reason and calls it optional; the TypeScript has none.
                opt("params", Object(&[REQUEST_PARAMS, &[opt("reason", Str)]])),
            ],
        ]),
    ),
    def("McpUiResourceTeardownResult", BASE, Object(&[RESULT])),
    def(
        "McpUiRequestTeardownNotification",
        BASE,
        Object(&[NOTIFICATION, &[method("ui/notifications/request-teardown")], SILENT]),
    ),
];

/// An empty object in the text; with `isError` in the TypeScript.
const DONE: ValueShape = Object(&[RESULT, &[opt("isError", Bool)]]);

const FILE: ValueShape = Either(&[Ref("EmbeddedResource"), Ref("ResourceLink")]);

/// One content block in the text, a list of them in the TypeScript.
const SPOKEN: ValueShape = Either(&[Ref("ContentBlock"), Array(&Ref("ContentBlock"))]);
