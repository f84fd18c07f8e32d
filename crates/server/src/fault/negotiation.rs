//! Faults of what both ends agree on: capabilities, revisions, order.

use protocol::Version;
use serde_json::json;

use super::edit::{legacy, preceded_by, recode, remove, results_of};
use super::{Effect, Fault};

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
];

const OPENINGS: &[&str] = &["initialize", "server/discover"];

/// The client is asked before it is ready.
pub const ASKS_TOO_EARLY: Fault = Fault {
    name: "asks-too-early",
    about: "the client is asked for its roots before the handshake is over",
    effect: Effect::Message(|out, m| {
        let first = out.method == Some("initialize");
        preceded_by(m, first, json!({ "jsonrpc": "2.0", "id": "early", "method": "roots/list" }))
    }),
};

/// Log messages that were not announced.
pub const LOGGING_UNDECLARED: Fault = Fault {
    name: "logging-undeclared",
    about: "log messages are sent, but the capability is not declared",
    effect: Effect::Message(|out, m| {
        results_of(out, OPENINGS, m, |r| remove(&mut r["capabilities"], "logging"))
    }),
};

/// Changes that were not announced.
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

/// The client is told something before it knows whom it talks to.
pub const TELLS_TOO_EARLY: Fault = Fault {
    name: "tells-too-early",
    about: "a change of the tools is told before initialize is answered",
    effect: Effect::Message(|out, m| {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        preceded_by(m, out.method == Some("initialize"), note)
    }),
};

/// A message that the client's revision does not have.
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

/// A capability without its methods.
pub const CAPABILITY_UNSERVED: Fault = Fault {
    name: "capability-unserved",
    about: "prompts are declared, but prompts/list is an unknown method",
    effect: Effect::Switch,
};

/// The worst counter-offer.
pub const OLDEST_OFFERED: Fault = Fault {
    name: "oldest-offered",
    about: "an unknown version is answered with the oldest one that is spoken",
    effect: Effect::Switch,
};

/// Nothing works before discovery.
pub const DISCOVERY_FIRST: Fault = Fault {
    name: "discovery-first",
    about: "a connection has to begin with server/discover",
    effect: Effect::Switch,
};

/// The refusal does not say what was refused.
pub const REQUESTED_NOT_NAMED: Fault = Fault {
    name: "requested-not-named",
    about: "the refusal of a version does not repeat the one that was asked for",
    effect: Effect::Message(|_, mut m| {
        if m["error"]["code"] == -32022 {
            remove(&mut m["error"]["data"], "requested");
        }
        vec![m]
    }),
};

/// A request without a version is served.
pub const VERSION_GUESSED: Fault = Fault {
    name: "version-guessed",
    about: "a modern request that names no version is served",
    effect: Effect::Switch,
};

/// An extension that anybody could have named so.
pub const EXTENSION_WITHOUT_PREFIX: Fault = Fault {
    name: "extension-without-prefix",
    about: "an extension is advertised under a name without a prefix",
    effect: Effect::Message(|out, m| {
        results_of(out, &["server/discover"], m, |r| r["capabilities"]["extensions"]["tasks"] = json!({}))
    }),
};

/// What is gone still works.
pub const REMOVED_METHOD_SERVED: Fault = Fault {
    name: "removed-method-served",
    about: "methods that 2026-07-28 does not have are an internal error instead of unknown",
    effect: Effect::Message(|out, m| {
        let gone = ["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
        if legacy(out) { vec![m] } else { recode(out, &gone, m, -32601, -32603) }
    }),
};

/// The wrong code for a client that cannot do enough.
pub const MISSING_CAPABILITY_WRONG_CODE: Fault = Fault {
    name: "missing-capability-wrong-code",
    about: "a missing client capability is an internal error",
    effect: Effect::Message(|out, m| recode(out, &[], m, -32021, -32603)),
};

/// The client does not learn what it lacks.
pub const MISSING_CAPABILITY_UNNAMED: Fault = Fault {
    name: "missing-capability-unnamed",
    about: "the error for a missing client capability does not name it",
    effect: Effect::Message(|_, mut m| {
        if m["error"]["code"] == -32021 {
            remove(&mut m["error"], "data");
        }
        vec![m]
    }),
};
