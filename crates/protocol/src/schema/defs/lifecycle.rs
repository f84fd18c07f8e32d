//! How a connection begins: the handshake, discovery, capabilities; and requests for input inside a result.

use super::base::{CACHE, NO_PARAMS, NOTIFICATION, REQUEST, RESPONSE, RESULT};
use super::json::JSON_OBJECT;
use super::meta::REQUEST_PARAMS;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "InitializeRequest",
        LEGACY,
        Object(&[REQUEST, &[method("initialize"), req("params", Ref("InitializeRequestParams"))]]),
    ),
    def(
        "InitializeRequestParams",
        only(V2025_11_25),
        Object(&[
            REQUEST_PARAMS,
            &[
                req("protocolVersion", Str),
                req("capabilities", Ref("ClientCapabilities")),
                req("clientInfo", Ref("Implementation")),
            ],
        ]),
    )
    .inline_before(),
    def(
        "InitializeResult",
        LEGACY,
        Object(&[
            RESULT,
            &[
                req("protocolVersion", Str),
                req("capabilities", Ref("ServerCapabilities")),
                req("serverInfo", Ref("Implementation")),
                opt("instructions", Str),
            ],
        ]),
    ),
    def(
        "InitializedNotification",
        LEGACY,
        Object(&[NOTIFICATION, &[method("notifications/initialized")], NO_PARAMS]),
    ),
    def(
        "DiscoverRequest",
        MODERN,
        Object(&[REQUEST, &[method("server/discover"), req("params", Ref("RequestParams"))]]),
    ),
    def(
        "DiscoverResult",
        MODERN,
        Object(&[
            RESULT,
            CACHE,
            &[
                req("supportedVersions", Array(&Str)),
                req("capabilities", Ref("ServerCapabilities")),
                opt("instructions", Str),
            ],
        ]),
    ),
    def("DiscoverResultResponse", MODERN, Object(&[RESPONSE, &[req("result", Ref("DiscoverResult"))]])),
    def(
        "ClientCapabilities",
        ALWAYS,
        Object(&[
            OUTSIDE_CORE,
            &[
                opt("roots", Object(&[&[LIST_CHANGED.until(V2025_11_25)]])),
                opt("sampling", Object(&[&[since_tools("context"), since_tools("tools")]])),
                opt("elicitation", Object(&[&[since_tools("form"), since_tools("url")]])).since(V2025_06_18),
                opt("tasks", Object(&[TASKS, &[opt("requests", CLIENT_TASK_REQUESTS)]])).only(V2025_11_25),
            ],
        ]),
    ),
    def(
        "ServerCapabilities",
        ALWAYS,
        Object(&[
            OUTSIDE_CORE,
            &[
                opt("logging", JSON_OBJECT),
                opt("completions", JSON_OBJECT).since(V2025_03_26),
                opt("prompts", Object(&[&[LIST_CHANGED]])),
                opt("resources", Object(&[&[opt("subscribe", Bool), LIST_CHANGED]])),
                opt("tools", Object(&[&[LIST_CHANGED]])),
                opt("tasks", Object(&[TASKS, &[opt("requests", SERVER_TASK_REQUESTS)]])).only(V2025_11_25),
            ],
        ]),
    ),
    def(
        "InputRequest",
        MODERN,
        Either(&[Ref("CreateMessageRequest"), Ref("ListRootsRequest"), Ref("ElicitRequest")]),
    ),
    def("InputRequests", MODERN, Map(&Ref("InputRequest"))),
    def(
        "InputRequiredResult",
        MODERN,
        Object(&[RESULT, &[opt("inputRequests", Ref("InputRequests")), opt("requestState", Str)]]),
    ),
    def(
        "InputResponse",
        MODERN,
        Either(&[Ref("CreateMessageResult"), Ref("ListRootsResult"), Ref("ElicitResult")]),
    ),
    def("InputResponses", MODERN, Map(&Ref("InputResponse"))),
    def("InputResponseRequestParams", MODERN, Object(&[REQUEST_PARAMS, INPUT_RESPONSES])),
];

/// What a request carries when it is made again with the input that its first answer asked for.
pub(super) const INPUT_RESPONSES: &[Field] = &[
    opt("inputResponses", Ref("InputResponses")).since(V2026_07_28),
    opt("requestState", Str).since(V2026_07_28),
];

const OUTSIDE_CORE: &[Field] =
    &[opt("experimental", Map(&JSON_OBJECT)), opt("extensions", Map(&JSON_OBJECT)).since(V2026_07_28)];

const LIST_CHANGED: Field = opt("listChanged", Bool);

const TASKS: &[Field] = &[opt("list", AnyObject), opt("cancel", AnyObject)];

const CLIENT_TASK_REQUESTS: ValueShape = Object(&[&[
    opt("sampling", Object(&[&[opt("createMessage", AnyObject)]])),
    opt("elicitation", Object(&[&[opt("create", AnyObject)]])),
]]);

const SERVER_TASK_REQUESTS: ValueShape = Object(&[&[opt("tools", Object(&[&[opt("call", AnyObject)]]))]]);

/// A part of a capability that was all or nothing before sampling got tools.
const fn since_tools(name: &'static str) -> Field {
    opt(name, JSON_OBJECT).since(V2025_11_25)
}
