//! Faults of handshake, discovery and the per-request metadata.

use http::HeaderValue;
use protocol::meta::PROTOCOL_VERSION;
use protocol::{Era, Version, code, header};
use serde_json::{Value, json};

use super::edit::{result_of, without_data};
use super::{Effect, Fault, Reaction, path};

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

pub const INITIALIZE_WITHOUT_INFO: Fault = Fault {
    name: "initialize-without-info",
    about: "the result of initialize has no serverInfo",
    effect: Effect::Remove(&["initialize"], &["serverInfo"]),
};

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

pub const UNKNOWN_VERSION_ECHOED: Fault = Fault {
    name: "unknown-version-echoed",
    about: "initialize agrees to any version, also to one that does not exist",
    effect: Effect::Message(|out, m| {
        result_of(out, "initialize", m, |r| {
            if is_unknown(&out.params["protocolVersion"]) {
                r["protocolVersion"] = out.params["protocolVersion"].clone();
            }
        })
    }),
};

pub const UNKNOWN_VERSION_REFUSED: Fault = Fault {
    name: "unknown-version-refused",
    about: "initialize with an unknown version is an error, not a counter-offer",
    effect: Effect::Incoming(|incoming| {
        let refused = incoming.method == "initialize" && is_unknown(&incoming.params["protocolVersion"]);
        refused.then(|| Reaction::Refuse(code::INVALID_PARAMS, "version is not supported".to_owned()))
    }),
};

pub const PING_REFUSED: Fault = Fault {
    name: "ping-refused",
    about: "ping is an unknown method",
    effect: Effect::Fail("ping", code::METHOD_NOT_FOUND),
};

pub const PING_AFTER_INITIALIZED: Fault = Fault {
    name: "ping-after-initialized",
    about: "ping is refused until notifications/initialized has come",
    effect: Effect::Incoming(|incoming| {
        let early = incoming.method == "ping" && !incoming.connection.peer.is_ready();
        early.then(|| Reaction::Refuse(code::INVALID_REQUEST, "not initialized yet".to_owned()))
    }),
};

pub const OFFERED_REFUSED: Fault = Fault {
    name: "offered-refused",
    about: "initialize offers its newest revision to who asks for an unknown one, and refuses who asks for that one",
    effect: Effect::Incoming(|incoming| {
        let is_newest = incoming.params["protocolVersion"] == Era::Legacy.newest().as_str();
        let refused = incoming.method == "initialize" && is_newest;
        refused.then(|| Reaction::Refuse(code::INVALID_PARAMS, "version is not supported".to_owned()))
    }),
};

pub const DISCOVER_MISSING: Fault = Fault {
    name: "discover-missing",
    about: "server/discover is an unknown method",
    effect: Effect::Fail("server/discover", code::METHOD_NOT_FOUND),
};

pub const DISCOVER_WITHOUT_VERSION: Fault = Fault {
    name: "discover-without-version",
    about: "server/discover does not list the revision that it was asked in",
    effect: Effect::Set(&["server/discover"], &["supportedVersions"], || json!(["2025-11-25"])),
};

pub const ANY_VERSION_SERVED: Fault = Fault {
    name: "any-version-served",
    about: "a request that names an unknown version is served like any other",
    effect: Effect::Incoming(|incoming| {
        let named = incoming.params["_meta"][PROTOCOL_VERSION].as_str().unwrap_or_default().to_owned();
        if incoming.is_modern() && is_unknown(&json!(named)) {
            let newest = Era::Modern.newest().as_str();
            incoming.set_meta(PROTOCOL_VERSION, |_| Some(newest.into()));
            let headers = incoming.headers.as_mut();
            if let Some(said) = headers.and_then(|headers| headers.get_mut(header::PROTOCOL_VERSION))
                && *said == named
            {
                *said = HeaderValue::from_static(newest);
            }
        }
        None
    }),
};

pub const UNSUPPORTED_WITHOUT_LIST: Fault = Fault {
    name: "unsupported-without-list",
    about: "the refusal of a version does not list those that are supported",
    effect: Effect::Message(|_, m| without_data(m, -32022)),
};

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

pub const META_OPTIONAL: Fault = Fault {
    name: "meta-optional",
    about: "a modern request without client capabilities in _meta is served",
    effect: Effect::Incoming(|incoming| {
        if incoming.is_modern() {
            incoming.complete_meta();
        }
        None
    }),
};

pub const RESULT_TYPE_MISSING: Fault = Fault {
    name: "result-type-missing",
    about: "results have no resultType",
    effect: Effect::Remove(&[], &["resultType"]),
};

pub const SERVER_INFO_MISSING: Fault = Fault {
    name: "server-info-missing",
    about: "results do not carry serverInfo in _meta",
    effect: Effect::Remove(&[], &["_meta"]),
};

pub const CAPABILITY_ASSUMED: Fault = Fault {
    name: "capability-assumed",
    about: "the client is asked for input that it did not declare",
    effect: Effect::Incoming(|incoming| {
        if let Some(declared) = incoming.capabilities() {
            for able in [
                ["sampling", "tools"],
                ["sampling", "context"],
                ["elicitation", "form"],
                ["elicitation", "url"],
            ] {
                path::set(declared, &able, &json!({}));
            }
            path::set(declared, &["roots"], &json!({}));
        }
        None
    }),
};

pub const CAPABILITY_UNDECLARED: Fault = Fault {
    name: "capability-undeclared",
    about: "prompts are served, but the capability is not declared",
    effect: Effect::Remove(&["initialize", "server/discover"], &["capabilities", "prompts"]),
};

/// Whether a text names no revision.
pub(super) fn is_unknown(version: &Value) -> bool {
    version.as_str().is_some_and(|text| text != Version::PRE_RELEASE && text.parse::<Version>().is_err())
}
