//! Connections that there is no room for: they are told so, and closed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How many are told at one time; others are closed without a word, for each needs a descriptor meanwhile.
const AT_ONCE: usize = 16;
/// How long telling them may take.
const LIMIT: Duration = Duration::from_millis(500);

const BODY: &str = r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"there are as many connections as there may be: try again later"}}"#;

static BEING_TOLD: AtomicUsize = AtomicUsize::new(0);

/// 503, and the end.
pub(super) fn too_many_connections(stream: TcpStream) {
    if BEING_TOLD.fetch_add(1, Ordering::Relaxed) >= AT_ONCE {
        BEING_TOLD.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    tokio::spawn(async move {
        // Whoever does not listen is not told.
        let _ = tokio::time::timeout(LIMIT, tell(stream)).await;
        BEING_TOLD.fetch_sub(1, Ordering::Relaxed);
    });
}

async fn tell(mut stream: TcpStream) -> std::io::Result<()> {
    let length = BODY.len();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(BODY.as_bytes()).await?;
    stream.shutdown().await?;
    // A connection that is closed with something unread is reset, and the answer with it.
    let mut discarded = [0; 4096];
    while stream.read(&mut discarded).await? > 0 {}
    Ok(())
}
