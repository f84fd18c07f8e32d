//! Errors, in general and by code.

use super::envelope::ERROR_RESPONSE;
use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def("Error", since(V2025_11_25), Object(&[&[req("code", Int)], MESSAGE, DATA])).inline_before(),
    def("ParseError", MODERN, Object(&[&[req("code", Code(-32700))], MESSAGE, DATA])),
    def("InvalidRequestError", MODERN, Object(&[&[req("code", Code(-32600))], MESSAGE, DATA])),
    def("MethodNotFoundError", MODERN, Object(&[&[req("code", Code(-32601))], MESSAGE, DATA])),
    def("InvalidParamsError", MODERN, Object(&[&[req("code", Code(-32602))], MESSAGE, DATA])),
    def("InternalError", MODERN, Object(&[&[req("code", Code(-32603))], MESSAGE, DATA])),
    def(
        "HeaderMismatchError",
        MODERN,
        Object(&[ERROR_RESPONSE, &[req("error", Object(&[&[req("code", Code(-32020))], MESSAGE, DATA]))]]),
    ),
    def(
        "MissingRequiredClientCapabilityError",
        MODERN,
        Object(&[
            ERROR_RESPONSE,
            &[req(
                "error",
                Object(&[
                    MESSAGE,
                    &[
                        req("code", Code(-32021)),
                        req("data", Object(&[&[req("requiredCapabilities", Ref("ClientCapabilities"))]])),
                    ],
                ]),
            )],
        ]),
    ),
    def(
        "UnsupportedProtocolVersionError",
        MODERN,
        Object(&[
            ERROR_RESPONSE,
            &[req(
                "error",
                Object(&[
                    MESSAGE,
                    &[
                        req("code", Code(-32022)),
                        req("data", Object(&[&[req("supported", Array(&Str)), req("requested", Str)]])),
                    ],
                ]),
            )],
        ]),
    ),
    def(
        "URLElicitationRequiredError",
        only(V2025_11_25),
        Object(&[
            ERROR_RESPONSE,
            &[req(
                "error",
                Object(&[
                    MESSAGE,
                    &[
                        req("code", Code(-32042)),
                        req("data", Object(&[&[req("elicitations", Array(&Ref("ElicitRequestURLParams")))]])),
                    ],
                ]),
            )],
        ]),
    ),
];

const MESSAGE: &[Field] = &[req("message", Str)];
const DATA: &[Field] = &[opt("data", Any)];
