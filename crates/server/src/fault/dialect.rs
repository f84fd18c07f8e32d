//! The dialect of mcp-validator, which is not MCP: spoken correctly on request, or with one fault. The correct dialect is
//! not a fault, so it is not listed as one.

use serde_json::json;

use super::edit::{each, remove, result_of};
use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] =
    &[&RESULT_LOST, &ANY_CALL_TAKEN, &CANCEL_WITHOUT_EFFECT, &INFO_NAMELESS, &CONFIGURATION_FORGOTTEN];

pub const SPOKEN: Fault = Fault {
    name: "dialect-spoken",
    about: "the server speaks the dialect of mcp-validator besides MCP",
    effect: Effect::Dialect,
};

pub const RESULT_LOST: Fault = Fault {
    name: "dialect-result-lost",
    about: "in the dialect of mcp-validator, tools/result says running for ever",
    effect: Effect::Several(&[
        Effect::Dialect,
        Effect::Set(&["tools/result"], &["status"], || "running".into()),
    ]),
};

pub const ANY_CALL_TAKEN: Fault = Fault {
    name: "dialect-any-call-taken",
    about: "in the dialect of mcp-validator, tools/call-async gives an id for a tool that does not exist",
    effect: Effect::Several(&[
        Effect::Dialect,
        Effect::Message(|out, m| {
            let refused = out.method == Some("tools/call-async") && m.get("error").is_some();
            each(m, |m| {
                if refused {
                    remove(m, "error");
                    m["result"] = json!({ "id": "nothing", "status": "running" });
                }
            })
        }),
    ]),
};

pub const CANCEL_WITHOUT_EFFECT: Fault = Fault {
    name: "dialect-cancel-without-effect",
    about: "in the dialect of mcp-validator, a call that was cancelled goes on",
    effect: Effect::Several(&[
        Effect::Dialect,
        Effect::Message(|out, m| {
            result_of(out, "tools/result", m, |r| {
                if r["status"] == "cancelled" {
                    r["status"] = "running".into();
                }
            })
        }),
    ]),
};

pub const INFO_NAMELESS: Fault = Fault {
    name: "dialect-info-nameless",
    about: "in the dialect of mcp-validator, server/info says no name",
    effect: Effect::Several(&[Effect::Dialect, Effect::Remove(&["server/info"], &["name"])]),
};

pub const CONFIGURATION_FORGOTTEN: Fault = Fault {
    name: "dialect-configuration-forgotten",
    about: "in the dialect of mcp-validator, workspace/configuration says nothing",
    effect: Effect::Several(&[
        Effect::Dialect,
        Effect::Remove(&["workspace/configuration"], &["configuration"]),
    ]),
};
