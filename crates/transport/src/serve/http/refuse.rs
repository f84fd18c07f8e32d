//! Refuses connections that there is no room for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How many are refused with a response at a time. Others are closed without one, because each needs a descriptor
/// meanwhile.
const MAX_REFUSALS: usize = 16;
/// How long the response may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(500);

const BODY: &str = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"there are as many connections as there may be: try again later"}}"#;

static OPEN_REFUSALS: AtomicUsize = AtomicUsize::new(0);

/// Answers with 503 and closes.
pub(super) fn too_many_connections(stream: TcpStream) {
    if OPEN_REFUSALS.fetch_add(1, Ordering::Relaxed) >= MAX_REFUSALS {
        OPEN_REFUSALS.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    tokio::spawn(async move {
        // A client that does not read gets no response.
        let _ = tokio::time::timeout(RESPONSE_TIMEOUT, send_refusal(stream)).await;
        OPEN_REFUSALS.fetch_sub(1, Ordering::Relaxed);
    });
}

async fn send_refusal(mut stream: TcpStream) -> std::io::Result<()> {
    let length = BODY.len();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(BODY.as_bytes()).await?;
    stream.shutdown().await?;
    // Closing a connection with unread bytes resets it, and the client loses the response.
    let mut discarded = [0; 4096];
    while stream.read(&mut discarded).await? > 0 {}
    Ok(())
}
