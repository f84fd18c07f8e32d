//! The HTTP tap: what passes, what changes on the way, and what is recorded.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "the helpers of tests may, as tests may")]

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use wire::What;
use wire::recording::{About, Recording};
use yardstick_transport::client::{Endpoint, Target};
use yardstick_transport::tap::http::HttpTap;
use yardstick_transport::tap::{RecordOptions, RecordWriter, Redactor};

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Tapped {
    tap: HttpTap,
    writer: RecordWriter,
    sink: Sink,
}

impl Tapped {
    async fn at(url: &str) -> Self {
        let endpoint = Endpoint::new(url).unwrap();
        let sink = Sink::default();
        let writer = RecordWriter::start(RecordOptions {
            sink: Box::new(sink.clone()),
            redactor: Redactor::for_target(&Target::Url(endpoint.clone())),
            about: About::default(),
            name: "t".into(),
            endpoint: Some(endpoint.url.path().to_owned()),
            keep: false,
            on_failure: Box::new(|why| panic!("{why}")),
        });
        let writer = writer.unwrap();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let tap = HttpTap::bind(address, &endpoint, writer.sender()).await.unwrap();
        Self { tap, writer, sink }
    }

    async fn connect(&self) -> TcpStream {
        let url = self.tap.url();
        let authority = url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        TcpStream::connect(authority).await.unwrap()
    }

    async fn finish(self) -> Recording {
        self.tap.shut_down(Duration::from_secs(2)).await;
        self.writer.finish().await;
        let file = self.sink.0.lock().unwrap().clone();
        Recording::parse(file).unwrap()
    }
}

async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut seen = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&seen).contains(end) {
            let mut buffer = [0; 4096];
            let count = stream.read(&mut buffer).await.unwrap();
            assert!(count > 0, "ended after {:?}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&buffer[..count]);
        }
    };
    tokio::time::timeout(Duration::from_secs(5), reading).await.expect("it came too late");
    String::from_utf8(seen).unwrap()
}

const POST: &str = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nX-Mine: 1\r\n\
                    Authorization: Bearer abcd1234\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n\
                    {\"id\":1,\"method\":\"ping\"}";

/// An event must not wait for the next one, and the request reaches the server as it was, but for what has to change.
#[tokio::test]
async fn events_pass_one_by_one() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = listener.local_addr().unwrap();
    let tapped = Tapped::at(&format!("http://{place}/mcp?key=sesame1")).await;
    let mut client = tapped.connect().await;
    client.write_all(POST.as_bytes()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let request = read_until(&mut server, "ping").await;
    assert!(request.starts_with("POST /mcp?key=sesame1 HTTP/1.1\r\n"), "{request}");
    for part in
        [&format!("Host: {place}"), "X-Mine: 1", "Authorization: Bearer abcd1234", "Content-Length: 24"]
    {
        assert!(request.contains(part), "{part} in {request}");
    }
    assert!(!request.contains("gzip"), "{request}");
    let head = "HTTP/1.1 200 Fine\r\nContent-Type: text/event-stream\r\nX-Theirs: 2\r\nTransfer-Encoding: chunked\r\n\r\n";
    server.write_all(head.as_bytes()).await.unwrap();
    for number in ["1", "2"] {
        let event = format!("data: {{\"n\":{number}}}\n\n");
        server.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).await.unwrap();
        let seen = read_until(&mut client, &format!("\"n\":{number}")).await;
        assert!(number == "2" || seen.contains("X-Theirs: 2") && seen.contains("200 Fine"), "{seen}");
    }
    // A client that goes away is gone for the server too.
    drop(client);
    let mut rest = Vec::new();
    tokio::time::timeout(Duration::from_secs(5), server.read_to_end(&mut rest)).await.unwrap().unwrap();
    let recording = tapped.finish().await;
    let entries = &recording.sessions[0].transcript.entries;
    let whats: Vec<_> = entries.iter().map(|entry| entry.what).collect();
    assert_eq!(whats, [What::Head, What::Message, What::Head, What::Message, What::Message, What::End]);
    let text: String = entries.iter().map(|entry| String::from_utf8_lossy(&entry.bytes)).collect();
    assert!(!text.contains("abcd1234") && text.contains("Bearer ***"), "{text}");
}

#[tokio::test]
async fn a_dead_server_is_told_of() {
    let tapped = Tapped::at("http://127.0.0.1:9/mcp").await;
    let mut client = tapped.connect().await;
    client.write_all(POST.as_bytes()).await.unwrap();
    let answer = read_until(&mut client, "refused").await;
    assert!(answer.starts_with("HTTP/1.1 502") && answer.contains("yardstick tap"), "{answer}");
    let recording = tapped.finish().await;
    let last = recording.sessions[0].transcript.entries.last().unwrap().clone();
    assert_eq!(last.what, What::End);
}

#[tokio::test]
async fn a_foreign_host_is_refused_in_the_servers_place() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let tapped = Tapped::at(&format!("http://{}/mcp", listener.local_addr().unwrap())).await;
    let mut client = tapped.connect().await;
    client.write_all(POST.replace("localhost", "attacker.example").as_bytes()).await.unwrap();
    let answer = read_until(&mut client, "not admitted").await;
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    assert!(tapped.finish().await.sessions.is_empty());
}

/// What is not about the endpoint may be the exchange of a code for a token.
#[tokio::test]
async fn of_other_paths_only_heads_are_kept() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let tapped = Tapped::at(&format!("http://{}/mcp", listener.local_addr().unwrap())).await;
    let mut client = tapped.connect().await;
    client.write_all(POST.replace("/mcp", "/token").as_bytes()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    read_until(&mut server, "ping").await;
    let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n{\"access_token\":\"hush\"}";
    server.write_all(answer.as_bytes()).await.unwrap();
    read_until(&mut client, "hush").await;
    let recording = tapped.finish().await;
    assert_eq!(recording.sessions[0].name, "t-aside");
    assert!(recording.sessions[0].transcript.entries.iter().all(|entry| entry.what == What::Head));
}
