//! The attacker's site. It answers every request and records the paths.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A site that answers every request.
#[derive(Clone, Debug)]
pub(crate) struct Evil {
    port: u16,
    hits: Arc<Mutex<Vec<String>>>,
}

impl Evil {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let evil = Self { port: listener.local_addr().unwrap().port(), hits: Arc::default() };
        let site = evil.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(site.clone().serve(stream));
            }
        });
        evil
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The requested paths so far.
    pub(crate) fn hits(&self) -> Vec<String> {
        self.hits.lock().unwrap().clone()
    }

    async fn serve(self, stream: TcpStream) {
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        let Ok(Some(first)) = lines.next_line().await else { return };
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let kind = match path.split('?').next().unwrap_or_default() {
            "/script" | "/worker" | "/module" => "text/javascript",
            "/style" => "text/css",
            "/events" => "text/event-stream",
            _ => "text/html",
        };
        let body = if kind == "text/javascript" { "globalThis.owned = true" } else { "" };
        let status = if path == "/redirect" { "302 Found\r\nlocation: /landed" } else { "200 OK" };
        self.hits.lock().unwrap().push(path);
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\naccess-control-allow-origin: *\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        // A client that has left is recorded too.
        let _ = write.write_all(answer.as_bytes()).await;
    }
}
