//! Resources and resource templates: listed, read, subscribed to.

use super::base::{
    CACHE, ICONS, NAMES, NEXT_PAGE, NO_PARAMS, NOTIFICATION, PAGE_PARAMS, REQUEST, RESPONSE, RESULT,
};
use super::content::ANNOTATED;
use super::lifecycle::INPUT_RESPONSES;
use super::meta::{META, NOTIFICATION_PARAMS, REQUEST_PARAMS};
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("Resource", ALWAYS, Object(&[NAMES, ICONS, RESOURCE, ANNOTATED, META])),
    def(
        "ResourceTemplate",
        ALWAYS,
        Object(&[
            NAMES,
            ICONS,
            &[req("uriTemplate", UriTemplate), opt("description", Str), opt("mimeType", Str)],
            ANNOTATED,
            META,
        ]),
    ),
    def("ResourceContents", ALWAYS, Object(&[CONTENTS, META])),
    def("TextResourceContents", ALWAYS, Object(&[CONTENTS, &[req("text", Str)], META])),
    def("BlobResourceContents", ALWAYS, Object(&[CONTENTS, &[req("blob", Base64)], META])),
    def("ListResourcesRequest", ALWAYS, Object(&[REQUEST, &[method("resources/list")], PAGE_PARAMS])),
    def(
        "ListResourcesResult",
        ALWAYS,
        Object(&[RESULT, NEXT_PAGE, CACHE, &[req("resources", Array(&Ref("Resource")))]]),
    ),
    def(
        "ListResourcesResultResponse",
        MODERN,
        Object(&[RESPONSE, &[req("result", Ref("ListResourcesResult"))]]),
    ),
    def(
        "ListResourceTemplatesRequest",
        ALWAYS,
        Object(&[REQUEST, &[method("resources/templates/list")], PAGE_PARAMS]),
    ),
    def(
        "ListResourceTemplatesResult",
        ALWAYS,
        Object(&[RESULT, NEXT_PAGE, CACHE, &[req("resourceTemplates", Array(&Ref("ResourceTemplate")))]]),
    ),
    def(
        "ListResourceTemplatesResultResponse",
        MODERN,
        Object(&[RESPONSE, &[req("result", Ref("ListResourceTemplatesResult"))]]),
    ),
    def("ResourceRequestParams", since(V2025_11_25), Object(&[REQUEST_PARAMS, URI])),
    def(
        "ReadResourceRequest",
        ALWAYS,
        Object(&[REQUEST, &[method("resources/read"), req("params", Ref("ReadResourceRequestParams"))]]),
    ),
    def("ReadResourceRequestParams", since(V2025_11_25), Object(&[REQUEST_PARAMS, INPUT_RESPONSES, URI]))
        .inline_before(),
    def(
        "ReadResourceResult",
        ALWAYS,
        Object(&[
            RESULT,
            CACHE,
            &[req("contents", Array(&Either(&[Ref("TextResourceContents"), Ref("BlobResourceContents")])))],
        ]),
    ),
    def(
        "ReadResourceResultResponse",
        MODERN,
        Object(&[
            RESPONSE,
            &[req("result", Either(&[Ref("ReadResourceResult"), Ref("InputRequiredResult")]))],
        ]),
    ),
    def(
        "SubscribeRequest",
        LEGACY,
        Object(&[REQUEST, &[method("resources/subscribe"), req("params", Ref("SubscribeRequestParams"))]]),
    ),
    def("SubscribeRequestParams", only(V2025_11_25), Object(&[REQUEST_PARAMS, URI])).inline_before(),
    def(
        "UnsubscribeRequest",
        LEGACY,
        Object(&[
            REQUEST,
            &[method("resources/unsubscribe"), req("params", Ref("UnsubscribeRequestParams"))],
        ]),
    ),
    def("UnsubscribeRequestParams", only(V2025_11_25), Object(&[REQUEST_PARAMS, URI])).inline_before(),
    def(
        "ResourceListChangedNotification",
        ALWAYS,
        Object(&[NOTIFICATION, &[method("notifications/resources/list_changed")], NO_PARAMS]),
    ),
    def(
        "ResourceUpdatedNotification",
        ALWAYS,
        Object(&[
            NOTIFICATION,
            &[
                method("notifications/resources/updated"),
                req("params", Ref("ResourceUpdatedNotificationParams")),
            ],
        ]),
    ),
    def("ResourceUpdatedNotificationParams", since(V2025_11_25), Object(&[NOTIFICATION_PARAMS, URI]))
        .inline_before(),
];

/// What a resource and a link to one have, besides names, icons, annotations and `_meta`.
pub(super) const RESOURCE: &[Field] =
    &[req("uri", Uri), opt("description", Str), opt("mimeType", Str), opt("size", Int)];

const CONTENTS: &[Field] = &[req("uri", Uri), opt("mimeType", Str)];
const URI: &[Field] = &[req("uri", Uri)];
