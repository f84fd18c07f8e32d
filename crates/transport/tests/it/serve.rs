//! The server side of the transports, with a handler that does what a test tells it.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use protocol::Version;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use wire::{Kind, Malformed};
use yardstick_transport::MAX_MESSAGE;
use yardstick_transport::Transport;
use yardstick_transport::serve::http::{Answered, HttpServer, Options, Response};
use yardstick_transport::serve::{Answer, Budget, Handler, Inbound, Out, Outbox, pipe};

/// Answers `now` at once, `later` by a stream, and counts who comes and goes.
#[derive(Default)]
pub(crate) struct Stub {
    pub(crate) gone: AtomicUsize,
    pub(crate) batches: bool,
    /// Where the stream of `later` is written to.
    pub(crate) later: Mutex<Option<mpsc::Sender<Out>>>,
    pub(crate) outbox: Mutex<Option<Outbox>>,
}

impl Handler for Stub {
    type Peer = Transport;

    fn connect(&self, transport: Transport, outbox: Outbox, _: Budget) -> Transport {
        // A pipe is open for as long as somebody may write to it.
        if transport != Transport::Stdio {
            *self.outbox.lock().unwrap() = Some(outbox);
        }
        transport
    }

    fn handle(&self, _: &Arc<Transport>, inbound: Inbound<'_>) -> Answer {
        let frame = &inbound.frame;
        let id = frame.id.map(|id| id.get().to_owned()).unwrap_or_default();
        match (frame.kind(), frame.method().as_deref()) {
            (Kind::Request, Some("later")) => {
                let (sender, receiver) = mpsc::channel(8);
                *self.later.lock().unwrap() = Some(sender);
                Answer::Stream(receiver)
            }
            (Kind::Request, _) => Answer::Message { status: 200, body: response(&id) },
            _ => Answer::Accepted,
        }
    }

    fn malformed(&self, _: Option<&Transport>, why: &Malformed) -> Answer {
        Answer::Message { status: 400, body: json!({ "error": why.to_string() }).to_string().into() }
    }

    fn is_established(&self, _: &Transport) -> bool {
        true
    }

    fn version(&self, _: &Transport) -> Option<Version> {
        Some(Version::V2025_11_25)
    }

    fn disconnect(&self, _: &Arc<Transport>) {
        self.gone.fetch_add(1, Ordering::SeqCst);
    }

    fn accepts_batches(&self, _: &Transport) -> bool {
        self.batches
    }

    fn on_response(&self, _: Answered<'_>, mut response: Response) -> Response {
        response.headers_mut().insert("x-seen", http::HeaderValue::from_static("yes"));
        response
    }
}

impl Stub {
    fn gone(&self) -> usize {
        self.gone.load(Ordering::SeqCst)
    }

    pub(crate) async fn say(&self, message: &str) {
        let sender = self.later.lock().unwrap().clone().unwrap();
        sender.send(Out::Message(message.to_owned().into())).await.unwrap();
    }

    /// The stream of `later` ends.
    fn end(&self) {
        self.later.lock().unwrap().take();
    }
}

pub(crate) fn response(id: &str) -> Bytes {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).into()
}

pub(crate) fn request(id: u32, method: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string()
}

pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..200 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never came to pass that {what}");
}

/// All that a pipe answers to `input`, line by line.
async fn piped(stub: Arc<Stub>, input: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    let (near, far) = tokio::io::duplex(64 * 1024);
    let served = tokio::spawn(pipe::serve(stub, std::io::Cursor::new(input.to_vec()), far));
    let (mut reader, writer) = tokio::io::split(near);
    reader.read_to_end(&mut output).await.unwrap();
    drop(writer);
    served.await.unwrap().unwrap();
    output
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

#[tokio::test]
async fn a_pipe_takes_every_line_and_says_goodbye() {
    let stub = Arc::new(Stub::default());
    let input = format!("{}\r\n\n  \n{}", request(1, "now"), request(2, "now"));
    let answers = piped(stub.clone(), input.as_bytes()).await;
    assert_eq!(
        answers.iter().map(|a| a["id"].as_u64().unwrap()).collect::<Vec<_>>(),
        [1, 2],
        "the last without its end"
    );
    assert_eq!(stub.gone(), 1);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_an_error_and_not_the_end() {
    let mut input = vec![b'x'; MAX_MESSAGE + 1];
    input.push(b'\n');
    input.extend(request(1, "now").into_bytes());
    let answers = piped(Arc::default(), &input).await;
    assert!(answers[0]["error"].as_str().unwrap().contains("more than"), "{answers:?}");
    assert_eq!(answers[1]["id"], 1);
}

#[tokio::test]
async fn the_responses_to_a_batch_are_one_batch_on_a_pipe() {
    let stub = Arc::new(Stub { batches: true, ..Stub::default() });
    let (mut near, far) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(far);
    tokio::spawn(pipe::serve(stub.clone(), input, output));
    let batch = format!("[{},{}]\n", request(1, "now"), request(2, "later"));
    near.write_all(batch.as_bytes()).await.unwrap();
    until("the request arrived", || stub.later.lock().unwrap().is_some()).await;
    let mut buffer = vec![0; 4096];
    stub.say(r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#).await;
    let count = near.read(&mut buffer).await.unwrap();
    assert!(buffer[..count].starts_with(b"{\"jsonrpc\":\"2.0\",\"method\""), "notifications do not wait");
    stub.say(std::str::from_utf8(&response("2")).unwrap()).await;
    stub.end();
    let count = near.read(&mut buffer).await.unwrap();
    let answers: Value = serde_json::from_slice(&buffer[..count]).unwrap();
    let mut ids: Vec<_> = answers.as_array().unwrap().iter().map(|a| a["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2]);
}

async fn listen(stub: &Arc<Stub>) -> HttpServer {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    HttpServer::bind(address, stub.clone(), Options::default()).await.unwrap()
}

/// Sends an HTTP request as it is written, with a body if there is one.
pub(crate) async fn send(http: &HttpServer, head: &str, body: &str) -> TcpStream {
    let mut socket = TcpStream::connect(http.address()).await.unwrap();
    let host = http.address();
    let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let text = format!("{head}\r\nhost: {host}\r\ncontent-type: application/json\r\n{length}\r\n{body}");
    socket.write_all(text.as_bytes()).await.unwrap();
    socket
}

/// Reads until `end` has come.
pub(crate) async fn read(socket: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains(end) {
        let count = tokio::time::timeout(Duration::from_secs(5), socket.read(&mut buffer))
            .await
            .unwrap_or_else(|_| panic!("nothing comes after {text}"))
            .unwrap();
        assert!(count > 0, "it ended before {end:?}: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    text
}

/// Whether the other end closes the connection soon.
pub(crate) async fn closes(socket: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    tokio::time::timeout(Duration::from_secs(2), socket.read_to_end(&mut rest)).await.is_ok()
}

/// A session, by its id.
pub(crate) async fn session(http: &HttpServer) -> String {
    let mut socket = send(http, "POST /mcp HTTP/1.1", &request(0, "initialize")).await;
    let head = read(&mut socket, "\"result\"").await;
    let (_, rest) = head.split_once("mcp-session-id: ").unwrap();
    rest.lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn the_handler_hears_of_sessions_that_end() {
    let stub = Arc::new(Stub::default());
    let http = listen(&stub).await;
    let id = session(&http).await;
    let mut delete = send(&http, &format!("DELETE /mcp HTTP/1.1\r\nmcp-session-id: {id}"), "").await;
    assert!(read(&mut delete, "\r\n\r\n").await.starts_with("HTTP/1.1 204"));
    assert_eq!(stub.gone(), 1);
    let mut stream = send(&http, "GET /sse HTTP/1.1", "").await;
    assert!(read(&mut stream, "sessionId=").await.contains("event: endpoint"));
    drop(stream);
    until("the stream is missed", || stub.gone() == 2).await;
}

#[tokio::test]
async fn the_handler_sees_every_response() {
    let http = listen(&Arc::default()).await;
    let asked = [
        ("OPTIONS /mcp HTTP/1.1", "", 204),
        ("PUT /mcp HTTP/1.1", "", 405),
        ("GET /elsewhere HTTP/1.1", "", 404),
        ("GET /mcp HTTP/1.1\r\naccept: text/plain", "", 406),
        ("GET /mcp HTTP/1.1\r\norigin: http://attacker.example", "", 403),
        ("DELETE /mcp HTTP/1.1\r\nmcp-session-id: unknown", "", 404),
        ("POST /mcp HTTP/1.1\r\naccept: text/plain", "{}", 406),
        ("POST /mcp HTTP/1.1", "nonsense", 400),
        ("POST /mcp HTTP/1.1", r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#, 200),
        ("GET /sse HTTP/1.1", "", 200),
        ("PUT /sse HTTP/1.1", "", 405),
        ("POST /messages HTTP/1.1", "{}", 404),
        ("GET /messages HTTP/1.1", "", 405),
    ];
    for (head, body, status) in asked {
        let answer = read(&mut send(&http, head, body).await, "\r\n\r\n").await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{head}: {answer}");
        assert!(answer.contains("x-seen: yes"), "{head}: {answer}");
    }
}

/// The client has come back: the connection that it left is of no use to anybody.
#[tokio::test]
async fn a_resumed_stream_leaves_its_old_connection() {
    let stub = Arc::new(Stub::default());
    let http = listen(&stub).await;
    let id = session(&http).await;
    let get = format!("GET /mcp HTTP/1.1\r\naccept: text/event-stream\r\nmcp-session-id: {id}");
    let mut old = send(&http, &get, "").await;
    let primed = read(&mut old, "data:").await;
    let event = primed.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    let mut new = send(&http, &format!("{get}\r\nlast-event-id: {event}"), "").await;
    read(&mut old, "0\r\n\r\n").await;
    let outbox = stub.outbox.lock().unwrap().clone().unwrap();
    assert!(outbox.send(Bytes::from_static(b"{\"hello\":1}")));
    assert!(read(&mut new, "hello").await.contains("data: {\"hello\":1}"));
}

#[tokio::test]
async fn a_shutdown_waits_for_what_is_under_way() {
    let stub = Arc::new(Stub::default());
    let http = Arc::new(listen(&stub).await);
    let id = session(&http).await;
    let mut socket =
        send(&http, &format!("POST /mcp HTTP/1.1\r\nmcp-session-id: {id}"), &request(1, "later")).await;
    until("the request arrived", || stub.later.lock().unwrap().is_some()).await;
    let stopping = tokio::spawn({
        let http = http.clone();
        async move { http.shut_down(Duration::from_secs(5)).await }
    });
    until("no more are accepted", || std::net::TcpStream::connect(http.address()).is_err()).await;
    stub.say(std::str::from_utf8(&response("1")).unwrap()).await;
    stub.end();
    assert!(read(&mut socket, "\"result\"").await.contains("\"id\":1"));
    assert!(closes(&mut socket).await);
    stopping.await.unwrap();
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_ever() {
    let stub = Arc::new(Stub::default());
    let http = listen(&stub).await;
    let id = session(&http).await;
    let get = format!("GET /mcp HTTP/1.1\r\naccept: text/event-stream\r\nmcp-session-id: {id}");
    let mut socket = send(&http, &get, "").await;
    read(&mut socket, "data:").await;
    http.shut_down(Duration::from_millis(50)).await;
    assert!(closes(&mut socket).await);
}
