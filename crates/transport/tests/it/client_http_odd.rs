//! HTTP servers that misbehave: answers that are not HTTP, not JSON, too long, too short, or never come.

use std::time::{Duration, Instant};

use protocol::Version;
use serde_json::json;
use wire::What;
use yardstick_transport::client::{Blame, Failure, Limits, Profile, Reply, Session};

use crate::client_support::{Conn, HttpPeer, Req, connect, damaged, http, open, quick, result};

const MODERN: Version = Version::V2026_07_28;

/// A server that answers everything with these bytes and closes the connection.
async fn says(bytes: &'static str) -> HttpPeer {
    http(move |_, mut conn: Conn| async move {
        conn.raw(bytes).await;
        conn.hang_up();
        conn
    })
    .await
}

async fn ask(bytes: &'static str) -> Result<Reply, Failure> {
    connect(&says(bytes).await.target(), MODERN).await.request("ping").send().await
}

#[tokio::test]
async fn what_is_no_http_is_called_so() {
    let peer = says("SSH-2.0-OpenSSH_9.9\r\n").await;
    let session = connect(&peer.target(), MODERN).await;
    let failure = session.request("ping").send().await.unwrap_err();
    assert!(
        matches!(failure, Failure::NotHttp { .. }) && failure.to_string().contains("SSH-2.0"),
        "{failure}"
    );
    let noise: Vec<_> =
        session.recorder().transcript().entries.into_iter().filter(|e| e.what == What::Noise).collect();
    assert_eq!(noise[0].bytes, "SSH-2.0-OpenSSH_9.9\r\n");
}

#[tokio::test]
async fn half_a_head_and_no_head_at_all() {
    let half = ask("HTTP/1.1 200 OK\r\nContent-Ty").await.unwrap_err();
    assert!(matches!(half, Failure::NotHttp { .. }), "{half}");
    let none = ask("").await.unwrap_err();
    assert!(matches!(none, Failure::Closed { .. }), "{none}");
}

#[tokio::test]
async fn contradictory_framing_is_no_http() {
    let failure =
        ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x").await.unwrap_err();
    assert!(matches!(failure, Failure::NotHttp { .. }), "{failure}");
}

#[tokio::test]
async fn a_body_that_is_cut_short_is_kept_and_marked() {
    let reply =
        ask("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"id\":1")
            .await
            .unwrap();
    assert_eq!(reply.body, "{\"id\":1");
    assert!(reply.cut.is_some() && reply.response.is_none() && reply.messages.is_empty());
}

#[tokio::test]
async fn a_stream_that_is_cut_short_keeps_its_whole_events() {
    let reply = ask("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n20\r\ndata: {\"method\":\"n\"}\n\ndata: {\"id\"\r\n").await.unwrap();
    assert_eq!(reply.messages.len(), 1);
    assert!(reply.cut.is_some() && reply.response.is_none());
    let clean =
        ask("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"id\":1,\"result\":{}}\n")
            .await
            .unwrap();
    assert!(
        clean.response.is_none() && clean.messages.is_empty(),
        "an event without its blank line does not count"
    );
}

#[tokio::test]
async fn old_http_and_bodies_without_length_are_read() {
    let reply = ask("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{\"id\":1,\"result\":{}}")
        .await
        .unwrap();
    assert!(reply.result().is_some());
    assert_eq!(reply.head.unwrap().version, http::Version::HTTP_10);
}

#[tokio::test]
async fn a_wrong_content_type_does_not_hide_what_came() {
    let page = ask("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>no</p>")
        .await
        .unwrap();
    assert_eq!(
        (page.status(), page.body.as_ref(), page.messages.len()),
        (Some(404), b"<p>no</p>".as_slice(), 0)
    );
    let plain = ask(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 20\r\n\r\n{\"id\":1,\"result\":{}}",
    )
    .await
    .unwrap();
    assert!(plain.result().is_some(), "for a check to judge");
    let none = ask("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"id\":1,\"result\":{}}").await.unwrap();
    assert!(none.result().is_some() && none.media_type().is_none());
    let garbage = ask("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{nope")
        .await
        .unwrap();
    assert!(garbage.response.is_none() && garbage.messages[0].payload().is_err());
}

#[tokio::test]
async fn an_answer_to_somebody_else_is_no_answer() {
    let reply = ask("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 21\r\n\r\n{\"id\":77,\"result\":{}}").await.unwrap();
    assert!(reply.response.is_none() && reply.result().is_none());
    assert_eq!(reply.messages.len(), 1);
    let anonymous = ask("HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\nContent-Length: 48\r\n\r\n{\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}").await;
    assert_eq!(anonymous.unwrap().code(), None, "48 bytes are one too few");
    let anonymous = ask("HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\nContent-Length: 49\r\n\r\n{\"error\":{\"code\":-32700,\"message\":\"Parse error\"}}").await;
    assert_eq!(anonymous.unwrap().code(), Some(-32700));
}

#[tokio::test]
async fn a_handshake_with_a_web_page_is_explained() {
    let peer = says("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>hi</p>").await;
    let failure = open(&peer.target(), Version::V2025_11_25).await.unwrap_err();
    assert!(matches!(failure, Failure::NotJsonRpc { .. }), "{failure}");
}

fn tight() -> Limits {
    Limits { message: 50_000, ..quick() }
}

#[tokio::test]
async fn endless_bodies_and_events_are_too_large() {
    for kind in ["application/json", "text/event-stream", "text/html"] {
        let peer = http(move |_, mut conn: Conn| async move {
            conn.raw(format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\ndata: ")).await;
            for _ in 0..200 {
                conn.raw([b'x'; 8192]).await;
            }
            conn.closed().await;
            conn.hang_up();
            conn
        })
        .await;
        let session = Session::connect(&peer.target(), MODERN, Profile::bare(), tight()).await.unwrap();
        let failure = session.request("ping").send().await.unwrap_err();
        assert!(matches!(failure, Failure::TooLarge { limit: 50_000, .. }), "{kind}: {failure}");
        let kept: usize = session.recorder().transcript().entries.iter().map(|e| e.bytes.len()).sum();
        assert!(kept < 60_000, "{kind}: {kept} bytes kept");
    }
}

#[tokio::test]
async fn an_endless_stream_of_small_events_has_a_bound_too() {
    let peer = http(|_, mut conn: Conn| async move {
        conn.stream().await;
        for _ in 0..5000 {
            conn.event(json!({"method": "notifications/message"})).await;
        }
        conn.closed().await;
        conn.hang_up();
        conn
    })
    .await;
    let limits = Limits { traffic: 100_000, ..quick() };
    let session = Session::connect(&peer.target(), MODERN, Profile::bare(), limits).await.unwrap();
    let failure = session.request("ping").send().await.unwrap_err();
    assert!(matches!(failure, Failure::Flooded { .. }), "{failure}");
}

#[tokio::test]
async fn an_endless_head_is_given_up() {
    let peer = http(|_, mut conn: Conn| async move {
        conn.raw("HTTP/1.1 200 OK\r\n").await;
        for n in 0..3000 {
            conn.raw(format!("X-{n}: {}\r\n", "y".repeat(300))).await;
        }
        conn.closed().await;
        conn.hang_up();
        conn
    })
    .await;
    let failure = connect(&peer.target(), MODERN).await.request("ping").send().await.unwrap_err();
    assert!(matches!(failure, Failure::NotHttp { .. }), "{failure}");
}

#[tokio::test]
async fn silence_costs_the_timeout_wherever_it_falls() {
    for start in [
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hi\n\n",
    ] {
        let peer = http(move |_, mut conn: Conn| async move {
            conn.raw(start).await;
            conn.closed().await;
            conn.hang_up();
            conn
        })
        .await;
        let session = connect(&peer.target(), MODERN).await;
        let began = Instant::now();
        let failure = session.request("ping").timeout(Duration::from_millis(60)).send().await.unwrap_err();
        assert!(failure.is_timeout(), "{start:?}: {failure}");
        assert!(began.elapsed() < Duration::from_millis(600));
    }
}

#[tokio::test]
async fn an_early_answer_to_a_large_body_is_seen() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        conn.json(200, result(&request.json(), json!({"length": request.body.len()}))).await;
        conn
    })
    .await;
    let session = connect(&peer.target(), MODERN).await;
    let big = session.request("tools/call").params(json!({"name": "x", "text": "y".repeat(2_000_000)}));
    assert!(big.send().await.unwrap().result().unwrap()["length"].as_u64().unwrap() > 2_000_000);
}

#[tokio::test]
async fn a_wrong_length_is_our_own_fault_and_no_panic() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        conn.json(200, result(&request.json(), json!({}))).await;
        conn
    })
    .await;
    let session = connect(&peer.target(), MODERN).await;
    let request = session.request("ping").header("content-length", "3").timeout(Duration::from_millis(200));
    let outcome = request.send().await;
    assert!(session.request("ping").send().await.is_ok(), "the session survives {outcome:?}");
}

#[tokio::test]
async fn damaged_responses_never_hurt() {
    let good = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
                1e\r\nid: 1\nretry: 1\ndata: {\"id\":1, \r\n10\r\n\"result\":{}}\n\n:\n\r\n0\r\n\r\n";
    let peer = http(move |request: Req, mut conn: Conn| async move {
        let seed = request.header("x-seed").and_then(|s| s.parse().ok()).unwrap_or_default();
        conn.raw(damaged(good.as_bytes(), seed)).await;
        conn.hang_up();
        conn
    })
    .await;
    let session = connect(&peer.target(), MODERN).await;
    let timeout = Duration::from_millis(300);
    let mut settled = 0;
    for seed in 0..200_u32 {
        let request = session.request("ping").id("1").header("x-seed", seed.to_string()).timeout(timeout);
        match request.send().await {
            Ok(reply) => settled += u32::from(reply.response.is_some()),
            Err(failure) => assert_eq!(failure.blame(), Blame::Target, "{failure}"),
        }
    }
    assert!((1..200).contains(&settled), "some damage is harmless, some is not: {settled}");
}
