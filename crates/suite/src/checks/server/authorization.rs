//! A server that asks for a token: how it refuses, and where it sends people.

use protocol::{Span, Version};
use serde_json::Value;
use server::fault::authorization as fault;

use super::rebinding::is_loopback;
use crate::{Check, Finding, On, Run, ServerCx, Verdict, must, should, should_not};

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

const V2025_03_26: Span = Span::only(Version::V2025_03_26);
const V2025_11_25: Span = Span::only(Version::V2025_11_25);
const SINCE_METADATA: Span = Span::between(Version::V2025_06_18, Version::V2025_11_25);
const HANDLING: &str = "basic/authorization#token-handling";

const STATUS_401: Check = Check {
    id: "server/authorization/missing-token-401",
    title: "a request without a token is refused with 401",
    cites: &[
        must("basic/authorization#example-authorization-code-grant", V2025_03_26),
        must(HANDLING, SINCE_METADATA),
        must("basic/authorization/index#token-handling", Span::MODERN),
    ],
    aliases: &["test_authorization_requirements"],
    why: "401 is what makes a client go and get a token",
    fix: "answer 401, with a challenge, when there is no token or it is no good",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(status_401(cx))),
    fault: &fault::FORBIDS_INSTEAD,
};

async fn status_401(cx: &ServerCx) -> Verdict {
    cx.challenge().await?.answer.expect_status(&[401])
}

const CHALLENGED: Check = Check {
    id: "server/authorization/challenge-present",
    title: "the refusal carries a Bearer challenge",
    cites: &[
        must(HANDLING, Span::between(Version::V2025_03_26, Version::V2025_11_25)),
        must("basic/authorization/index#token-handling", Span::MODERN),
    ],
    aliases: &["test_authorization_requirements"],
    why: "the challenge says what kind of credentials would do",
    fix: "send WWW-Authenticate: Bearer with every 401",
    on: On::Http,
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

const METADATA_NAMED: Check = Check {
    id: "server/authorization/metadata-named",
    title: "the challenge says where the metadata is",
    cites: &[must("basic/authorization#authorization-server-location", Span::only(Version::V2025_06_18))],
    aliases: &[],
    why: "it is the only way to the authorization server that this revision has",
    fix: "add resource_metadata, the URL of the protected resource metadata, to WWW-Authenticate",
    on: On::Http,
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
    on: On::Http,
    run: Run::Server(|cx| Box::pin(metadata_found(cx))),
    fault: &fault::NO_METADATA,
};

async fn metadata_found(cx: &ServerCx) -> Verdict {
    cx.metadata().await.map(drop)
}

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
    on: On::Http,
    run: Run::Server(|cx| Box::pin(servers_named(cx))),
    fault: &fault::NO_AUTHORIZATION_SERVERS,
};

async fn servers_named(cx: &ServerCx) -> Verdict {
    let metadata = cx.metadata().await.map_err(standing_in_the_way)?;
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

const RESOURCE_MATCHES: Check = Check {
    id: "server/authorization/resource-matches",
    title: "the metadata is about this server",
    cites: &[
        must("basic/authorization#overview", SINCE_METADATA),
        must("basic/authorization/index#overview", Span::MODERN),
    ],
    aliases: &[],
    why: "clients must not use metadata of another resource: it may come from an attacker",
    fix: "set resource to the URL under which clients reach the endpoint",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(resource_matches(cx))),
    fault: &fault::OTHER_RESOURCE,
};

async fn resource_matches(cx: &ServerCx) -> Verdict {
    let metadata = cx.metadata().await.map_err(standing_in_the_way)?;
    let resource = &metadata.document["resource"];
    let named = resource.as_str().and_then(|text| url::Url::parse(text).ok());
    let base = &cx.endpoint()?.url;
    match named {
        Some(url) if same_place(base, &url) => Ok(()),
        _ => Err(metadata.answer.violated(format!("resource: \"{base}\""), format!("resource: {resource}"))),
    }
}

/// Whether `resource` is the endpoint, or what it is part of. Names of this machine are all the same.
fn same_place(base: &url::Url, resource: &url::Url) -> bool {
    let local = |url: &url::Url| url.host_str().is_some_and(is_loopback);
    let host = base.host_str() == resource.host_str() || (local(base) && local(resource));
    let port = base.port_or_known_default() == resource.port_or_known_default();
    let within = base.path().trim_end_matches('/').starts_with(resource.path().trim_end_matches('/'));
    base.scheme() == resource.scheme() && host && port && within
}

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
    on: On::Http,
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

const NO_OFFLINE: Check = Check {
    id: "server/authorization/no-offline-access",
    title: "neither challenge nor metadata asks for offline_access",
    cites: &[should_not("basic/authorization/index#refresh-tokens", Span::MODERN)],
    aliases: &[],
    why: "refresh tokens are between client and authorization server; no resource needs them",
    fix: "leave offline_access out of scope and scopes_supported",
    on: On::Http,
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
    let metadata = cx.metadata().await.map_err(standing_in_the_way)?;
    let scopes = metadata.document["scopes_supported"].as_array().into_iter().flatten();
    if scopes.into_iter().any(|scope| scope == WORD) {
        return Err(metadata.answer.violated("no offline_access in scopes_supported", "it is there"));
    }
    Ok(())
}

/// That there is no metadata is another check's finding.
fn standing_in_the_way(finding: Finding) -> Finding {
    match finding {
        Finding::Violated(evidence) => Finding::blocked(format!("no metadata: {}", evidence.actual)),
        other => other,
    }
}
