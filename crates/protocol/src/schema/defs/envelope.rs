//! JSON-RPC messages, whatever their method.

use super::base::{ANY_NOTIFICATION, ANY_REQUEST, RESPONSE, VERSION};
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("JSONRPCRequest", ALWAYS, Object(&[RESPONSE, ANY_REQUEST])),
    def("JSONRPCNotification", ALWAYS, Object(&[&[VERSION], ANY_NOTIFICATION])),
    def(
        "JSONRPCResponse",
        ALWAYS,
        By(&[
            (until(V2025_06_18), RESULT_RESPONSE),
            (since(V2025_11_25), Either(&[Ref("JSONRPCResultResponse"), Ref("JSONRPCErrorResponse")])),
        ]),
    ),
    def("JSONRPCResultResponse", since(V2025_11_25), RESULT_RESPONSE),
    def("JSONRPCError", until(V2025_06_18), Object(&[RESPONSE, &[req("error", Ref("Error"))]])),
    def("JSONRPCErrorResponse", since(V2025_11_25), Object(&[ERROR_RESPONSE, &[req("error", Ref("Error"))]])),
    def(
        "JSONRPCBatchRequest",
        only(V2025_03_26),
        Array(&Either(&[Ref("JSONRPCRequest"), Ref("JSONRPCNotification")])),
    ),
    def(
        "JSONRPCBatchResponse",
        only(V2025_03_26),
        Array(&Either(&[Ref("JSONRPCResponse"), Ref("JSONRPCError")])),
    ),
    def(
        "JSONRPCMessage",
        ALWAYS,
        Either(&[
            Ref("JSONRPCRequest"),
            Ref("JSONRPCNotification"),
            Ref("JSONRPCBatchRequest"),
            Ref("JSONRPCResponse"),
            Ref("JSONRPCError"),
            Ref("JSONRPCBatchResponse"),
        ]),
    ),
];

const RESULT_RESPONSE: ValueShape = Object(&[RESPONSE, &[req("result", Ref("Result"))]]);

/// The envelope of an error: the id of a request that could not be read is unknown.
pub(super) const ERROR_RESPONSE: &[Field] = &[VERSION, opt("id", Ref("RequestId"))];
