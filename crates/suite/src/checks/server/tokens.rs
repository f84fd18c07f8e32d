//! A server that asks for a token: which ones it takes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use protocol::{Era, Span, Version};
use serde_json::json;
use server::fault::authorization as fault;

use crate::{Check, Cite, Finding, On, Run, ServerCx, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] =
    &[GARBAGE_REFUSED, FOREIGN_REFUSED, NOT_IN_QUERY, EVERY_REQUEST];

const LEGACY: Span = Span::between(Version::V2025_03_26, Version::V2025_11_25);
const SINCE_AUDIENCE: Span = Span::between(Version::V2025_06_18, Version::V2025_11_25);
const HANDLING: &[Cite] = &[
    must("basic/authorization#token-handling", LEGACY),
    must("basic/authorization/index#token-handling", Span::MODERN),
];

const GARBAGE_REFUSED: Check = Check {
    id: "server/authorization/garbage-refused",
    title: "a token that is none is refused with 401",
    cites: HANDLING,
    aliases: &["test_authorization_requirements"],
    why: "a server that asks for a token and does not look at it is open to everyone",
    fix: "validate the token before anything else, and answer 401 when it is no good",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(garbage_refused(cx))),
    fault: &fault::ANY_TOKEN,
};

async fn garbage_refused(cx: &ServerCx) -> Verdict {
    guarded(cx).await?;
    cx.knock(Some("yardstick-made-this-up")).await?.expect_status(&[401])
}

const FOREIGN_REFUSED: Check = Check {
    id: "server/authorization/foreign-refused",
    title: "a token that is expired and made for another server is refused with 401",
    cites: &[
        must("basic/authorization#token-handling", SINCE_AUDIENCE),
        must("basic/authorization#access-token-privilege-restriction", SINCE_AUDIENCE),
        must("basic/authorization/index#token-handling", Span::MODERN),
        must("basic/authorization/security-considerations#access-token-privilege-restriction", Span::MODERN),
    ],
    aliases: &[],
    why: "whoever runs one server could use the tokens of its visitors at all others",
    fix: "check signature, issuer, audience and expiry of every token",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(foreign_refused(cx))),
    fault: &fault::ANY_JWT,
};

async fn foreign_refused(cx: &ServerCx) -> Verdict {
    guarded(cx).await?;
    for algorithm in ["none", "RS256"] {
        cx.knock(Some(&foreign(algorithm))).await?.expect_status(&[401])?;
    }
    Ok(())
}

/// A token that looks right, and is nobody's.
fn foreign(algorithm: &str) -> String {
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = part(json!({ "alg": algorithm, "typ": "JWT" }));
    let claims = part(json!({
        "iss": "https://issuer.example", "aud": "https://other.example/mcp", "sub": "yardstick", "exp": 1_000_000_000,
    }));
    let signature = if algorithm == "none" { String::new() } else { URL_SAFE_NO_PAD.encode([7; 64]) };
    format!("{head}.{claims}.{signature}")
}

const NOT_IN_QUERY: Check = Check {
    id: "server/authorization/not-in-query",
    title: "a token in the query string is not taken",
    cites: &[
        must("basic/authorization#token-requirements", LEGACY),
        must("basic/authorization/index#token-requirements", Span::MODERN),
    ],
    aliases: &["test_authorization_requirements"],
    why: "query strings end up in logs, histories and referrers, and the token with them",
    fix: "read the token from the Authorization header alone",
    on: On::Http,
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
    let (method, params) = match cx.version.era() {
        Era::Modern => ("server/discover", json!({})),
        Era::Legacy => {
            let info = json!({ "name": "yardstick", "version": env!("CARGO_PKG_VERSION") });
            let version = cx.version.as_str();
            ("initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": info }))
        }
    };
    let ask = cx.on(&session, method).params(params);
    let answer = ask.with(|request| request.path(path).without_header("authorization")).send().await?;
    answer.expect_status(&[401])
}

const EVERY_REQUEST: Check = Check {
    id: "server/authorization/every-request",
    title: "every request needs its token, also within a session",
    cites: &[
        must("basic/authorization#token-handling", LEGACY),
        must("basic/authorization#access-token-privilege-restriction", SINCE_AUDIENCE),
        must("basic/authorization/security-considerations#access-token-privilege-restriction", Span::MODERN),
    ],
    aliases: &[],
    why: "a session id is no credential; whoever learns it would be let in",
    fix: "validate the token of every request, whatever session it names",
    on: On::Http,
    run: Run::Server(|cx| Box::pin(every_request(cx))),
    fault: &fault::SESSION_SUFFICES,
};

async fn every_request(cx: &ServerCx) -> Verdict {
    guarded(cx).await?;
    let session = cx.another().await?;
    let asks = match cx.version.era() {
        Era::Modern => vec![cx.on(&session, "tools/list")],
        Era::Legacy => {
            let deletes = cx.on(&session, "DELETE").with(|r| r.verb(http::Method::DELETE));
            vec![cx.on(&session, "ping"), deletes]
        }
    };
    for ask in asks {
        // A session id would be the only thing that lets this in.
        let ask = match cx.version.era() {
            Era::Modern => ask.header("mcp-session-id", "yardstick"),
            Era::Legacy => ask,
        };
        ask.with(|request| request.without_header("authorization")).send().await?.expect_status(&[401])?;
    }
    Ok(())
}

/// Not applicable where no token is asked for; blocked where the refusal is not that of a resource server.
async fn guarded(cx: &ServerCx) -> Verdict {
    let challenge = cx.challenge().await?;
    if challenge.bearer.is_none() && cx.metadata().await.is_err() {
        return Err(Finding::blocked(
            "it refuses without a Bearer challenge, so that nothing follows from a refusal",
        ));
    }
    Ok(())
}
