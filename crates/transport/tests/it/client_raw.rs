//! The raw socket: bytes that no HTTP client would send, and exactly what comes back.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wire::Recorder;
use yardstick_transport::client::{Endpoint, Limits, RawEnd, RawSocket};

use crate::client_support::quick;

const QUIET: Duration = Duration::from_millis(40);

/// Reads until `until` was seen or our side is closed, then answers and keeps the connection for a while.
async fn peer(until: &'static str, answer: &'static str, close: bool) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (mut got, mut buffer) = (Vec::new(), [0; 1024]);
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            got.extend_from_slice(&buffer[..count]);
            if !until.is_empty() && String::from_utf8_lossy(&got).contains(until) {
                break;
            }
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        if !close {
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    });
    Endpoint::new(&url).unwrap()
}

async fn socket(endpoint: &Endpoint, limits: &Limits) -> (RawSocket, Recorder) {
    let recorder = Recorder::new();
    (RawSocket::open(endpoint, &recorder, limits).await.unwrap(), recorder)
}

#[tokio::test]
async fn a_response_is_read_to_its_own_end() {
    let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad";
    let (mut raw, recorder) = socket(&peer("\r\n\r\n", answer, false).await, &quick()).await;
    raw.write(b"POST /mcp HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{").await.unwrap();
    let reply = raw.response(Duration::from_secs(2)).await;
    assert_eq!((reply.status(), reply.body(), &reply.end), (Some(400), b"bad".as_slice(), &RawEnd::Complete));
    assert!(reply.took < Duration::from_secs(1));
    let entries = recorder.transcript().entries;
    assert!(entries[0].bytes.starts_with(b"POST /mcp") && entries[1].bytes == answer);
}

#[tokio::test]
async fn a_closed_side_is_seen_by_the_other() {
    let (mut raw, _) = socket(&peer("", "bye", true).await, &quick()).await;
    raw.write(b"half a request").await.unwrap();
    raw.half_close().await.unwrap();
    let reply = raw.rest(Duration::from_secs(1)).await;
    assert_eq!((reply.bytes.as_ref(), reply.end.clone()), (b"bye".as_slice(), RawEnd::Closed));
    assert_eq!(reply.status(), None);
}

#[tokio::test]
async fn silence_and_too_much_are_told_apart() {
    let (mut raw, _) = socket(&peer("x", "partial", false).await, &quick()).await;
    raw.write(b"x").await.unwrap();
    let reply = raw.rest(QUIET).await;
    assert_eq!((reply.bytes.as_ref(), reply.end), (b"partial".as_slice(), RawEnd::Quiet));
    let (mut raw, _) = socket(&peer("x", "partial", false).await, &Limits { message: 4, ..quick() }).await;
    raw.write(b"x").await.unwrap();
    assert_eq!(raw.rest(QUIET).await.end, RawEnd::Full);
}
