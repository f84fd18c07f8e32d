//! Streamable HTTP: sessions, headers, answers, connections, TLS.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use protocol::Version;
use serde_json::{Value, json};
use wire::{Direction, What};
use yardstick_transport::Transport;
use yardstick_transport::client::{Blame, Closing, Endpoint, Failure, Profile, Session, Target};

use crate::client_support::{
    Conn, Req, connect, discovered, error, http, https, open, quick, result, welcomed,
};

const MODERN: Version = Version::V2026_07_28;

type Seen = Arc<Mutex<Vec<Req>>>;

/// A server that keeps what it got and answers everything with an empty result.
async fn obliging() -> (Target, Seen) {
    let seen = Seen::default();
    let kept = Arc::clone(&seen);
    let peer = http(move |request, mut conn| {
        kept.lock().unwrap().push(request.clone());
        async move {
            if !welcomed(&request, &mut conn).await {
                let answer = match request.method().as_str() {
                    "server/discover" => discovered(&request.json()),
                    _ => result(&request.json(), json!({"resultType": "complete"})),
                };
                conn.json(200, answer).await;
            }
            conn
        }
    })
    .await;
    (peer.target(), seen)
}

fn last(seen: &Seen) -> Req {
    seen.lock().unwrap().last().unwrap().clone()
}

#[tokio::test]
async fn a_legacy_session_is_kept_and_deleted() {
    let (target, seen) = obliging().await;
    let session = open(&target, Version::V2025_11_25).await.unwrap();
    assert_eq!(session.transport(), Transport::StreamableHttp);
    assert_eq!(session.server().session_id.as_deref(), Some("s-1"));
    session.request("ping").send().await.unwrap();
    assert!(matches!(session.close().await, Closing::Deleted { status: Ok(204), .. }));
    let seen = seen.lock().unwrap();
    // A server may drop what it asks before there is a stream for it, so that one is opened before the first request.
    let verbs: Vec<&str> = seen.iter().map(|r| r.verb.as_str()).collect();
    assert_eq!(verbs, ["POST", "POST", "GET", "POST", "DELETE"]);
    assert_eq!(seen[0].header("mcp-session-id"), None);
    assert_eq!(seen[0].header("mcp-protocol-version"), None, "nothing is negotiated yet");
    assert_eq!(seen[0].header("accept"), Some("application/json, text/event-stream"));
    for later in &seen[1..] {
        assert_eq!(later.header("mcp-session-id"), Some("s-1"));
        assert_eq!(later.header("mcp-protocol-version"), Some("2025-11-25"));
    }
}

/// A server that knows no session: what it answers with 404 may have another reason.
async fn forgetful() -> Session {
    let peer = http(move |request, mut conn| async move {
        if !welcomed(&request, &mut conn).await {
            match request.method().as_str() {
                "no/such-method" => conn.json(404, error(&request.json(), -32601, "Method not found")).await,
                _ => conn.full(404, "text/plain", "", "Session not found").await,
            }
        }
        conn
    })
    .await;
    open(&peer.target(), Version::V2025_11_25).await.unwrap()
}

#[tokio::test]
async fn a_session_that_the_server_no_longer_knows_has_ended() {
    let session = forgetful().await;
    session.request("no/such-method").send().await.unwrap();
    session.request("ping").header("mcp-session-id", "made-up").send().await.unwrap();
    session.request("ping").header("host", "elsewhere.example").send().await.unwrap();
    session.request("GET").verb(http::Method::GET).send().await.unwrap();
    assert!(session.ended().is_none(), "these say nothing of the session");
    let reply = session.request("ping").send().await.unwrap();
    assert_eq!(reply.status(), Some(404));
    assert!(matches!(session.ended(), Some(Failure::SessionLost { .. })));
}

/// A server that closes every connection on which it has answered twice, at the moment when the next request arrives. The
/// methods that it was asked for, and whether it hung up on them.
async fn tiring() -> (Target, Arc<Mutex<Vec<(String, bool)>>>) {
    let seen = Arc::<Mutex<Vec<(String, bool)>>>::default();
    let kept = Arc::clone(&seen);
    let peer = http(move |request, mut conn| {
        let is_over = conn.requests > 2 && request.verb == "POST";
        kept.lock().unwrap().push((request.method(), is_over));
        async move {
            if is_over {
                conn.hang_up();
            } else if !welcomed(&request, &mut conn).await {
                conn.json(200, result(&request.json(), json!({}))).await;
            }
            conn
        }
    })
    .await;
    (peer.target(), seen)
}

/// Every server closes idle connections, and a request may be on its way then.
#[tokio::test]
async fn a_request_on_a_connection_that_was_just_closed_is_sent_again() {
    let (target, seen) = tiring().await;
    let session = open(&target, Version::V2025_11_25).await.unwrap();
    for _ in 0..6 {
        session.request("ping").send().await.unwrap();
    }
    let hung_up = |method: &str| seen.lock().unwrap().iter().filter(|(m, over)| m == method && *over).count();
    assert!(hung_up("ping") > 0, "no connection was closed");
    // A call may have been carried out.
    let mut failures = 0;
    for _ in 0..6 {
        failures +=
            usize::from(session.request("tools/call").params(json!({"name": "a"})).send().await.is_err());
    }
    assert!(failures > 0 && failures == hung_up("tools/call"));
}

#[tokio::test]
async fn an_older_session_names_no_version() {
    let (target, seen) = obliging().await;
    let session = open(&target, Version::V2025_03_26).await.unwrap();
    session.request("ping").send().await.unwrap();
    assert_eq!(last(&seen).header("mcp-protocol-version"), None);
    assert_eq!(last(&seen).header("mcp-session-id"), Some("s-1"));
}

#[tokio::test]
async fn a_modern_request_mirrors_its_body_and_has_no_session() {
    let (target, seen) = obliging().await;
    let session = open(&target, MODERN).await.unwrap();
    let call = json!({"name": "wetter in Köln", "arguments": {"region": " eu ", "n": 3}});
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"}, "n": {"type": "integer", "x-mcp-header": "N"},
    }});
    session.request("tools/call").params(call).mirror(&schema).send().await.unwrap();
    let call = last(&seen);
    assert_eq!(call.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(call.header("mcp-method"), Some("tools/call"));
    assert_eq!(call.header("mcp-name"), Some("=?base64?d2V0dGVyIGluIEvDtmxu?="));
    assert_eq!(call.header("mcp-param-region"), Some("=?base64?IGV1IA==?="));
    assert_eq!(call.header("mcp-param-n"), Some("3"));
    assert_eq!(call.header("mcp-session-id"), None);
    assert_eq!(call.json()["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    session.request("x").meta("io.modelcontextprotocol/protocolVersion", "1900-01-01").send().await.unwrap();
    assert_eq!(last(&seen).header("mcp-protocol-version"), Some("1900-01-01"), "the header follows the body");
    assert!(matches!(session.close().await, Closing::HungUp));
}

#[tokio::test]
async fn headers_can_be_replaced_repeated_and_left_out() {
    let (target, seen) = obliging().await;
    let session = connect(&target, MODERN).await;
    let bent = session
        .request("tools/list")
        .header("Accept", "text/html")
        .header("origin", "https://attacker.example");
    let bent = bent.header("mcp-protocol-version", "2026-07-28").header("mcp-protocol-version", "2025-11-25");
    bent.without_header("Mcp-Method").header("x-bytes", b"\xff\xfe").send().await.unwrap();
    let got = last(&seen);
    assert_eq!(got.all("accept"), ["text/html"]);
    assert_eq!(got.header("origin"), Some("https://attacker.example"));
    assert_eq!(got.all("mcp-protocol-version"), ["2026-07-28", "2025-11-25"]);
    assert_eq!(got.header("mcp-method"), None);
    let failure = session.request("x").header("a b", "c").send().await.unwrap_err();
    assert!(failure.blame() == Blame::Ours && failure.to_string().contains("`a b`"), "{failure}");
    let failure = session.request("x").header("a", "b\r\nc: d").send().await.unwrap_err();
    assert!(failure.to_string().contains("send it raw"), "{failure}");
}

#[tokio::test]
async fn the_endpoints_own_headers_go_with_everything() {
    let (target, seen) = obliging().await;
    let Target::Url(endpoint) = target else { panic!("a URL") };
    let target =
        endpoint.header("Authorization", "Bearer x").header("X-Twice", "1").header("X-Twice", "2").into();
    open(&target, Version::V2025_06_18).await.unwrap().close().await;
    for request in seen.lock().unwrap().iter() {
        assert_eq!(request.header("authorization"), Some("Bearer x"));
        assert_eq!(request.all("x-twice"), ["1", "2"]);
        assert!(request.header("host").unwrap().starts_with("127.0.0.1:"));
    }
}

#[tokio::test]
async fn any_bytes_verb_and_path_can_be_sent() {
    let (target, seen) = obliging().await;
    let session = connect(&target, MODERN).await;
    session.send_bytes("{nope").await.unwrap().expect("HTTP always answers");
    assert_eq!(last(&seen).body, "{nope");
    session.request("x").verb(http::Method::PUT).path("/other?a=b").send().await.unwrap();
    let got = last(&seen);
    assert_eq!((got.verb.as_str(), got.path.as_str(), got.body.as_str()), ("PUT", "/other?a=b", ""));
}

#[tokio::test]
async fn a_notification_shows_its_status() {
    let (target, _) = obliging().await;
    let session = connect(&target, Version::V2025_06_18).await;
    let reply = session.notify("notifications/initialized", None).await.unwrap();
    assert_eq!(reply.status(), Some(202));
    assert!(reply.messages.is_empty() && reply.ended);
}

#[tokio::test]
async fn the_record_has_every_head_and_body_as_it_was() {
    let peer = http(|request, mut conn: Conn| async move {
        let body = result(&request.json(), json!({})).to_string();
        conn.full(200, "application/json", "X-A: 1\r\nx-a: 2\r\n", &body).await;
        conn
    })
    .await;
    let session = connect(&peer.target(), MODERN).await;
    let reply = session.request("tools/list").send().await.unwrap();
    let head = reply.head.as_ref().unwrap();
    assert_eq!(head.headers.get_all("x-a").iter().collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!((head.reason.as_str(), head.version), ("Whatever", http::Version::HTTP_11));
    assert!(
        head.raw
            .starts_with(b"HTTP/1.1 200 Whatever\r\nContent-Type: application/json\r\nX-A: 1\r\nx-a: 2\r\n")
    );
    let entries = session.recorder().transcript().entries;
    let shape: Vec<_> = entries.iter().map(|e| (e.direction, e.what, e.exchange)).collect();
    let (out, back) = (Direction::ToServer, Direction::ToClient);
    assert_eq!(
        shape,
        [(out, What::Head, 1), (out, What::Message, 1), (back, What::Head, 1), (back, What::Message, 1)]
    );
    assert!(
        entries[0].bytes.starts_with(b"POST /mcp HTTP/1.1\r\n") && entries[0].bytes.ends_with(b"\r\n\r\n")
    );
    assert_eq!(serde_json::from_slice::<Value>(&entries[1].bytes).unwrap()["method"], "tools/list");
    assert_eq!(entries[3].bytes, reply.raw());
    assert_eq!(reply.exchange, 1);
}

#[tokio::test]
async fn connections_are_kept_alive_and_replaced() {
    let peer = http(|request, mut conn: Conn| async move {
        conn.json(200, result(&request.json(), json!({}))).await;
        if request.method() == "last" {
            conn.hang_up();
        }
        conn
    })
    .await;
    let session = connect(&peer.target(), MODERN).await;
    for method in ["a", "b", "last"] {
        session.request(method).send().await.unwrap();
    }
    assert_eq!(peer.accepted(), 1);
    tokio::time::sleep(Duration::from_millis(20)).await;
    session.request("c").send().await.unwrap();
    assert_eq!(peer.accepted(), 2, "a closed connection is not used again");
    let (d, e) = tokio::join!(session.request("d").send(), session.request("e").send());
    assert!(d.is_ok() && e.is_ok());
    assert_eq!(peer.accepted(), 3, "side by side means one connection each");
}

#[tokio::test]
async fn nobody_there_is_the_users_business() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let failure = open(&Target::url(&url).unwrap(), Version::V2025_11_25).await.unwrap_err();
    assert!(matches!(failure, Failure::Unreachable { .. }) && failure.blame() == Blame::User);
    assert!(failure.to_string().contains("is the server running"), "{failure}");
    let failure = open(&Target::url("http://no-such-host.invalid/").unwrap(), MODERN).await.unwrap_err();
    assert!(failure.is_unreachable(), "{failure}");
}

#[tokio::test]
async fn statuses_and_redirects_are_reported_and_not_followed() {
    let peer = http(|request, mut conn: Conn| async move {
        match request.path.as_str() {
            "/mcp" => conn.full(307, "text/plain", "Location: /elsewhere\r\n", "moved").await,
            _ => conn.json(200, result(&request.json(), json!({}))).await,
        }
        conn
    })
    .await;
    let session = connect(&peer.target(), MODERN).await;
    let reply = session.request("tools/list").send().await.unwrap();
    assert_eq!((reply.status(), reply.header("location")), (Some(307), Some("/elsewhere")));
    assert!(reply.response.is_none() && reply.body == "moved");
    let failure = open(&peer.target(), Version::V2025_11_25).await.unwrap_err();
    assert!(failure.to_string().contains("HTTP 307; redirects are not followed"), "{failure}");
}

#[tokio::test]
async fn a_refused_handshake_names_the_status() {
    let peer = http(|_, mut conn: Conn| async move {
        conn.full(401, "text/plain", "WWW-Authenticate: Bearer\r\n", "no").await;
        conn
    })
    .await;
    let failure = open(&peer.target(), Version::V2025_11_25).await.unwrap_err();
    assert!(failure.to_string().contains("HTTP 401; it wants a token"), "{failure}");
}

fn acceptor() -> tokio_rustls::TlsAcceptor {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    // A key for these tests alone, of an authority that nobody trusts.
    let chain =
        CertificateDer::pem_slice_iter(include_bytes!("client_tls/leaf.pem")).map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_slice(include_bytes!("client_tls/leaf.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap()).into()
}

async fn echo(request: Req, mut conn: Conn) -> Conn {
    conn.json(200, result(&request.json(), json!({}))).await;
    conn
}

#[tokio::test]
async fn tls_needs_trust() {
    let peer = https(echo, acceptor()).await;
    let failure = open(&peer.target(), MODERN).await.unwrap_err();
    assert!(matches!(failure, Failure::Tls { .. }), "{failure}");
    let trusting = peer.endpoint.clone().trust(include_bytes!("client_tls/ca.pem").as_slice());
    let session = Session::connect(&trusting.into(), MODERN, Profile::bare(), quick()).await.unwrap();
    assert!(session.request("tools/list").send().await.unwrap().result().is_some());
}

#[tokio::test]
async fn tls_with_a_server_that_has_none_says_so() {
    let peer = http(echo).await;
    let url = peer.endpoint.url.as_str().replace("http:", "https:");
    let failure = open(&Endpoint::new(&url).unwrap().into(), MODERN).await.unwrap_err();
    assert!(matches!(failure, Failure::Tls { .. }) && failure.to_string().contains("http://"), "{failure}");
}
