//! Roots: the places a client lets a server look at.

use super::base::{NO_PARAMS, NOTIFICATION, SERVER_REQUEST};
use super::meta::META;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("Root", ALWAYS, Object(&[&[req("uri", Uri), opt("name", Str)], META])),
    def(
        "ListRootsRequest",
        ALWAYS,
        Object(&[
            SERVER_REQUEST,
            &[
                method("roots/list"),
                opt("params", Ref("RequestParams")).until(V2025_11_25),
                opt("params", Object(&[META])).since(V2026_07_28),
            ],
        ]),
    ),
    def(
        "ListRootsResult",
        ALWAYS,
        Object(&[&[opt("_meta", Ref("MetaObject")).until(V2025_11_25), req("roots", Array(&Ref("Root")))]]),
    ),
    def(
        "RootsListChangedNotification",
        LEGACY,
        Object(&[NOTIFICATION, &[method("notifications/roots/list_changed")], NO_PARAMS]),
    ),
];
