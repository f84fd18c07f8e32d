//! Faults in comparing headers with the body, in 2026-07-28.

use serde_json::json;
use transport::serve::http::Slip;

use super::edit::result_of;
use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] = &[
    &NAME_UNCHECKED,
    &NAME_NOT_DECODED,
    &CAPITALS_LOST,
    &DECLARATION_BAD,
    &PARAM_UNCHECKED,
    &PARAM_OPTIONAL,
    &PARAM_ALWAYS_EXPECTED,
    &PARAM_NOT_DECODED,
    &PARAM_AS_TEXT,
    &PARAM_ANY_BYTES,
];

/// The name in the header is not looked at.
pub const NAME_UNCHECKED: Fault = Fault {
    name: "name-unchecked",
    about: "Mcp-Name may be missing or say anything",
    effect: Effect::Switch,
};

/// An encoded name is compared as it stands.
pub const NAME_NOT_DECODED: Fault = Fault {
    name: "name-not-decoded",
    about: "an Mcp-Name in base64 is compared without decoding it",
    effect: Effect::Switch,
};

/// Names of headers are told apart by their case.
pub const CAPITALS_LOST: Fault = Fault {
    name: "capitals-lost",
    about: "MCP-METHOD in capitals is not seen",
    effect: Effect::Http(|options| options.slips.push(Slip::CapitalsLost)),
};

/// A declaration that clients have to refuse.
pub const DECLARATION_BAD: Fault = Fault {
    name: "declaration-bad",
    about: "a tool declares an x-mcp-header that is no token, on a number",
    effect: Effect::Message(|outgoing, message| {
        result_of(outgoing, "tools/list", message, |result| {
            let bad = json!({ "type": "number", "x-mcp-header": "Not A Token" });
            result["tools"][0]["inputSchema"]["properties"]["weight"] = bad;
        })
    }),
};

/// Parameters in headers are not looked at.
pub const PARAM_UNCHECKED: Fault = Fault {
    name: "param-unchecked",
    about: "an Mcp-Param header may contradict the argument that it repeats",
    effect: Effect::Switch,
};

/// Parameters in headers may be left out.
pub const PARAM_OPTIONAL: Fault = Fault {
    name: "param-optional",
    about: "an argument need not be repeated in its Mcp-Param header",
    effect: Effect::Switch,
};

/// Every declared header is waited for.
pub const PARAM_ALWAYS_EXPECTED: Fault = Fault {
    name: "param-always-expected",
    about: "an Mcp-Param header is asked for even where the call has no such argument",
    effect: Effect::Switch,
};

/// An encoded parameter is compared as it stands.
pub const PARAM_NOT_DECODED: Fault = Fault {
    name: "param-not-decoded",
    about: "an Mcp-Param header in base64 is compared without decoding it",
    effect: Effect::Switch,
};

/// Numbers are compared as text.
pub const PARAM_AS_TEXT: Fault = Fault {
    name: "param-as-text",
    about: "an integer in an Mcp-Param header is compared as text",
    effect: Effect::Switch,
};

/// Bytes that a header must not have are let through.
pub const PARAM_ANY_BYTES: Fault = Fault {
    name: "param-any-bytes",
    about: "an Mcp-Param header may carry raw UTF-8",
    effect: Effect::Switch,
};
