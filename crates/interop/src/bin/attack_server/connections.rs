//! Attacks with connections that do nothing.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::attack::Outcome;
use crate::wire;

/// More than the descriptors of the server allow, if it has the usual 1,024.
const CONNECTIONS: usize = 1500;
/// How long they stay.
const HOLD_TIME: Duration = Duration::from_secs(8);

/// Opens all connections, and sends the same text on each.
async fn connect_many(address: SocketAddr, text: &str) -> Outcome {
    let mut open: Vec<TcpStream> = Vec::new();
    for _ in 0..CONNECTIONS {
        if let Ok(Ok(mut stream)) =
            tokio::time::timeout(Duration::from_millis(500), TcpStream::connect(address)).await
        {
            // One that is closed already has been refused.
            let _ = stream.write_all(text.as_bytes()).await;
            open.push(stream);
        }
    }
    tokio::time::sleep(HOLD_TIME).await;
    let mut outcome = Outcome::default();
    for mut stream in open {
        let answer = tokio::time::timeout(Duration::from_millis(2), wire::read_answer(&mut stream)).await;
        outcome.count(&answer.unwrap_or_else(|_| Err(anyhow::anyhow!("it waits"))));
    }
    outcome
}

pub(crate) async fn stalled_bodies(address: SocketAddr) -> Outcome {
    connect_many(address, &format!("{}{{\"jsonrpc\":", wire::head(address, 1_000_000, ""))).await
}

pub(crate) async fn stalled_heads(address: SocketAddr) -> Outcome {
    connect_many(address, "POST /mcp HTTP/1.1\r\nhost: 127").await
}

pub(crate) async fn idle(address: SocketAddr) -> Outcome {
    connect_many(address, "").await
}

/// Heads that grow as far as they may and never end.
pub(crate) async fn long_heads(address: SocketAddr) -> Outcome {
    connect_many(address, &format!("POST /mcp HTTP/1.1\r\nx-long: {}", "x".repeat(31 * 1024))).await
}

/// `Host` headers that are not hosts.
pub(crate) async fn hosts(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let port = address.port();
    for (host, status) in [
        (String::new(), 400),
        (format!("host: {address}\r\nhost: {address}\r\n"), 400),
        ("host: [[::1]]\r\n".to_owned(), 400),
        (format!("host: 127.0.0.1]:{port}\r\n"), 400),
        ("host: localhost:65536\r\n".to_owned(), 400),
        ("host: me@localhost\r\n".to_owned(), 400),
        ("host:\r\n".to_owned(), 400),
        ("host: attacker.example\r\n".to_owned(), 403),
        (format!("host: localhost:{port}\r\n"), 404),
    ] {
        let text = format!("GET /nowhere HTTP/1.1\r\n{host}connection: close\r\n\r\n");
        let answer = async {
            let mut stream = wire::connect(address).await?;
            stream.write_all(text.as_bytes()).await?;
            wire::read_answer(&mut stream).await
        };
        outcome.expect(host.trim(), status, &answer.await);
    }
    // A client that behaves needs some time for its own requests.
    tokio::time::sleep(Duration::from_secs(1)).await;
    outcome
}
