//! Faults of negotiation: capabilities, revisions, order.

use protocol::{Era, Version, code};
use serde_json::json;
use transport::serve::Opening;

use super::edit::{in_error, legacy, preceded_by, recode, remove, result_of, results_of, without_data};
use super::lifecycle::is_unknown;
use super::{Effect, Fault, Reaction};

pub(super) const FAULTS: &[&Fault] = &[
    &ASKS_TOO_EARLY,
    &LOGGING_UNDECLARED,
    &CHANGES_UNDECLARED,
    &TELLS_TOO_EARLY,
    &METHOD_OF_OTHER_REVISION,
    &CAPABILITY_UNSERVED,
    &OLDEST_OFFERED,
    &DISCOVERY_FIRST,
    &REQUESTED_NOT_NAMED,
    &VERSION_GUESSED,
    &EXTENSION_WITHOUT_PREFIX,
    &REMOVED_METHOD_SERVED,
    &MISSING_CAPABILITY_WRONG_CODE,
    &MISSING_CAPABILITY_UNNAMED,
    &MISSING_CAPABILITY_MISNAMED,
];

const OPENINGS: &[&str] = &["initialize", "server/discover"];

pub const ASKS_TOO_EARLY: Fault = Fault {
    name: "asks-too-early",
    about: "the client is asked for its roots before the handshake is over",
    effect: Effect::Message(|out, m| {
        let first = out.method == Some("initialize");
        preceded_by(m, first, json!({ "jsonrpc": "2.0", "id": "early", "method": "roots/list" }))
    }),
};

pub const LOGGING_UNDECLARED: Fault = Fault {
    name: "logging-undeclared",
    about: "log messages are sent, but the capability is not declared",
    effect: Effect::Remove(OPENINGS, &["capabilities", "logging"]),
};

pub const CHANGES_UNDECLARED: Fault = Fault {
    name: "changes-undeclared",
    about: "changes of lists are told, but listChanged is not declared",
    effect: Effect::Message(|out, m| {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        let listed = legacy(out) && out.method == Some("tools/list");
        let m = results_of(out, OPENINGS, m, |r| {
            for list in ["tools", "prompts", "resources"] {
                remove(&mut r["capabilities"][list], "listChanged");
            }
        });
        m.into_iter().flat_map(|m| preceded_by(m, listed, note.clone())).collect()
    }),
};

pub const TELLS_TOO_EARLY: Fault = Fault {
    name: "tells-too-early",
    about: "a change of the tools is told before initialize is answered",
    effect: Effect::Message(|out, m| {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        preceded_by(m, out.method == Some("initialize"), note)
    }),
};

pub const METHOD_OF_OTHER_REVISION: Fault = Fault {
    name: "method-of-other-revision",
    about: "notifications are sent that only another revision has",
    effect: Effect::Message(|out, m| {
        let method = match out.version {
            Some(Version::V2025_11_25) => "notifications/tasks",
            Some(_) | None => "notifications/tasks/status",
        };
        let note =
            json!({ "jsonrpc": "2.0", "method": method, "params": { "taskId": "t", "status": "working" } });
        preceded_by(m, out.version.is_some() && out.method != Some("initialize"), note)
    }),
};

pub const CAPABILITY_UNSERVED: Fault = Fault {
    name: "capability-unserved",
    about: "prompts are declared, but prompts/list is an unknown method",
    effect: Effect::Fail("prompts/list", code::METHOD_NOT_FOUND),
};

pub const OLDEST_OFFERED: Fault = Fault {
    name: "oldest-offered",
    about: "an unknown version is answered with the oldest one that is spoken",
    effect: Effect::Message(|out, m| {
        result_of(out, "initialize", m, |r| {
            if is_unknown(&out.params["protocolVersion"]) {
                r["protocolVersion"] = json!(Version::ALL[0]);
            }
        })
    }),
};

pub const DISCOVERY_FIRST: Fault = Fault {
    name: "discovery-first",
    about: "a connection has to begin with server/discover",
    effect: Effect::Incoming(|incoming| {
        let is_early = incoming.is_modern() && !incoming.connection.has_discovered();
        let refused = is_early && incoming.method != "server/discover" && incoming.frame.id.is_some();
        refused.then(|| {
            let why = format!("{} before server/discover", incoming.method);
            Reaction::Refuse(code::INVALID_REQUEST, why)
        })
    }),
};

pub const REQUESTED_NOT_NAMED: Fault = Fault {
    name: "requested-not-named",
    about: "the refusal of a version does not repeat the one that was asked for",
    effect: Effect::Message(|_, m| {
        in_error(m, |m, code| {
            if code == -32022 {
                remove(&mut m["error"]["data"], "requested");
            }
        })
    }),
};

pub const VERSION_GUESSED: Fault = Fault {
    name: "version-guessed",
    about: "a modern request that names no version is served",
    effect: Effect::Incoming(|incoming| {
        let is_open = incoming.opening == Opening::Legacy && incoming.connection.peer.version().is_none();
        if is_open && incoming.frame.id.is_some() && incoming.method != "ping" {
            incoming.complete_meta();
            incoming.opening = Opening::Modern(Era::Modern.newest().to_string());
        }
        None
    }),
};

pub const EXTENSION_WITHOUT_PREFIX: Fault = Fault {
    name: "extension-without-prefix",
    about: "an extension is advertised under a name without a prefix",
    effect: Effect::Set(&["server/discover"], &["capabilities", "extensions", "tasks"], || json!({})),
};

pub const REMOVED_METHOD_SERVED: Fault = Fault {
    name: "removed-method-served",
    about: "methods that 2026-07-28 does not have are an internal error instead of unknown",
    effect: Effect::Message(|out, m| {
        let gone = ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
        if legacy(out) { vec![m] } else { recode(out, &gone, m, -32601, -32603) }
    }),
};

pub const MISSING_CAPABILITY_WRONG_CODE: Fault = Fault {
    name: "missing-capability-wrong-code",
    about: "a missing client capability is an internal error",
    effect: Effect::Recode(&[], -32021, -32603),
};

pub const MISSING_CAPABILITY_UNNAMED: Fault = Fault {
    name: "missing-capability-unnamed",
    about: "the error for a missing client capability does not name it",
    effect: Effect::Message(|_, m| without_data(m, -32021)),
};

pub const MISSING_CAPABILITY_MISNAMED: Fault = Fault {
    name: "missing-capability-misnamed",
    about: "the error for a missing client capability names another one",
    effect: Effect::Message(|_, m| {
        in_error(m, |m, code| {
            if code == -32021 {
                let named = &m["error"]["data"]["requiredCapabilities"];
                let other = if named.get("roots").is_some() { "sampling" } else { "roots" };
                m["error"]["data"]["requiredCapabilities"] = json!({ other: {} });
            }
        })
    }),
};
