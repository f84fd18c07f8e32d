//! Finding out what a target speaks: both eras, every transport, and targets that misbehave.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::time::{Duration, Instant};

use protocol::{Era, Version};
use serde_json::{Value, json};
use yardstick_transport::Transport;
use yardstick_transport::client::{Failure, Limits, Target, first_contact, probe};

use crate::client_support::{
    Conn, Peer, Req, discovered, error, http, in_process, quick, result, welcome, welcomed,
};

/// Negotiates like a server that knows these legacy revisions.
fn negotiate(request: &Value, known: &[&str]) -> Value {
    let asked = request["params"]["protocolVersion"].as_str().unwrap_or_default();
    let mut request = request.clone();
    if !known.contains(&asked) {
        request["params"]["protocolVersion"] = json!(known.last().unwrap());
    }
    welcome(&request)
}

/// A server on a pipe: `discover` answers the discovery (or not), `known` are its legacy revisions.
async fn serve(mut peer: Peer, discover: fn(&Value) -> Option<Value>, known: &'static [&'static str]) {
    while let Some(request) = peer.next().await {
        let answer = match request["method"].as_str() {
            Some("server/discover") => discover(&request),
            Some("initialize") if known.is_empty() => Some(error(&request, -32602, "only 2026-07-28 here")),
            Some("initialize") => Some(negotiate(&request, known)),
            _ => None,
        };
        if let Some(answer) = answer {
            peer.say(answer).await;
        }
    }
}

fn pipe(discover: fn(&Value) -> Option<Value>, known: &'static [&'static str]) -> Target {
    in_process(move |peer| serve(peer, discover, known))
}

const ALL: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[tokio::test]
async fn a_server_of_both_eras_shows_all_its_revisions() {
    let found = probe(&pipe(|r| Some(discovered(r)), ALL), quick()).await.unwrap();
    assert_eq!(found.versions(), Version::ALL);
    assert_eq!(found.name().as_deref(), Some("peer 2"));
    assert!(found.spoken.iter().all(|s| s.transport == Transport::Stdio));
    assert!(found.has(Era::Legacy) && found.has(Era::Modern) && found.unknown.is_empty());
    assert_eq!(found.find(Version::V2025_03_26).unwrap().server.name().as_deref(), Some("peer 1"));
}

#[tokio::test]
async fn a_legacy_server_may_answer_the_discovery_with_any_error() {
    let found =
        probe(&pipe(|r| Some(error(r, -32000, "not initialized")), &ALL[1..3]), quick()).await.unwrap();
    assert_eq!(found.versions(), [Version::V2025_03_26, Version::V2025_06_18]);
    assert!(
        found.notes.iter().any(|n| n.contains("not 2025-11-25") && n.contains("offers 2025-06-18")),
        "{:?}",
        found.notes
    );
    assert!(found.notes.iter().any(|n| n.contains("not initialized (-32000)")), "{:?}", found.notes);
}

#[tokio::test]
async fn a_legacy_server_may_stay_silent_too() {
    let start = Instant::now();
    let found = probe(&pipe(|_| None, &ALL[..1]), quick()).await.unwrap();
    assert_eq!(found.versions(), [Version::V2024_11_05]);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_legacy_server_may_even_hang_up() {
    let target = in_process(|mut peer: Peer| async move {
        let request = peer.next().await.unwrap();
        if request["method"] == "initialize" {
            peer.say(welcome(&request)).await;
            while peer.next().await.is_some() {}
        }
    });
    assert_eq!(probe(&target, quick()).await.unwrap().versions(), &Version::ALL[..4]);
}

#[tokio::test]
async fn a_modern_server_needs_no_handshake() {
    let found = probe(&pipe(|r| Some(discovered(r)), &[]), quick()).await.unwrap();
    assert_eq!(found.versions(), [Version::V2026_07_28]);
    assert!(found.notes.iter().any(|n| n.contains("only 2026-07-28 here")), "{:?}", found.notes);
}

#[tokio::test]
async fn a_modern_server_of_another_revision_is_not_taken_for_legacy() {
    let refuse = |request: &Value| {
        let mut refusal = error(request, -32022, "Unsupported protocol version");
        refusal["error"]["data"] = json!({"supported": ["2031-01-01"], "requested": "2026-07-28"});
        Some(refusal)
    };
    let found = probe(&pipe(refuse, &[]), quick()).await.unwrap();
    assert!(found.spoken.is_empty());
    assert_eq!(found.unknown, ["2031-01-01"]);
}

#[tokio::test]
async fn a_slow_start_is_not_taken_for_an_old_server() {
    let target = in_process(|peer: Peer| async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        serve(peer, |r| Some(discovered(r)), &[]).await;
    });
    assert_eq!(probe(&target, quick()).await.unwrap().versions(), [Version::V2026_07_28]);
}

#[tokio::test]
async fn a_server_that_hangs_costs_a_bounded_time() {
    let limits = Limits { start: Duration::from_millis(200), request: Duration::from_millis(200), ..quick() };
    let start = Instant::now();
    let failure = probe(&pipe(|_| None, &[]), limits.clone()).await;
    assert!(matches!(failure, Err(Failure::Refused { .. })), "{failure:?}");
    let mute = in_process(|mut peer: Peer| async move { while peer.next().await.is_some() {} });
    let failure = probe(&mute, limits.clone()).await.unwrap_err();
    assert!(failure.is_timeout(), "{failure}");
    let peer = http(|_, mut conn: Conn| async move {
        conn.closed().await;
        conn.hang_up();
        conn
    })
    .await;
    assert!(probe(&peer.target(), limits).await.unwrap_err().is_timeout());
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

/// A line that is printed at the start answers nothing. One start is waited for, and the line is told.
#[tokio::test(start_paused = true)]
async fn a_line_before_silence_costs_one_start() {
    let greets = in_process(|mut peer: Peer| async move {
        peer.raw("hello\n").await;
        while peer.next().await.is_some() {}
    });
    let limits = Limits::default();
    let start = tokio::time::Instant::now();
    let failure = first_contact(&greets, &limits).await.unwrap_err();
    assert!(failure.is_timeout() && failure.to_string().contains("hello"), "{failure}");
    assert_eq!(start.elapsed().as_secs(), limits.start.as_secs());
}

/// A target that answers every request with what cannot be read is not silent, and not waited for as if it had yet to start.
#[tokio::test(start_paused = true)]
async fn answers_that_cannot_be_read_are_not_silence() {
    let broken = in_process(|mut peer: Peer| async move {
        peer.raw("hello\n").await;
        while peer.next().await.is_some() {
            peer.raw("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}\n").await;
        }
    });
    let limits = Limits::default();
    let start = tokio::time::Instant::now();
    let failure = first_contact(&broken, &limits).await.unwrap_err();
    assert!(matches!(failure, Failure::NotJsonRpc { .. }), "{failure}");
    assert!(start.elapsed() < limits.start / 2, "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_command_is_probed_by_its_streams() {
    let script = r#"while read -r line; do case "$line" in
        *'"server/discover"'*) echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}';;
        *'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"sh","version":"0"}}}';;
    esac; done"#;
    let found = probe(&Target::command("sh", ["-c", script]), quick()).await.unwrap();
    assert_eq!(found.versions(), [Version::V2025_06_18]);
    assert_eq!(found.spoken[0].transport, Transport::Stdio);
    let dead = probe(&Target::command("sh", ["-c", "echo broken >&2; exit 1"]), quick()).await.unwrap_err();
    assert!(dead.to_string().contains("broken") && dead.to_string().contains("exit status: 1"), "{dead}");
    let missing = probe(&Target::command("no-such-program-at-all", ["x"]), quick()).await.unwrap_err();
    assert!(matches!(missing, Failure::NotStarted { .. }), "{missing}");
}

#[tokio::test]
async fn an_http_server_of_both_eras_shows_all_its_revisions() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        match (request.verb.as_str(), request.method().as_str()) {
            ("POST", "server/discover") => conn.json(200, discovered(&request.json())).await,
            ("GET", _) => conn.full(405, "text/plain", "", "no").await,
            _ => assert!(welcomed(&request, &mut conn).await),
        }
        conn
    })
    .await;
    let found = probe(&peer.target(), quick()).await.unwrap();
    assert_eq!(found.versions(), Version::ALL);
    assert!(found.spoken.iter().all(|s| s.transport == Transport::StreamableHttp));
}

#[tokio::test]
async fn a_legacy_http_server_refuses_the_discovery_in_its_own_way() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        match (request.verb.as_str(), request.method().as_str()) {
            ("POST", "initialize") => conn.json(200, negotiate(&request.json(), &ALL[1..])).await,
            ("POST", "notifications/initialized") => conn.accepted().await,
            ("GET", _) => conn.full(405, "text/plain", "", "no").await,
            _ => conn.json(400, error(&request.json(), -32000, "Bad Request: no session")).await,
        }
        conn
    })
    .await;
    let found = probe(&peer.target(), quick()).await.unwrap();
    assert_eq!(found.versions(), &Version::ALL[1..4]);
}

#[tokio::test]
async fn a_modern_http_server_without_discovery_is_found_out() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        match request.method().as_str() {
            "tools/list" => {
                conn.json(200, result(&request.json(), json!({"resultType": "complete", "tools": []}))).await;
            }
            _ => conn.json(404, error(&request.json(), -32601, "Method not found")).await,
        }
        conn
    })
    .await;
    assert_eq!(probe(&peer.target(), quick()).await.unwrap().versions(), [Version::V2026_07_28]);
}

#[tokio::test]
async fn a_web_server_speaks_nothing() {
    let peer = http(|_, mut conn: Conn| async move {
        conn.full(404, "text/html", "", "<p>no</p>").await;
        conn
    })
    .await;
    let failure = probe(&peer.target(), quick()).await.unwrap_err();
    assert!(failure.to_string().contains("HTTP 404"), "{failure}");
}
