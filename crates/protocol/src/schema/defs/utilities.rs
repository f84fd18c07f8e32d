//! Ping, progress, cancellation and logging.

use super::base::{NOTIFICATION, REQUEST};
use super::meta::{NOTIFICATION_PARAMS, REQUEST_PARAMS};
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("PingRequest", LEGACY, Object(&[REQUEST, &[method("ping"), opt("params", Ref("RequestParams"))]])),
    def(
        "ProgressNotification",
        ALWAYS,
        Object(&[
            NOTIFICATION,
            &[method("notifications/progress"), req("params", Ref("ProgressNotificationParams"))],
        ]),
    ),
    def(
        "ProgressNotificationParams",
        since(V2025_11_25),
        Object(&[
            NOTIFICATION_PARAMS,
            &[
                req("progressToken", Ref("ProgressToken")),
                req("progress", Num),
                opt("total", Num),
                opt("message", Str).since(V2025_03_26),
            ],
        ]),
    )
    .inline_before(),
    def(
        "CancelledNotification",
        ALWAYS,
        Object(&[
            NOTIFICATION,
            &[method("notifications/cancelled"), req("params", Ref("CancelledNotificationParams"))],
        ]),
    ),
    def(
        "CancelledNotificationParams",
        since(V2025_11_25),
        Object(&[
            NOTIFICATION_PARAMS,
            &[
                req("requestId", Ref("RequestId")).until(V2025_06_18),
                opt("requestId", Ref("RequestId")).only(V2025_11_25),
                req("requestId", Ref("RequestId")).since(V2026_07_28),
                opt("reason", Str),
            ],
        ]),
    )
    .inline_before(),
    def(
        "LoggingLevel",
        ALWAYS,
        Enum(&["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]),
    ),
    def(
        "SetLevelRequest",
        LEGACY,
        Object(&[REQUEST, &[method("logging/setLevel"), req("params", Ref("SetLevelRequestParams"))]]),
    ),
    def(
        "SetLevelRequestParams",
        only(V2025_11_25),
        Object(&[REQUEST_PARAMS, &[req("level", Ref("LoggingLevel"))]]),
    )
    .inline_before(),
    def(
        "LoggingMessageNotification",
        ALWAYS,
        Object(&[
            NOTIFICATION,
            &[method("notifications/message"), req("params", Ref("LoggingMessageNotificationParams"))],
        ]),
    ),
    def(
        "LoggingMessageNotificationParams",
        since(V2025_11_25),
        Object(&[
            NOTIFICATION_PARAMS,
            &[req("level", Ref("LoggingLevel")), opt("logger", Str), req("data", Any)],
        ]),
    )
    .inline_before(),
];
