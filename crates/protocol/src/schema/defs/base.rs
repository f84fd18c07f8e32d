//! What requests, notifications and results have in common.

use super::meta::{NOTIFICATION_PARAMS, REQUEST_PARAMS};
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("RequestId", ALWAYS, Either(&[Str, Int])),
    def("ProgressToken", ALWAYS, Either(&[Str, Int])),
    def("Cursor", ALWAYS, Str),
    def("Role", ALWAYS, Enum(&["user", "assistant"])),
    def("Request", ALWAYS, Object(&[ANY_REQUEST])),
    def(
        "RequestParams",
        since(V2025_11_25),
        Object(&[&[opt("_meta", Ref("RequestMetaObject")).until(V2025_06_18)], REQUEST_PARAMS]),
    )
    .inline_before(),
    def("Notification", ALWAYS, Object(&[ANY_NOTIFICATION])),
    def(
        "NotificationParams",
        since(V2025_11_25),
        Object(&[&[opt("_meta", Ref("NotificationMetaObject")).until(V2025_06_18)], NOTIFICATION_PARAMS]),
    )
    .inline_before(),
    def("Result", ALWAYS, Object(&[RESULT])),
    def("ResultType", MODERN, Str),
    def("EmptyResult", ALWAYS, Ref("Result")),
    def("PaginatedRequest", ALWAYS, Object(&[REQUEST, &[req("method", Str)], PAGE_PARAMS])),
    def(
        "PaginatedRequestParams",
        since(V2025_11_25),
        Object(&[REQUEST_PARAMS, &[opt("cursor", Ref("Cursor"))]]),
    )
    .inline_before(),
    def("PaginatedResult", ALWAYS, Object(&[RESULT, NEXT_PAGE])),
    def("CacheableResult", MODERN, Object(&[RESULT, CACHE])),
    def("BaseMetadata", since(V2025_06_18), Object(&[NAMES])),
    def("Icons", since(V2025_11_25), Object(&[ICONS])),
    def(
        "Icon",
        since(V2025_11_25),
        Object(&[&[
            req("src", Uri),
            opt("mimeType", Str),
            opt("sizes", Array(&Str)),
            opt("theme", Enum(&["light", "dark"])),
        ]]),
    ),
    def(
        "Implementation",
        ALWAYS,
        Object(&[
            NAMES,
            ICONS,
            &[
                req("version", Str),
                opt("description", Str).since(V2025_11_25),
                opt("websiteUrl", Uri).since(V2025_11_25),
            ],
        ]),
    ),
];

/// The envelope of a request. Older schemas describe it apart from the methods, in `JSONRPCRequest`.
pub(super) const REQUEST: &[Field] =
    &[VERSION.since(V2025_11_25), req("id", Ref("RequestId")).since(V2025_11_25)];

/// The envelope of a request by the server: from 2026-07-28 on it travels inside a result and has none.
pub(super) const SERVER_REQUEST: &[Field] =
    &[VERSION.only(V2025_11_25), req("id", Ref("RequestId")).only(V2025_11_25)];

/// The envelope of a notification, with the same history.
pub(super) const NOTIFICATION: &[Field] = &[VERSION.since(V2025_11_25)];

/// The envelope of an answer.
pub(super) const RESPONSE: &[Field] = &[VERSION, req("id", Ref("RequestId"))];

/// `jsonrpc`.
pub(super) const VERSION: Field = req("jsonrpc", Const("2.0"));

pub(super) const ANY_REQUEST: &[Field] = &[
    req("method", Str),
    opt("params", By(&[(until(V2025_06_18), Ref("RequestParams")), (since(V2025_11_25), AnyObject)])),
];

pub(super) const ANY_NOTIFICATION: &[Field] = &[
    req("method", Str),
    opt("params", By(&[(until(V2025_06_18), Ref("NotificationParams")), (since(V2025_11_25), AnyObject)])),
];

/// Optional params that say nothing of their own.
pub(super) const NO_PARAMS: &[Field] = &[opt("params", Ref("NotificationParams"))];

/// The params of a request for a page.
pub(super) const PAGE_PARAMS: &[Field] = &[
    opt("params", Ref("PaginatedRequestParams")).until(V2025_11_25),
    req("params", Ref("PaginatedRequestParams")).since(V2026_07_28),
];

/// What every result of a server carries.
pub(super) const RESULT: &[Field] =
    &[opt("_meta", Ref("ResultMetaObject")), req("resultType", Ref("ResultType")).since(V2026_07_28)];

pub(super) const NEXT_PAGE: &[Field] = &[opt("nextCursor", Ref("Cursor"))];

/// How long, and for whom, a result may be kept.
pub(super) const CACHE: &[Field] = &[
    req("ttlMs", IntFrom(0)).since(V2026_07_28),
    req("cacheScope", Enum(&["public", "private"])).since(V2026_07_28),
];

/// The name for programs and the one for people.
pub(super) const NAMES: &[Field] = &[req("name", Str), opt("title", Str).since(V2025_06_18)];

pub(super) const ICONS: &[Field] = &[opt("icons", Array(&Ref("Icon"))).since(V2025_11_25)];
