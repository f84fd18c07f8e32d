//! Authorization: how a server refuses a request without a token, and how it leads clients to its authorization server.
//!
//! Nothing here obtains a token; what a server makes of the tokens that it is shown is judged in `tokens`.

use protocol::{Span, Version};
use serde_json::Value;
use server::fault::authorization as fault;

use super::rebinding::is_loopback;
use crate::{Applies, Check, Finding, Run, ServerCx, Verdict, must, should, should_not};

pub(in crate::checks) const CHECKS: &[Check] = &[
    STATUS_401,
    CHALLENGED,
    METADATA_NAMED,
    METADATA_FOUND,
    SERVERS_NAMED,
    RESOURCE_MATCHES,
    SCOPE_NAMED,
    NO_OFFLINE,
];

const V2025_11_25: Span = Span::only(Version::V2025_11_25);
const LEGACY: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const SINCE_METADATA: Span = Span::between(Version::V2025_06_18, Version::V2025_11_25);
const HANDLING: &str = "basic/authorization#token-handling";

/// A server must answer authorization errors with the proper status, which is 401 where authorization is required.
const STATUS_401: Check = Check {
    id: "server/authorization/missing-token-401",
    title: "a request without a token is refused with 401",
    cites: &[
        must("basic/authorization#error-handling", LEGACY),
        must("basic/authorization/index#error-handling", Span::MODERN),
    ],
    aliases: &["test_authorization_requirements"],
    why: "401 is what makes a client go and get a token",
    fix: "answer 401, with a challenge, when there is no token or it is not valid",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(status_401(cx))),
    fault: &fault::FORBIDS_INSTEAD,
};

async fn status_401(cx: &ServerCx) -> Verdict {
    cx.challenge().await?.answer.expect_status(&[401])
}

/// A server must refuse a token as OAuth 2.1, section 5.3 describes: the response has a `WWW-Authenticate` header with
/// the `Bearer` scheme.
const CHALLENGED: Check = Check {
    id: "server/authorization/challenge-present",
    title: "the refusal carries a Bearer challenge",
    cites: &[must(HANDLING, LEGACY), must("basic/authorization/index#token-handling", Span::MODERN)],
    aliases: &["test_authorization_requirements"],
    why: "the challenge says what kind of credentials would do",
    fix: "send WWW-Authenticate: Bearer with every 401",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(challenged(cx))),
    fault: &fault::NO_CHALLENGE,
};

async fn challenged(cx: &ServerCx) -> Verdict {
    let challenge = cx.challenge().await?;
    match challenge.bearer {
        Some(_) => Ok(()),
        None => Err(challenge.answer.violated("WWW-Authenticate: Bearer", "no such challenge")),
    }
}

/// A 401 must give the URL of the resource metadata in `WWW-Authenticate` (RFC 9728, section 5.1). Only 2025-06-18
/// insists on the header: since 2025-11-25 a well-known URI may take its place.
const METADATA_NAMED: Check = Check {
    id: "server/authorization/metadata-named",
    title: "the challenge says where the metadata is",
    cites: &[must("basic/authorization#authorization-server-location", Span::only(Version::V2025_06_18))],
    aliases: &[],
    why: "it is the only way to the authorization server that this revision has",
    fix: "add resource_metadata, the URL of the protected resource metadata, to WWW-Authenticate",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(metadata_named(cx))),
    fault: &fault::NO_METADATA_URL,
};

async fn metadata_named(cx: &ServerCx) -> Verdict {
    let challenge = cx.challenge().await?;
    match challenge.parameter("resource_metadata") {
        Some(_) => Ok(()),
        None => Err(challenge.answer.violated("resource_metadata in WWW-Authenticate", "none")),
    }
}

/// A server must publish protected resource metadata (RFC 9728), so that clients find its authorization servers. Since
/// 2025-11-25 it must name the document in the 401, or serve it at a well-known URI: under the endpoint's path, or at
/// the root.
const METADATA_FOUND: Check = Check {
    id: "server/authorization/metadata-found",
    title: "there is protected resource metadata",
    cites: &[
        must("basic/authorization#authorization-server-location", SINCE_METADATA),
        must("basic/authorization#protected-resource-metadata-discovery-requirements", V2025_11_25),
        must(
            "basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements",
            Span::MODERN,
        ),
    ],
    aliases: &[],
    why: "without it no client finds the authorization server",
    fix: "serve it at /.well-known/oauth-protected-resource followed by the path of the endpoint, and name it in the 401",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(metadata_found(cx))),
    fault: &fault::NO_METADATA,
};

async fn metadata_found(cx: &ServerCx) -> Verdict {
    cx.metadata().await.map(drop)
}

/// The protected resource metadata must list at least one authorization server in `authorization_servers`.
const SERVERS_NAMED: Check = Check {
    id: "server/authorization/servers-named",
    title: "the metadata names an authorization server",
    cites: &[
        must("basic/authorization#authorization-server-location", SINCE_METADATA),
        must(
            "basic/authorization/authorization-server-discovery#authorization-server-location",
            Span::MODERN,
        ),
    ],
    aliases: &[],
    why: "it is what clients read the document for",
    fix: "put at least one issuer URL into authorization_servers",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(servers_named(cx))),
    fault: &fault::NO_AUTHORIZATION_SERVERS,
};

async fn servers_named(cx: &ServerCx) -> Verdict {
    let metadata = cx.metadata().await.map_err(without_metadata)?;
    let servers = &metadata.document["authorization_servers"];
    let is_url = |server: &Value| server.as_str().is_some_and(|text| url::Url::parse(text).is_ok());
    match servers.as_array() {
        Some(all) if !all.is_empty() && all.iter().all(is_url) => Ok(()),
        _ => {
            let actual = format!("authorization_servers: {servers}");
            Err(metadata.answer.violated("authorization_servers with at least one URL", actual))
        }
    }
}

/// A server must implement RFC 9728. Its section 3.3 requires `resource` to be the resource that the client asked
/// about, and tells clients not to use any other document. A parent path of the endpoint passes too.
const RESOURCE_MATCHES: Check = Check {
    id: "server/authorization/resource-matches",
    title: "the metadata names this server as its resource",
    cites: &[
        must("basic/authorization#overview", SINCE_METADATA),
        must("basic/authorization/index#overview", Span::MODERN),
    ],
    aliases: &[],
    why: "clients must not use metadata of another resource: it may come from an attacker",
    fix: "set resource to the URL under which clients reach the endpoint",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(resource_matches(cx))),
    fault: &fault::OTHER_RESOURCE,
};

async fn resource_matches(cx: &ServerCx) -> Verdict {
    let metadata = cx.metadata().await.map_err(without_metadata)?;
    let resource = &metadata.document["resource"];
    let named = resource.as_str().and_then(|text| url::Url::parse(text).ok());
    let base = &cx.endpoint()?.url;
    match named {
        Some(url) if same_place(base, &url) => Ok(()),
        _ => Err(metadata.answer.violated(format!("resource: \"{base}\""), format!("resource: {resource}"))),
    }
}

/// Whether `resource` is the endpoint, or a parent of its path. All loopback names count as the same host.
fn same_place(base: &url::Url, resource: &url::Url) -> bool {
    let local = |url: &url::Url| url.host_str().is_some_and(is_loopback);
    let host = base.host_str() == resource.host_str() || (local(base) && local(resource));
    let port = base.port_or_known_default() == resource.port_or_known_default();
    let within = base.path().trim_end_matches('/').starts_with(resource.path().trim_end_matches('/'));
    base.scheme() == resource.scheme() && host && port && within
}

/// The `WWW-Authenticate` header of a 401 should have a `scope` parameter with the scopes that the resource needs (RFC
/// 6750, section 3).
const SCOPE_NAMED: Check = Check {
    id: "server/authorization/scope-named",
    title: "the challenge names the scopes that are needed",
    cites: &[
        should("basic/authorization#protected-resource-metadata-discovery-requirements", V2025_11_25),
        should("basic/authorization/index#scope-selection-strategy", Span::MODERN),
    ],
    aliases: &[],
    why: "clients that are not told ask for everything, and users are asked to grant it",
    fix: "add scope, the scopes for this request, to WWW-Authenticate",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(scope_named(cx))),
    fault: &fault::NO_SCOPE,
};

async fn scope_named(cx: &ServerCx) -> Verdict {
    let challenge = cx.challenge().await?;
    match challenge.parameter("scope") {
        Some(_) => Ok(()),
        None => Err(challenge.answer.violated("scope in WWW-Authenticate", "none")),
    }
}

/// A server should not name `offline_access` in its challenge or in `scopes_supported`. Refresh tokens are a matter
/// between client and authorization server, and no resource requires them.
const NO_OFFLINE: Check = Check {
    id: "server/authorization/no-offline-access",
    title: "neither challenge nor metadata asks for offline_access",
    cites: &[should_not("basic/authorization/index#refresh-tokens", Span::MODERN)],
    aliases: &[],
    why: "refresh tokens are between client and authorization server; no resource needs them",
    fix: "leave offline_access out of scope and scopes_supported",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(no_offline(cx))),
    fault: &fault::OFFLINE_ACCESS,
};

async fn no_offline(cx: &ServerCx) -> Verdict {
    const WORD: &str = "offline_access";
    let challenge = cx.challenge().await?;
    if challenge.parameter("scope").is_some_and(|scope| scope.split(' ').any(|word| word == WORD)) {
        return Err(challenge
            .answer
            .violated("no offline_access in the challenge", "scope with offline_access"));
    }
    let metadata = cx.metadata().await.map_err(without_metadata)?;
    let scopes = metadata.document["scopes_supported"].as_array().into_iter().flatten();
    if scopes.into_iter().any(|scope| scope == WORD) {
        return Err(metadata.answer.violated("no offline_access in scopes_supported", "it is there"));
    }
    Ok(())
}

/// Missing metadata is the finding of another check; here it stands in the way.
fn without_metadata(finding: Finding) -> Finding {
    finding.obstructing(|actual| Finding::blocked(format!("no metadata: {actual}")))
}
