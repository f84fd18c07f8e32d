//! Streams of events: splits, answers on the way, resumption, listening, cancellation.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use protocol::Version;
use serde_json::json;
use tokio::sync::mpsc;
use wire::What;
use yardstick_transport::client::{Limits, Profile, Session};

use crate::client_support::{Conn, HttpPeer, Req, connect, http, open, quick, result, welcomed};

const LEGACY: Version = Version::V2025_11_25;
const MODERN: Version = Version::V2026_07_28;
const SHORT_WAIT: Duration = Duration::from_millis(500);

/// A legacy server that answers the handshake; `script` does the rest.
async fn legacy<F, R>(script: F) -> HttpPeer
where
    F: Fn(Req, Conn) -> R + Send + Sync + 'static,
    R: Future<Output = Conn> + Send + 'static,
{
    let script = Arc::new(script);
    http(move |request: Req, mut conn: Conn| {
        let script = Arc::clone(&script);
        async move { if welcomed(&request, &mut conn).await { conn } else { script(request, conn).await } }
    })
    .await
}

#[tokio::test]
async fn a_stream_is_read_however_it_is_cut() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        let answer = result(&request.json(), json!({"text": "żółw\u{2028}"}));
        let log = json!({"method": "notifications/message", "params": {"data": 1}});
        conn.stream().await;
        let text = format!(
            ": hi\r\nretry: 5\r\n\r\nid: 1\ndata:\n\nevent: message\rid: 2\rdata: {log}\r\rdata: {answer}\n\n"
        );
        for piece in text.as_bytes().chunks(1) {
            conn.raw([b"1\r\n", piece, b"\r\n"].concat()).await;
        }
        conn.end_chunks().await;
        conn
    })
    .await;
    let session = connect(&peer.target(), MODERN).await;
    let reply = session.request("tools/call").send().await.unwrap();
    assert_eq!(reply.result().unwrap()["text"], "żółw\u{2028}");
    assert_eq!(reply.media_type().as_deref(), Some("text/event-stream"));
    assert_eq!(reply.messages.len(), 2);
    let event = reply.messages[0].event.as_ref().unwrap();
    assert_eq!((event.id.as_deref(), event.event.as_deref()), (Some("2"), Some("message")));
    assert!(event.raw.starts_with(b"event: message\rid: 2\rdata: {"));
    assert!(reply.ended && reply.cut.is_none());
    let quiet = session.recorder().transcript().entries.into_iter().filter(|e| e.what == What::Event).count();
    assert_eq!(quiet, 2, "a comment with retry, and a priming event");
    assert_eq!(peer.accepted(), 1);
}

#[tokio::test]
async fn the_servers_request_on_a_stream_is_answered_by_a_post() {
    let (tell, told) = mpsc::unbounded_channel::<Req>();
    let told = Arc::new(tokio::sync::Mutex::new(told));
    let peer = legacy(move |request, mut conn| {
        let (tell, told) = (tell.clone(), Arc::clone(&told));
        async move {
            if request.method() == "tools/call" {
                conn.stream().await;
                conn.event(json!({"jsonrpc": "2.0", "id": "r1", "method": "roots/list"})).await;
                let answer = told.lock().await.recv().await.unwrap();
                let seen = json!({"answer": answer.json(), "session": answer.header("mcp-session-id")});
                conn.event(result(&request.json(), seen)).await;
                conn.end_chunks().await;
            } else if request.verb == "GET" {
                conn.full(405, "text/plain", "", "no").await;
            } else {
                tell.send(request).unwrap();
                conn.accepted().await;
            }
            conn
        }
    })
    .await;
    let session = open(&peer.target(), LEGACY).await.unwrap();
    let seen = session.request("tools/call").send().await.unwrap().result().unwrap();
    assert_eq!((&seen["answer"]["id"], &seen["session"]), (&json!("r1"), &json!("s-1")));
    assert!(seen["answer"]["result"]["roots"].is_array());
}

#[tokio::test]
async fn what_follows_the_response_is_seen_too() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        conn.stream().await;
        conn.event(result(&request.json(), json!({}))).await;
        conn.event(json!({"method": "notifications/progress", "params": {}})).await;
        conn.closed().await;
        conn.hang_up();
        conn
    })
    .await;
    let session = connect(&peer.target(), MODERN).await;
    let reply = session.request("tools/call").send().await.unwrap();
    assert_eq!(reply.messages.len(), 2);
    assert!(!reply.ended, "the stream was left open");
}

#[tokio::test]
async fn a_stream_that_ends_early_is_resumed_after_the_retry() {
    let rounds = Arc::new(AtomicUsize::new(0));
    let peer = legacy(move |request, mut conn| {
        let rounds = Arc::clone(&rounds);
        async move {
            if request.verb == "GET" && request.header("last-event-id").is_none() {
                conn.full(405, "text/plain", "", "no").await;
                return conn;
            }
            let round = rounds.fetch_add(1, Ordering::SeqCst);
            conn.stream().await;
            match (round, request.verb.as_str(), request.header("last-event-id")) {
                (0, "POST", None) => conn.chunk("id: e1\nretry: 20\ndata:\n\n").await,
                (1, "GET", Some("e1")) => conn.chunk("data: {\"method\":\"without an id\"}\n\n").await,
                (2, "GET", Some("e1")) => conn.chunk("id: e2\ndata: {\"method\":\"n\"}\n\n").await,
                (3, "GET", Some("e2")) => {
                    conn.event(json!({"jsonrpc": "2.0", "id": 2, "result": {"round": round}})).await;
                }
                other => panic!("unexpected {other:?}"),
            }
            conn.end_chunks().await;
            conn
        }
    })
    .await;
    let session = open(&peer.target(), LEGACY).await.unwrap();
    let reply = session.request("tools/call").send().await.unwrap();
    assert_eq!(reply.result().unwrap()["round"], 3);
    assert_eq!(reply.messages.len(), 3);
    assert!(reply.elapsed >= Duration::from_millis(60), "it waited each time: {:?}", reply.elapsed);
    assert_eq!((reply.last_event_id.as_deref(), reply.retry), (Some("e2"), Some(Duration::from_millis(20))));
}

#[tokio::test]
async fn resuming_has_a_bound_and_may_be_refused() {
    let peer = legacy(|request, mut conn: Conn| async move {
        let refuse = request.path == "/refuse" || request.json()["params"]["refuse"] == true;
        match (request.verb.as_str(), refuse) {
            ("GET", _) if request.header("last-event-id") == Some("no") => {
                conn.full(405, "text/plain", "", "no").await;
            }
            (_, refuse) => {
                conn.stream().await;
                conn.chunk(if refuse { "id: no\ndata:\n\n" } else { "id: e\nretry: 0\ndata:\n\n" }).await;
                conn.end_chunks().await;
            }
        }
        conn
    })
    .await;
    let limits = Limits { resumptions: 2, ..quick() };
    let session = Session::open(&peer.target(), LEGACY, Profile::bare(), limits).await.unwrap();
    let reply = session.request("tools/call").send().await.unwrap();
    assert!(reply.response.is_none() && reply.ended);
    let refused = session.request("tools/call").params(json!({"refuse": true})).send().await.unwrap();
    assert_eq!(refused.cut.as_deref(), Some("resuming it was answered with HTTP 405"));
}

#[tokio::test]
async fn a_modern_stream_is_never_resumed() {
    let peer = http(|request: Req, mut conn: Conn| async move {
        assert_eq!(request.verb, "POST");
        conn.stream().await;
        conn.chunk("id: e\ndata:\n\n").await;
        conn.end_chunks().await;
        conn
    })
    .await;
    let reply = connect(&peer.target(), MODERN).await.request("tools/call").send().await.unwrap();
    assert!(reply.response.is_none() && reply.ended && reply.messages.is_empty());
}

#[tokio::test]
async fn listening_is_a_get_that_can_be_resumed() {
    let peer = legacy(|request, mut conn: Conn| async move {
        match (request.verb.as_str(), request.header("last-event-id")) {
            ("GET", None) => {
                conn.stream().await;
                conn.chunk("id: g1\ndata: {\"method\":\"notifications/tools/list_changed\"}\n\n").await;
                conn.end_chunks().await;
            }
            ("GET", Some(id)) => {
                conn.stream().await;
                conn.event(
                    json!({"method": "after", "params": {"id": id, "accept": request.header("accept")}}),
                )
                .await;
                conn.closed().await;
                conn.hang_up();
            }
            _ => conn.accepted().await,
        }
        conn
    })
    .await;
    let session = open(&peer.target(), LEGACY).await.unwrap();
    let mut stream = session.listen(None).await.unwrap();
    assert!(stream.next().await.unwrap().unwrap().is_notification("notifications/tools/list_changed"));
    assert!(stream.next().await.unwrap().is_none());
    assert_eq!(stream.last_event_id(), Some("g1"));
    let mut resumed = session.listen(Some("g1")).await.unwrap();
    let after = resumed.next().await.unwrap().unwrap().params().unwrap();
    assert_eq!(after, json!({"id": "g1", "accept": "text/event-stream"}));
    assert!(resumed.next_within(Duration::from_millis(20)).await.unwrap_err().is_timeout());
}

#[tokio::test]
async fn a_server_without_a_get_stream_says_405() {
    let peer = legacy(|_, mut conn: Conn| async move {
        conn.full(405, "text/plain", "Allow: POST\r\n", "").await;
        conn
    })
    .await;
    let session = open(&peer.target(), LEGACY).await.unwrap();
    let mut stream = session.listen(None).await.unwrap();
    assert_eq!(stream.head().unwrap().status, 405);
    assert!(stream.next().await.unwrap().is_none());
    assert!(!session.open_get_stream().await.unwrap());
    assert!(session.incoming(Duration::from_millis(5)).await.unwrap().is_none());
}

#[tokio::test]
async fn what_comes_on_the_background_stream_belongs_to_no_request() {
    let (tell, told) = mpsc::unbounded_channel::<Req>();
    let told = Arc::new(tokio::sync::Mutex::new(told));
    let peer = legacy(move |request, mut conn| {
        let (tell, told) = (tell.clone(), Arc::clone(&told));
        async move {
            match request.verb.as_str() {
                "GET" => {
                    conn.stream().await;
                    conn.event(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await;
                    let answer = told.lock().await.recv().await.unwrap();
                    conn.event(json!({"method": "heard", "params": answer.json()})).await;
                    conn.closed().await;
                    conn.hang_up();
                }
                _ => {
                    tell.send(request).unwrap();
                    conn.accepted().await;
                }
            }
            conn
        }
    })
    .await;
    let session = open(&peer.target(), LEGACY).await.unwrap();
    assert!(session.open_get_stream().await.unwrap());
    assert_eq!(session.incoming(SHORT_WAIT).await.unwrap().unwrap().method().as_deref(), Some("ping"));
    let heard = session.incoming(SHORT_WAIT).await.unwrap().unwrap();
    assert_eq!(heard.params().unwrap(), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

/// A server whose stream never ends; it tells when the client closes it.
async fn endless(tell: mpsc::UnboundedSender<&'static str>, log: Arc<Mutex<Vec<String>>>) -> HttpPeer {
    http(move |request: Req, mut conn: Conn| {
        let tell = tell.clone();
        log.lock().unwrap().push(request.method());
        async move {
            if request.method() == "tools/call" {
                conn.stream().await;
                conn.event(json!({"method": "notifications/progress", "params": {}})).await;
                conn.closed().await;
                conn.hang_up();
                tell.send("closed").unwrap();
            } else {
                conn.accepted().await;
            }
            conn
        }
    })
    .await
}

#[tokio::test]
async fn a_modern_request_is_cancelled_by_closing_its_stream() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let log = Arc::new(Mutex::new(Vec::new()));
    let peer = endless(tell, Arc::clone(&log)).await;
    let session = connect(&peer.target(), MODERN).await;
    let mut pending = session.request("tools/call").start().await.unwrap();
    pending.next().await.unwrap().unwrap();
    pending.cancel("enough").await.unwrap();
    assert_eq!(tokio::time::timeout(SHORT_WAIT, told.recv()).await.unwrap(), Some("closed"));
    assert!(pending.next().await.unwrap().is_none());
    assert!(!pending.is_settled());

    let mut dropped = session.request("tools/call").start().await.unwrap();
    dropped.next().await.unwrap().unwrap();
    drop(dropped);
    assert_eq!(tokio::time::timeout(SHORT_WAIT, told.recv()).await.unwrap(), Some("closed"));

    let late = session.request("tools/call").timeout(Duration::from_millis(30)).send().await;
    assert!(late.unwrap_err().is_timeout());
    assert_eq!(tokio::time::timeout(SHORT_WAIT, told.recv()).await.unwrap(), Some("closed"));
    assert_eq!(log.lock().unwrap()[..], ["tools/call", "tools/call", "tools/call"], "no notification is due");
}

#[tokio::test]
async fn a_legacy_request_is_cancelled_by_a_notification() {
    let (tell, _told) = mpsc::unbounded_channel();
    let log = Arc::new(Mutex::new(Vec::new()));
    let peer = endless(tell, Arc::clone(&log)).await;
    let session = connect(&peer.target(), LEGACY).await;
    let mut pending = session.request("tools/call").start().await.unwrap();
    pending.next().await.unwrap().unwrap();
    pending.cancel("enough").await.unwrap();
    assert_eq!(log.lock().unwrap()[..], ["tools/call", "notifications/cancelled"]);
    assert!(
        pending.next_within(Duration::from_millis(10)).await.unwrap_err().is_timeout(),
        "the stream stays"
    );
}
