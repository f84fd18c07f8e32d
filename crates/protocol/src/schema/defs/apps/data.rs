//! The data of the tool call, sizes, and what passes between host and sandbox proxy.

use super::handshake::SANDBOX;
use super::{BASE, SILENT};
use crate::schema::defs::base::{NOTIFICATION, RESULT};
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "McpUiToolInputNotification",
        BASE,
        Object(&[NOTIFICATION, &[method("ui/notifications/tool-input")], INPUT]),
    ),
    def(
        "McpUiToolInputPartialNotification",
        BASE,
        Object(&[NOTIFICATION, &[method("ui/notifications/tool-input-partial")], INPUT]),
    ),
    def(
        "McpUiToolResultNotification",
        BASE,
        Object(&[
            NOTIFICATION,
            &[method("ui/notifications/tool-result"), req("params", Ref("CallToolResult"))],
        ]),
    ),
    def(
        "McpUiToolCancelledNotification",
        BASE,
        Object(&[
            NOTIFICATION,
            &[method("ui/notifications/tool-cancelled"), opt("params", Object(&[&[opt("reason", Str)]]))],
        ]),
    ),
    def(
        "McpUiSizeChangedNotification",
        BASE,
        Object(&[
            NOTIFICATION,
            &[
                method("ui/notifications/size-changed"),
                req("params", Object(&[&[opt("width", Num), opt("height", Num)]])),
            ],
        ]),
    ),
    def(
        "McpUiSandboxProxyReadyNotification",
        BASE,
        Object(&[NOTIFICATION, &[method("ui/notifications/sandbox-proxy-ready")], SILENT]),
    ),
    def(
        "McpUiSandboxResourceReadyNotification",
        BASE,
        Object(&[
            NOTIFICATION,
            &[
                method("ui/notifications/sandbox-resource-ready"),
                req("params", Object(&[&[req("html", Str), opt("sandbox", Str)], SANDBOX])),
            ],
        ]),
    ),
    // As in 2025-11-25, but what is structured may be any JSON: hosts pass on what newer servers answer.
    def(
        "CallToolResult",
        BASE,
        Object(&[
            RESULT,
            &[
                req("content", Array(&Ref("ContentBlock"))),
                opt("structuredContent", Any),
                opt("isError", Bool),
            ],
        ]),
    ),
];

/// The arguments are required in the text, and optional in the TypeScript.
const INPUT: &[Field] = &[req("params", Object(&[&[opt("arguments", AnyObject)]]))];
