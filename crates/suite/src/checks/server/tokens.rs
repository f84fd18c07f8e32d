//! Authorization: which tokens a server accepts.
//!
//! Only tokens that must be refused are made up here. A valid one is used only if the user gave it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use protocol::{Era, Span, Version};
use serde_json::json;
use server::fault::authorization as fault;

use crate::{Applies, Check, Cite, Finding, Run, ServerCx, Verdict, advised, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[GARBAGE_REFUSED, FOREIGN_REFUSED, NOT_IN_QUERY, EVERY_REQUEST];

const LEGACY: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const SINCE_AUDIENCE: Span = Span::between(Version::V2025_06_18, Version::V2025_11_25);
const HANDLING: &[Cite] = &[
    must("basic/authorization#token-handling", LEGACY),
    must("basic/authorization/index#token-handling", Span::MODERN),
];

/// A server must validate access tokens, and must answer an invalid or expired one with 401.
const GARBAGE_REFUSED: Check = Check {
    id: "server/authorization/garbage-refused",
    title: "a made-up token is refused with 401",
    cites: HANDLING,
    aliases: &["test_authorization_requirements"],
    why: "a server that asks for a token but does not validate it is open to everyone",
    fix: "validate the token before anything else, and answer 401 when it is not valid",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(garbage_refused(cx))),
    fault: &fault::ANY_TOKEN,
};

async fn garbage_refused(cx: &ServerCx) -> Verdict {
    guarded(cx).await?;
    cx.request_with_token(Some("yardstick-made-this-up")).await?.expect_status(&[401])
}

/// A server must accept only tokens that were issued for it, and must refuse those of another audience. Expired tokens
/// must be answered with 401. 2025-03-26 does not speak of audiences.
const FOREIGN_REFUSED: Check = Check {
    id: "server/authorization/foreign-refused",
    title: "an expired token for another server is refused with 401",
    cites: &[
        must("basic/authorization#token-handling", SINCE_AUDIENCE),
        must("basic/authorization#access-token-privilege-restriction", SINCE_AUDIENCE),
        must("basic/authorization/index#token-handling", Span::MODERN),
        must("basic/authorization/security-considerations#access-token-privilege-restriction", Span::MODERN),
    ],
    aliases: &[],
    why: "whoever runs one server could use its users' tokens at all others",
    fix: "check signature, issuer, audience and expiry of every token",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(foreign_refused(cx))),
    fault: &fault::ANY_JWT,
};

async fn foreign_refused(cx: &ServerCx) -> Verdict {
    guarded(cx).await?;
    for algorithm in ["none", "RS256"] {
        cx.request_with_token(Some(&foreign(algorithm))).await?.expect_status(&[401])?;
    }
    Ok(())
}

/// A well-formed token of an issuer that does not exist.
fn foreign(algorithm: &str) -> String {
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = part(json!({ "alg": algorithm, "typ": "JWT" }));
    let claims = part(json!({
        "iss": "https://issuer.example", "aud": "https://other.example/mcp", "sub": "yardstick", "exp": 1_000_000_000,
    }));
    let signature = if algorithm == "none" { String::new() } else { URL_SAFE_NO_PAD.encode([7; 64]) };
    format!("{head}.{claims}.{signature}")
}

/// An access token must not be in the query string; clients must send it in the `Authorization` header. That is their duty;
/// that a server does not accept it elsewhere is implied.
const NOT_IN_QUERY: Check = Check {
    id: "server/authorization/not-in-query",
    title: "a token in the query string is not accepted",
    cites: &[
        advised("basic/authorization#token-requirements", LEGACY),
        advised("basic/authorization/index#token-requirements", Span::MODERN),
    ],
    aliases: &["test_authorization_requirements"],
    why: "query strings end up in logs, histories and referrers, and the token with them",
    fix: "read the token only from the Authorization header",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(not_in_query(cx))),
    fault: &fault::QUERY_TOKEN,
};

async fn not_in_query(cx: &ServerCx) -> Verdict {
    guarded(cx).await?;
    let endpoint = cx.endpoint()?;
    let token =
        endpoint.bearer().ok_or_else(|| Finding::not_applicable("no token was given that could be sent"))?;
    let session = cx.plain_http().await?;
    let mut url = endpoint.url.clone();
    url.query_pairs_mut().append_pair("access_token", token);
    let path = url[url::Position::BeforePath..].to_owned();
    let ask = cx.opening_request(&session);
    let answer = ask.with(|request| request.path(path).without_header("authorization")).send().await?;
    answer.expect_status(&[401])
}

/// A server must validate the token before it processes a request. Clients must send it with every request, also within
/// a session, so a session id cannot take its place. A server that does not let clients end sessions may say so, with 405.
const EVERY_REQUEST: Check = Check {
    id: "server/authorization/every-request",
    title: "every request needs a token, also within a session",
    cites: &[
        must("basic/authorization#token-handling", LEGACY),
        must("basic/authorization#access-token-privilege-restriction", SINCE_AUDIENCE),
        must("basic/authorization/security-considerations#access-token-privilege-restriction", Span::MODERN),
    ],
    aliases: &[],
    why: "a session id is not a credential; whoever learns it would be let in",
    fix: "validate the token of every request, whatever session it names",
    applies: Applies::OverProtectedHttp,
    run: Run::Server(|cx| Box::pin(every_request(cx))),
    fault: &fault::SESSION_SUFFICES,
};

/// How a request without a token is refused.
const REFUSED: &[u16] = &[401];
/// The same for a request to end the session, which no server has to let clients do.
const REFUSED_DELETE: &[u16] = &[401, 405];

async fn every_request(cx: &ServerCx) -> Verdict {
    guarded(cx).await?;
    let session = cx.another_session().await?;
    let asks = match cx.version.era() {
        Era::Modern => vec![(cx.request_on(&session, "tools/list"), REFUSED)],
        Era::Legacy => {
            let deletes = cx.request_on(&session, "DELETE").with(|r| r.verb(http::Method::DELETE));
            vec![(cx.request_on(&session, "ping"), REFUSED), (deletes, REFUSED_DELETE)]
        }
    };
    for (ask, statuses) in asks {
        // Without a token, only a session id could let this in.
        let ask = match cx.version.era() {
            Era::Modern => ask.header("mcp-session-id", "yardstick"),
            Era::Legacy => ask,
        };
        ask.with(|request| request.without_header("authorization")).send().await?.expect_status(statuses)?;
    }
    Ok(())
}

/// Not applicable where no token is asked for; blocked where the refusal is not that of a resource server.
async fn guarded(cx: &ServerCx) -> Verdict {
    let challenge = cx.challenge().await?;
    if challenge.bearer.is_none() && cx.metadata().await.is_err() {
        return Err(Finding::blocked(
            "the server refuses without a Bearer challenge, so a refusal proves nothing",
        ));
    }
    Ok(())
}
