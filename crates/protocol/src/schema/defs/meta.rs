//! `_meta`, by who carries it.

use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("MetaObject", MODERN, AnyObject).inline_before(),
    def(
        "RequestMetaObject",
        MODERN,
        Object(&[&[
            opt("progressToken", Ref("ProgressToken")),
            req("io.modelcontextprotocol/protocolVersion", Str).since(V2026_07_28),
            req("io.modelcontextprotocol/clientCapabilities", Ref("ClientCapabilities")).since(V2026_07_28),
            opt("io.modelcontextprotocol/clientInfo", Ref("Implementation")).since(V2026_07_28),
            opt("io.modelcontextprotocol/logLevel", Ref("LoggingLevel")).since(V2026_07_28),
        ]]),
    )
    .inline_before(),
    def(
        "NotificationMetaObject",
        MODERN,
        Object(&[&[opt("io.modelcontextprotocol/subscriptionId", Ref("RequestId")).since(V2026_07_28)]]),
    )
    .inline_before(),
    def("ResultMetaObject", MODERN, Object(&[RESULT_META])).inline_before(),
    def(
        "SubscriptionsListenResultMetaObject",
        MODERN,
        Object(&[RESULT_META, &[req("io.modelcontextprotocol/subscriptionId", Ref("RequestId"))]]),
    ),
];

const RESULT_META: &[Field] =
    &[opt("io.modelcontextprotocol/serverInfo", Ref("Implementation")).since(V2026_07_28)];

/// `_meta` of a tool, a resource, a piece of content and the like.
pub(super) const META: &[Field] = &[opt("_meta", Ref("MetaObject")).since(V2025_06_18)];

/// What the params of every request carry. Before 2025-11-25 only the general request says so.
pub(super) const REQUEST_PARAMS: &[Field] = &[
    opt("_meta", Ref("RequestMetaObject")).only(V2025_11_25),
    req("_meta", Ref("RequestMetaObject")).since(V2026_07_28),
];

/// What the params of every notification carry. Before 2025-11-25 only the general notification says so.
pub(super) const NOTIFICATION_PARAMS: &[Field] =
    &[opt("_meta", Ref("NotificationMetaObject")).since(V2025_11_25)];
