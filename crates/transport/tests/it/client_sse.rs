//! The HTTP+SSE of 2024-11-05, and how it is told from Streamable HTTP.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::sync::Arc;
use std::time::Duration;

use protocol::Version;
use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};
use yardstick_transport::Transport;
use yardstick_transport::client::{Closing, Failure, Target};

use crate::client_support::{Conn, HttpPeer, Req, http, open, result, welcome, welcomed};

const OLD: Version = Version::V2024_11_05;
const SHORT_WAIT: Duration = Duration::from_millis(500);

type Line = (mpsc::UnboundedSender<Value>, Arc<Mutex<mpsc::UnboundedReceiver<Value>>>);

fn line() -> Line {
    let (tell, told) = mpsc::unbounded_channel();
    (tell, Arc::new(Mutex::new(told)))
}

/// An HTTP+SSE server: messages in by POST to /messages, answers out on the stream.
async fn old_server(endpoint: &'static str) -> HttpPeer {
    let (tell, told) = line();
    http(move |request: Req, mut conn: Conn| {
        let (tell, told) = (tell.clone(), Arc::clone(&told));
        async move {
            match (request.verb.as_str(), request.path.as_str()) {
                ("GET", "/mcp") => {
                    conn.stream().await;
                    conn.chunk(format!("event: endpoint\ndata: {endpoint}\n\n")).await;
                    while let Some(message) = told.lock().await.recv().await {
                        conn.chunk(format!("event: message\ndata: {message}\n\n")).await;
                    }
                }
                ("POST", "/messages?s=1") => answer(&request, &mut conn, &tell).await,
                _ => conn.full(405, "text/plain", "", "no").await,
            }
            conn
        }
    })
    .await
}

async fn answer(request: &Req, conn: &mut Conn, tell: &mpsc::UnboundedSender<Value>) {
    let message = request.json();
    match message["method"].as_str() {
        Some("refuse") => return conn.full(400, "text/plain", "", "bad").await,
        Some("initialize") => tell.send(welcome(&message)).unwrap(),
        Some("ask") => {
            tell.send(json!({"jsonrpc": "2.0", "id": "q", "method": "ping"})).unwrap();
            tell.send(result(&message, json!({}))).unwrap();
        }
        Some("ping") => {
            tell.send(result(&message, json!({"auth": request.header("authorization")}))).unwrap();
        }
        None => tell.send(json!({"method": "answered", "params": message})).unwrap(),
        Some(_) => {}
    }
    conn.full(202, "text/plain", "", "Accepted").await;
}

#[tokio::test]
async fn messages_go_by_post_and_come_by_stream() {
    let peer = old_server("/messages?s=1").await;
    let target: Target = peer.endpoint.clone().header("Authorization", "Bearer x").into();
    let session = open(&target, OLD).await.unwrap();
    assert_eq!(session.transport(), Transport::HttpSse);
    assert_eq!(session.server().negotiated(), Some(OLD));
    let reply = session.request("ping").send().await.unwrap();
    assert_eq!((reply.status(), reply.result().unwrap()["auth"].as_str()), (Some(202), Some("Bearer x")));
    assert_eq!(reply.messages[0].event.as_ref().unwrap().event.as_deref(), Some("message"));
    let refused = session.request("refuse").send().await.unwrap();
    assert_eq!((refused.status(), refused.body.as_ref()), (Some(400), b"bad".as_slice()));
    session.request("ask").send().await.unwrap();
    let mut heard = session.incoming(SHORT_WAIT).await.unwrap().unwrap();
    if heard.method().as_deref() == Some("ping") {
        heard = session.incoming(SHORT_WAIT).await.unwrap().unwrap();
    }
    assert_eq!(heard.params().unwrap(), json!({"jsonrpc": "2.0", "id": "q", "result": {}}));
    assert!(matches!(session.close().await, Closing::HungUp));
    assert!(session.ended().is_some());
}

#[tokio::test]
async fn a_foreign_endpoint_is_never_posted_to() {
    let peer = old_server("http://attacker.example/messages").await;
    let failure = open(&peer.target(), OLD).await.unwrap_err();
    assert!(
        matches!(failure, Failure::BadEndpoint { .. }) && failure.to_string().contains("another origin"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_newer_revision_may_live_behind_the_old_transport() {
    let peer = old_server("messages?s=1").await;
    let session = open(&peer.target(), Version::V2025_06_18).await.unwrap();
    assert_eq!(session.transport(), Transport::HttpSse, "POST is refused with 405");
}

#[tokio::test]
async fn the_old_revision_may_live_behind_the_new_transport() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        if !welcomed(&request, &mut conn).await {
            conn.full(405, "text/plain", "", "no").await;
        }
        conn
    })
    .await;
    let session = open(&peer.target(), OLD).await.unwrap();
    assert_eq!(session.transport(), Transport::StreamableHttp);
    assert_eq!(session.server().negotiated(), Some(OLD));
}

#[tokio::test]
async fn a_stream_without_endpoint_is_no_old_server() {
    for start in ["event: message\ndata: {}\n\n", "data: /messages\n\n", ": only a comment\n\n"] {
        let peer = http(move |request: Req, mut conn: Conn| async move {
            match request.verb.as_str() {
                "GET" => {
                    conn.stream().await;
                    conn.chunk(start).await;
                    conn.closed().await;
                    conn.hang_up();
                }
                _ => conn.full(404, "text/plain", "", "no").await,
            }
            conn
        })
        .await;
        let failure = open(&peer.target(), OLD).await.unwrap_err();
        assert!(matches!(failure, Failure::BadEndpoint { .. }), "{start:?}: {failure}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_ends_the_session() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        match request.verb.as_str() {
            "GET" => {
                conn.stream().await;
                conn.chunk("event: endpoint\ndata: /mcp\n\n").await;
                tokio::time::sleep(Duration::from_millis(30)).await;
                conn.hang_up();
            }
            _ => conn.full(202, "text/plain", "", "").await,
        }
        conn
    })
    .await;
    let failure = open(&peer.target(), OLD).await.unwrap_err();
    assert!(matches!(failure, Failure::Closed { .. }), "{failure}");
}
