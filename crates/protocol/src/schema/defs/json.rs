//! Plain JSON, which the modern schema names.

use crate::schema::words::*;

pub(super) const DEFS: &[Def] = &[
    def(
        "JSONValue",
        MODERN,
        // The generator of the published schema lost `null` and fractions.
        Narrowed {
            published: &Either(&[Ref("JSONObject"), Array(&Ref("JSONValue")), Str, Int, Bool]),
            source: &Any,
        },
    ),
    def("JSONObject", MODERN, Map(&Ref("JSONValue"))),
    def("JSONArray", MODERN, Array(&Ref("JSONValue"))),
];

/// An object of settings that the protocol does not look into.
pub(super) const JSON_OBJECT: ValueShape = By(&[(LEGACY, AnyObject), (MODERN, Ref("JSONObject"))]);
