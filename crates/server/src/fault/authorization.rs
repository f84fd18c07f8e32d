//! Faults of a server that asks for a token.

use transport::serve::http::Slip;

use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] = &[
    &NO_CHALLENGE,
    &NO_METADATA_URL,
    &NO_METADATA,
    &NO_AUTHORIZATION_SERVERS,
    &OTHER_RESOURCE,
    &NO_SCOPE,
    &OFFLINE_ACCESS,
    &FORBIDS_INSTEAD,
    &ANY_TOKEN,
    &ANY_JWT,
    &QUERY_TOKEN,
    &SESSION_SUFFICES,
];

/// A refusal that does not say what to bring.
pub const NO_CHALLENGE: Fault = Fault {
    name: "no-challenge",
    about: "401 comes without WWW-Authenticate",
    effect: Effect::Http(|options| options.slips.push(Slip::NoChallenge)),
};

/// A challenge that does not say where to look.
pub const NO_METADATA_URL: Fault = Fault {
    name: "no-metadata-url",
    about: "WWW-Authenticate has no resource_metadata",
    effect: Effect::Http(|options| options.slips.push(Slip::NoMetadataUrl)),
};

/// No metadata at all.
pub const NO_METADATA: Fault = Fault {
    name: "no-metadata",
    about: "there is no protected resource metadata anywhere",
    effect: Effect::Http(|options| options.slips.push(Slip::NoMetadata)),
};

/// Metadata without anybody to turn to.
pub const NO_AUTHORIZATION_SERVERS: Fault = Fault {
    name: "no-authorization-servers",
    about: "the protected resource metadata names no authorization server",
    effect: Effect::Http(|options| options.slips.push(Slip::NoAuthorizationServers)),
};

/// Metadata of something else.
pub const OTHER_RESOURCE: Fault = Fault {
    name: "other-resource",
    about: "the protected resource metadata is about another resource",
    effect: Effect::Http(|options| options.slips.push(Slip::OtherResource)),
};

/// A challenge that does not say how much.
pub const NO_SCOPE: Fault = Fault {
    name: "no-scope",
    about: "WWW-Authenticate has no scope",
    effect: Effect::Http(|options| options.slips.push(Slip::NoScope)),
};

/// Refresh tokens asked for by those who never see them.
pub const OFFLINE_ACCESS: Fault = Fault {
    name: "offline-access",
    about: "WWW-Authenticate asks for offline_access",
    effect: Effect::Http(|options| options.slips.push(Slip::OfflineAccess)),
};

/// The wrong status for a missing token.
pub const FORBIDS_INSTEAD: Fault = Fault {
    name: "forbids-instead",
    about: "a missing token is answered with 403",
    effect: Effect::Http(|options| options.slips.push(Slip::ForbidsInstead)),
};

/// A token is asked for, and not looked at.
pub const ANY_TOKEN: Fault = Fault {
    name: "any-token",
    about: "any token is let in",
    effect: Effect::Http(|options| options.slips.push(Slip::AnyToken)),
};

/// A token for somebody else is let in.
pub const ANY_JWT: Fault = Fault {
    name: "any-jwt",
    about: "whatever looks like a JWT is let in, whoever it was made for",
    effect: Effect::Http(|options| options.slips.push(Slip::AnyJwt)),
};

/// A token in the URL.
pub const QUERY_TOKEN: Fault = Fault {
    name: "query-token",
    about: "a token in the query string is let in",
    effect: Effect::Http(|options| options.slips.push(Slip::QueryToken)),
};

/// A session id in the place of a token.
pub const SESSION_SUFFICES: Fault = Fault {
    name: "session-suffices",
    about: "within a session no token is asked for",
    effect: Effect::Http(|options| options.slips.push(Slip::SessionSuffices)),
};
