//! The stream of notifications that a modern client asks for.

use super::base::{NOTIFICATION, REQUEST, RESPONSE};
use super::meta::{NOTIFICATION_PARAMS, REQUEST_PARAMS};
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("SubscriptionFilter", MODERN, Object(&[FILTER])),
    def(
        "SubscriptionsListenRequest",
        MODERN,
        Object(&[
            REQUEST,
            &[method("subscriptions/listen"), req("params", Ref("SubscriptionsListenRequestParams"))],
        ]),
    ),
    def(
        "SubscriptionsListenRequestParams",
        MODERN,
        Object(&[REQUEST_PARAMS, &[req("notifications", Ref("SubscriptionFilter"))]]),
    ),
    def(
        "SubscriptionsListenResult",
        MODERN,
        Object(&[&[
            req("_meta", Ref("SubscriptionsListenResultMetaObject")),
            req("resultType", Ref("ResultType")),
        ]]),
    ),
    def(
        "SubscriptionsListenResultResponse",
        MODERN,
        Object(&[RESPONSE, &[req("result", Ref("SubscriptionsListenResult"))]]),
    ),
    def(
        "SubscriptionsAcknowledgedNotification",
        MODERN,
        Object(&[
            NOTIFICATION,
            &[
                method("notifications/subscriptions/acknowledged"),
                req("params", Ref("SubscriptionsAcknowledgedNotificationParams")),
            ],
        ]),
    ),
    def(
        "SubscriptionsAcknowledgedNotificationParams",
        MODERN,
        Object(&[NOTIFICATION_PARAMS, &[req("notifications", Ref("SubscriptionFilter"))]]),
    ),
];

/// What a client may listen for.
pub(super) const FILTER: &[Field] = &[
    opt("toolsListChanged", Bool),
    opt("promptsListChanged", Bool),
    opt("resourcesListChanged", Bool),
    opt("resourceSubscriptions", Array(&Str)),
];
