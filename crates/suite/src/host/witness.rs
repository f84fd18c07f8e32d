//! Listeners on loopback that tell who reached them: origins that a View declared, and others that it did not.

use std::collections::VecDeque;
use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinHandle;

/// How many requests a witness remembers.
const MAX_REQUESTS: usize = 2_000;
/// The longest first line of a request, in bytes.
const MAX_LINE_BYTES: u64 = 4_096;
/// How long a client may take to say what it wants.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);
/// A picture of one pixel.
const PIXEL: &[u8] =
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";

/// A page that speaks to every window around it as if it were a View.
const SPEAKER: &[u8] = b"<!doctype html><title>speaker</title><script>
for (const id of [\"foreign-0\", \"foreign-1\"]) for (const one of [parent, parent.parent, top])
  one.postMessage({ jsonrpc: \"2.0\", id, method: \"tools/call\", params: { name: \"echo\", arguments: { foreign: true } } }, \"*\");
</script>";

/// A site that answers every request and remembers its path.
#[derive(Debug)]
pub struct WitnessSite {
    port: u16,
    seen: Arc<SeenRequests>,
    task: JoinHandle<()>,
}

/// A socket that counts datagrams.
#[derive(Debug)]
pub struct WitnessSocket {
    port: u16,
    datagrams: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct SeenRequests {
    /// Connections, also those on which nothing was asked.
    connections: AtomicUsize,
    paths: Mutex<VecDeque<String>>,
}

impl WitnessSite {
    /// Listens on a free port of loopback.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let seen = Arc::new(SeenRequests::default());
        let shared = seen.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let shared = shared.clone();
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(REQUEST_TIMEOUT, answer(stream, &shared)).await;
                });
            }
        });
        Ok(Self { port, seen, task })
    }

    /// Its origin.
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The paths that were asked for so far.
    pub fn paths(&self) -> Vec<String> {
        self.seen.paths.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// How many connections there were so far.
    pub fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::Relaxed)
    }
}

async fn answer(stream: TcpStream, seen: &SeenRequests) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    BufReader::new(read.take(MAX_LINE_BYTES)).read_line(&mut line).await?;
    let Some(path) = line.split(' ').nth(1).map(str::to_owned) else { return Ok(()) };
    let (kind, body): (_, &[u8]) = match path.rsplit('.').next() {
        Some("gif") => ("image/gif", PIXEL),
        Some("js") => ("text/javascript", b"globalThis.owned = true"),
        Some("css") => ("text/css", b"body {}"),
        Some(_) | None if path.ends_with("/speaker") => ("text/html", SPEAKER),
        Some(_) | None => ("text/html", b"<!doctype html><title>witness</title>"),
    };
    {
        let mut paths = seen.paths.lock().unwrap_or_else(PoisonError::into_inner);
        if paths.len() == MAX_REQUESTS {
            paths.pop_front();
        }
        paths.push_back(path);
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\naccess-control-allow-origin: *\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    write.write_all(head.as_bytes()).await?;
    write.write_all(body).await
}

impl WitnessSocket {
    /// Listens on a free port of loopback.
    pub async fn start() -> io::Result<Self> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = socket.local_addr()?.port();
        let datagrams = Arc::<AtomicUsize>::default();
        let counted = datagrams.clone();
        let task = tokio::spawn(async move {
            while socket.recv_from(&mut [0; 64]).await.is_ok() {
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        Ok(Self { port, datagrams, task })
    }

    /// Where it listens.
    pub fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// How many datagrams came so far.
    pub fn count_datagrams(&self) -> usize {
        self.datagrams.load(Ordering::Relaxed)
    }
}

impl Drop for WitnessSite {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Drop for WitnessSocket {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_site_tells_who_came() {
        let site = WitnessSite::start().await.unwrap();
        let mut stream = TcpStream::connect(site.origin().trim_start_matches("http://")).await.unwrap();
        stream.write_all(b"GET /a/b.js HTTP/1.1\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains("text/javascript"), "{answer}");
        assert_eq!((site.paths(), site.connections()), (vec!["/a/b.js".to_owned()], 1));
    }

    #[tokio::test]
    async fn a_socket_counts_datagrams() {
        let witness = WitnessSocket::start().await.unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        socket.send_to(b"a", witness.authority()).await.unwrap();
        for _ in 0..100 {
            if witness.count_datagrams() == 1 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the datagram was not counted");
    }
}
