//! The limits of a server: what it refuses, how, and that it releases what it reserved.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use yardstick_transport::serve::Limits;
use yardstick_transport::serve::http::{HttpServer, Options};

use crate::serve::{Stub, closes, read, request, send, session, until};

const KIB: usize = 1024;

async fn listen(stub: &Arc<Stub>, limits: Limits) -> HttpServer {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    HttpServer::bind(address, stub.clone(), Options { limits, ..Options::default() }).await.unwrap()
}

/// A request as it is written, and nothing more.
async fn raw(http: &HttpServer, text: &str) -> TcpStream {
    let mut socket = TcpStream::connect(http.address()).await.unwrap();
    socket.write_all(text.as_bytes()).await.unwrap();
    socket
}

/// The head of a POST whose body is announced with `length` bytes.
fn head(http: &HttpServer, length: usize, more: &str) -> String {
    let host = http.address();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n"
    )
}

/// The status, and the JSON-RPC error that has to come with a refusal.
async fn refusal(socket: &mut TcpStream) -> (u16, String) {
    let text = read(socket, "}}").await;
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert!(body["error"]["code"].is_i64() && body["jsonrpc"] == "2.0", "{body}");
    assert_eq!(head.contains("retry-after: "), matches!(status, 429 | 503), "{head}");
    (status, head.to_owned())
}

#[tokio::test]
async fn a_body_that_is_announced_as_too_long_is_not_waited_for() {
    let http = listen(&Arc::default(), Limits::for_messages(64 * KIB)).await;
    let mut socket = raw(&http, &head(&http, 64 * KIB + 1, "")).await;
    assert_eq!(refusal(&mut socket).await.0, 413);
    let mut chunked =
        raw(&http, &head(&http, 0, "transfer-encoding: chunked\r\n").replace("content-length: 0\r\n", ""))
            .await;
    let chunk = format!("{:x}\r\n{}\r\n", 16 * KIB, " ".repeat(16 * KIB));
    for _ in 0..5 {
        chunked.write_all(chunk.as_bytes()).await.unwrap();
    }
    assert_eq!(refusal(&mut chunked).await.0, 413);
}

#[tokio::test]
async fn a_body_may_come_in_single_bytes() {
    let http = listen(&Arc::default(), Limits::default()).await;
    let id = session(&http).await;
    let body = format!("{}{}", request(1, "now"), " ".repeat(20 * KIB));
    let mut socket = raw(&http, &head(&http, body.len(), &format!("mcp-session-id: {id}\r\n"))).await;
    socket.set_nodelay(true).unwrap();
    for byte in body.bytes() {
        socket.write_all(&[byte]).await.unwrap();
    }
    assert!(read(&mut socket, "\"result\"").await.starts_with("HTTP/1.1 200"));
    until("all is given back", || http.budgets().work.used() == 0).await;
}

#[tokio::test]
async fn a_session_has_its_share_and_others_have_theirs() {
    let limits = Limits { session_work: 150 * KIB, ..Limits::default() };
    let http = listen(&Arc::default(), limits).await;
    let greedy = format!("mcp-session-id: {}\r\n", session(&http).await);
    let modest = format!("mcp-session-id: {}\r\n", session(&http).await);
    let mut half = raw(&http, &head(&http, 200 * KIB, &greedy)).await;
    half.write_all(" ".repeat(100 * KIB).as_bytes()).await.unwrap();
    until("half of it is there", || http.budgets().work.used() >= 100 * KIB).await;
    let body = format!("{}{}", request(1, "now"), " ".repeat(40 * KIB));
    let mut refused = raw(&http, &format!("{}{body}", head(&http, body.len(), &greedy))).await;
    assert_eq!(refusal(&mut refused).await.0, 429);
    let small = request(1, "now");
    let mut taken = raw(&http, &format!("{}{small}", head(&http, small.len(), &greedy))).await;
    assert!(read(&mut taken, "\"result\"").await.starts_with("HTTP/1.1 200"), "what is short is taken");
    let body = format!("{}{}", request(1, "now"), " ".repeat(30 * KIB));
    let mut other = raw(&http, &format!("{}{body}", head(&http, body.len(), &modest))).await;
    assert!(read(&mut other, "\"result\"").await.starts_with("HTTP/1.1 200"));
    drop(half);
    until("all is given back", || http.budgets().work.used() == 0).await;
}

#[tokio::test]
async fn a_tree_that_would_be_too_large_is_not_made() {
    let http = listen(&Arc::default(), Limits::default()).await;
    let numbers =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"now","params":{{"a":[{}1]}}}}"#, "1,".repeat(500_000));
    let mut socket = raw(&http, &format!("{}{numbers}", head(&http, numbers.len(), ""))).await;
    assert_eq!(refusal(&mut socket).await.0, 413);
    assert_eq!(http.budgets().work.used(), 0);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_given_up() {
    let limits = Limits { body_stall: Duration::from_millis(50), ..Limits::default() };
    let http = listen(&Arc::default(), limits).await;
    let mut socket = raw(&http, &format!("{}{{", head(&http, 100, ""))).await;
    assert_eq!(refusal(&mut socket).await.0, 408);
    assert!(closes(&mut socket).await);
}

#[tokio::test]
async fn whoever_waits_makes_room_for_whoever_asks() {
    let stub = Arc::new(Stub::default());
    let http = listen(&stub, Limits { connections: Some(4), ..Limits::default() }).await;
    let id = session(&http).await;
    let mut waiting = Vec::new();
    for part in ["", "POST /mcp HT", &head(&http, 100, ""), ""] {
        waiting.push(raw(&http, part).await);
    }
    let post = format!("POST /mcp HTTP/1.1\r\nmcp-session-id: {id}");
    for _ in 0..3 {
        let mut socket = send(&http, &post, &request(1, "now")).await;
        assert!(read(&mut socket, "\"result\"").await.starts_with("HTTP/1.1 200"));
    }
    assert!(closes(&mut waiting[0]).await, "the one that has waited longest is gone");
}

#[tokio::test]
async fn when_all_are_at_work_the_next_is_told_to_come_back() {
    let stub = Arc::new(Stub::default());
    let http = listen(&stub, Limits { connections: Some(2), ..Limits::default() }).await;
    let id = session(&http).await;
    let get = format!("GET /mcp HTTP/1.1\r\naccept: text/event-stream\r\nmcp-session-id: {id}");
    let mut stream = send(&http, &get, "").await;
    read(&mut stream, "data:").await;
    let mut second = send(&http, &get, "").await;
    assert_eq!(refusal(&mut second).await.0, 503, "streams take half of the places at most");
    drop(second);
    let post = format!("POST /mcp HTTP/1.1\r\nmcp-session-id: {id}");
    let mut later = send(&http, &post, &request(1, "later")).await;
    assert_eq!(refusal(&mut later).await.0, 503, "whatever they are for");
    drop(stream);
    drop(later);
    let again = async {
        loop {
            let mut socket = send(&http, &get, "").await;
            if read(&mut socket, "\r\n\r\n").await.starts_with("HTTP/1.1 200") {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(5), again).await.unwrap();
}

#[tokio::test]
async fn a_stream_that_nobody_reads_is_closed_and_gives_back() {
    let stub = Arc::new(Stub::default());
    let http = listen(&stub, Limits { write_stall: Duration::from_millis(100), ..Limits::default() }).await;
    let id = session(&http).await;
    let post = format!("POST /mcp HTTP/1.1\r\nmcp-session-id: {id}");
    let unread = send(&http, &post, &request(1, "later")).await;
    until("the request arrived", || stub.later.lock().unwrap().is_some()).await;
    let message = json!({ "jsonrpc": "2.0", "method": "m", "params": " ".repeat(64 * KIB) }).to_string();
    // More than the buffers of the system hold, so that it gets through only once the connection is given up.
    for _ in 0..300 {
        stub.say(&message).await;
    }
    assert!(http.budgets().kept.used() < 1024 * KIB, "{}", http.budgets().kept.used());
    let mut delete = send(&http, &format!("DELETE /mcp HTTP/1.1\r\nmcp-session-id: {id}"), "").await;
    assert!(read(&mut delete, "\r\n\r\n").await.starts_with("HTTP/1.1 204"));
    stub.later.lock().unwrap().take();
    until("all is given back", || http.budgets().kept.used() == 0 && http.budgets().work.used() == 0).await;
    drop(unread);
}

#[tokio::test]
async fn ids_of_one_transport_are_unknown_to_the_other() {
    let http = listen(&Arc::default(), Limits::default()).await;
    let mut stream = send(&http, "GET /sse HTTP/1.1", "").await;
    let endpoint = read(&mut stream, "\n\n\r\n").await;
    let sse = endpoint.split("sessionId=").nth(1).unwrap().lines().next().unwrap().to_owned();
    let mcp = session(&http).await;
    for (path, header) in [
        (format!("/messages?sessionId={mcp}"), String::new()),
        ("/mcp".to_owned(), format!("\r\nmcp-session-id: {sse}")),
    ] {
        let mut socket = send(&http, &format!("POST {path} HTTP/1.1{header}"), &request(1, "now")).await;
        assert_eq!(refusal(&mut socket).await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn batches_are_bounded_in_number_and_in_what_they_are_answered() {
    let stub = Arc::new(Stub { batches: true, ..Stub::default() });
    let http = listen(&stub, Limits { message: 2 * KIB, batch: 50, ..Limits::default() }).await;
    let post = format!("POST /mcp HTTP/1.1\r\nmcp-session-id: {}", session(&http).await);
    let batch =
        |count: usize| format!("[{}]", vec![r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#; count].join(","));
    let mut socket = send(&http, &post, &batch(51)).await;
    assert_eq!(refusal(&mut socket).await.0, 413);
    let mut socket = send(&http, &post, &batch(50)).await;
    let text = read(&mut socket, "]").await;
    let answers: Vec<Value> = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(answers.len(), 50, "each request has its answer");
    assert!(answers[0]["result"].is_object() && answers[49]["result"].is_object());
}

#[tokio::test]
async fn a_request_has_exactly_one_host() {
    let http = listen(&Arc::default(), Limits::default()).await;
    let host = format!("host: {}\r\n", http.address());
    for (hosts, status) in [
        (String::new(), 400),
        (format!("{host}{host}"), 400),
        ("host: [[::1]]\r\n".to_owned(), 400),
        ("host: attacker.example\r\n".to_owned(), 403),
        (host.clone(), 404),
    ] {
        let mut socket = raw(&http, &format!("GET /nowhere HTTP/1.1\r\n{hosts}\r\n")).await;
        assert_eq!(refusal(&mut socket).await.0, status, "{hosts}");
    }
    let folded = "GET /nowhere HTTP/1.1\r\nhost: localhost\r\n .attacker.example\r\n\r\n";
    let mut socket = raw(&http, folded).await;
    assert!(read(&mut socket, "\r\n\r\n").await.starts_with("HTTP/1.1 400"));
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let http = listen(&Arc::default(), Limits::default()).await;
    let mut socket = TcpStream::connect(http.address()).await.unwrap();
    let text = format!("GET /mcp HTTP/1.1\r\nhost: localhost\r\nx: {}", "x".repeat(64 * KIB));
    // The server may close before it is all written.
    let _ = socket.write_all(text.as_bytes()).await;
    assert!(read(&mut socket, "\r\n\r\n").await.starts_with("HTTP/1.1 431"));
}

#[tokio::test]
async fn an_address_that_stands_for_all_is_shown_as_one_to_connect_to() {
    let address = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
    let http = HttpServer::bind(address, Arc::new(Stub::default()), Options::default()).await.unwrap();
    let port = http.address().port();
    assert_eq!(http.url(), format!("http://127.0.0.1:{port}/mcp"));
}
