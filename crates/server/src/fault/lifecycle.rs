//! Faults of handshake, discovery and the per-request metadata.

use protocol::{Version, code};
use serde_json::json;

use super::edit::{each, in_error, remove, result_of};
use super::{Effect, Fault, Reaction};

pub(super) const FAULTS: &[&Fault] = &[
    &INITIALIZE_WITHOUT_INFO,
    &VERSION_IGNORED,
    &UNKNOWN_VERSION_ECHOED,
    &UNKNOWN_VERSION_REFUSED,
    &PING_REFUSED,
    &PING_AFTER_INITIALIZED,
    &OFFERED_REFUSED,
    &DISCOVER_MISSING,
    &DISCOVER_WITHOUT_VERSION,
    &ANY_VERSION_SERVED,
    &UNSUPPORTED_WITHOUT_LIST,
    &UNSERVED_VERSION_LISTED,
    &META_OPTIONAL,
    &RESULT_TYPE_MISSING,
    &SERVER_INFO_MISSING,
    &CAPABILITY_ASSUMED,
    &CAPABILITY_UNDECLARED,
];

/// A handshake that does not say who answers.
pub const INITIALIZE_WITHOUT_INFO: Fault = Fault {
    name: "initialize-without-info",
    about: "the result of initialize has no serverInfo",
    effect: Effect::Message(|out, m| result_of(out, "initialize", m, |r| remove(r, "serverInfo"))),
};

/// The client's wish is not looked at.
pub const VERSION_IGNORED: Fault = Fault {
    name: "version-ignored",
    about: "initialize answers a revision that the server speaks, but another one than was asked for",
    effect: Effect::Message(|out, m| {
        result_of(out, "initialize", m, |r| {
            let other = if r["protocolVersion"] == "2024-11-05" { "2025-03-26" } else { "2024-11-05" };
            r["protocolVersion"] = json!(other);
        })
    }),
};

/// A revision that does not exist is agreed to.
pub const UNKNOWN_VERSION_ECHOED: Fault = Fault {
    name: "unknown-version-echoed",
    about: "initialize agrees to any version, also to one that does not exist",
    effect: Effect::Switch,
};

/// A revision that does not exist is an error.
pub const UNKNOWN_VERSION_REFUSED: Fault = Fault {
    name: "unknown-version-refused",
    about: "initialize with an unknown version is an error, not a counter-offer",
    effect: Effect::Switch,
};

/// A ping that is not answered.
pub const PING_REFUSED: Fault =
    Fault { name: "ping-refused", about: "ping is an unknown method", effect: Effect::Switch };

/// A ping that comes too early for the server.
pub const PING_AFTER_INITIALIZED: Fault = Fault {
    name: "ping-after-initialized",
    about: "ping is refused until notifications/initialized has come",
    effect: Effect::Incoming(|incoming| {
        let early = incoming.frame.method().as_deref() == Some("ping") && !incoming.is_ready;
        early.then_some(Reaction::Refuse(code::INVALID_REQUEST, "not initialized yet"))
    }),
};

/// What the server offers it does not agree to.
pub const OFFERED_REFUSED: Fault = Fault {
    name: "offered-refused",
    about: "initialize offers its newest revision to who asks for an unknown one, and refuses who asks for that one",
    effect: Effect::Incoming(|incoming| {
        let frame = incoming.frame;
        let newest =
            frame.params.is_some_and(|params| params.get().contains(Version::LATEST_LEGACY.as_str()));
        let refused = frame.method().as_deref() == Some("initialize") && newest;
        refused.then_some(Reaction::Refuse(code::INVALID_PARAMS, "version is not supported"))
    }),
};

/// Nothing to discover.
pub const DISCOVER_MISSING: Fault =
    Fault { name: "discover-missing", about: "server/discover is an unknown method", effect: Effect::Switch };

/// Discovery does not name the revision that it is asked in.
pub const DISCOVER_WITHOUT_VERSION: Fault = Fault {
    name: "discover-without-version",
    about: "server/discover does not list the revision that it was asked in",
    effect: Effect::Message(|out, m| {
        result_of(out, "server/discover", m, |r| r["supportedVersions"] = json!(["2025-11-25"]))
    }),
};

/// A revision that does not exist is served.
pub const ANY_VERSION_SERVED: Fault = Fault {
    name: "any-version-served",
    about: "a request that names an unknown version is served like any other",
    effect: Effect::Switch,
};

/// The refusal does not say what would do.
pub const UNSUPPORTED_WITHOUT_LIST: Fault = Fault {
    name: "unsupported-without-list",
    about: "the refusal of a version does not list those that are supported",
    effect: Effect::Message(|_, m| {
        in_error(m, |m, code| {
            if code == -32022 {
                remove(&mut m["error"], "data");
            }
        })
    }),
};

/// A version is listed that is refused.
pub const UNSERVED_VERSION_LISTED: Fault = Fault {
    name: "unserved-version-listed",
    about: "the discovery lists a version that is refused when it is asked for",
    effect: Effect::Message(|out, m| {
        result_of(out, "server/discover", m, |r| {
            if let Some(versions) = r["supportedVersions"].as_array_mut() {
                versions.push("2027-03-14".into());
            }
        })
    }),
};

/// `_meta` is not required.
pub const META_OPTIONAL: Fault = Fault {
    name: "meta-optional",
    about: "a modern request without client capabilities in _meta is served",
    effect: Effect::Switch,
};

/// Results of 2026-07-28 without their type.
pub const RESULT_TYPE_MISSING: Fault = Fault {
    name: "result-type-missing",
    about: "results have no resultType",
    effect: Effect::Message(|_, m| {
        each(m, |m| {
            if m.get("result").is_some() {
                remove(&mut m["result"], "resultType");
            }
        })
    }),
};

/// Results of 2026-07-28 that do not say who answers.
pub const SERVER_INFO_MISSING: Fault = Fault {
    name: "server-info-missing",
    about: "results do not carry serverInfo in _meta",
    effect: Effect::Message(|_, m| {
        each(m, |m| {
            if m.get("result").is_some() {
                remove(&mut m["result"], "_meta");
            }
        })
    }),
};

/// Input is asked for that the client cannot give.
pub const CAPABILITY_ASSUMED: Fault = Fault {
    name: "capability-assumed",
    about: "the client is asked for input that it did not declare",
    effect: Effect::Switch,
};

/// Prompts work, and are not declared.
pub const CAPABILITY_UNDECLARED: Fault = Fault {
    name: "capability-undeclared",
    about: "prompts are served, but the capability is not declared",
    effect: Effect::Message(|out, m| {
        let m = result_of(out, "initialize", m, |r| remove(&mut r["capabilities"], "prompts"));
        m.into_iter()
            .flat_map(|m| result_of(out, "server/discover", m, |r| remove(&mut r["capabilities"], "prompts")))
            .collect()
    }),
};
