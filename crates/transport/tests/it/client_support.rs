//! Scripted peers: the other end of a pipe or a socket, which says exactly what a test wants.

#![expect(clippy::unwrap_used, reason = "the helpers of tests may, as tests may")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use protocol::Version;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream,
};
use tokio::net::TcpListener;
use yardstick_transport::client::{Endpoint, Failure, Limits, Profile, Session, Target};

/// Bounds that keep a test fast.
pub(crate) fn quick() -> Limits {
    Limits {
        connect: Duration::from_millis(500),
        start: Duration::from_millis(1500),
        request: Duration::from_millis(1500),
        probe: Duration::from_millis(80),
        shutdown: Duration::from_millis(80),
        linger: Duration::from_millis(30),
        retry: Duration::from_millis(50),
        ..Limits::default()
    }
}

pub(crate) async fn open(target: &Target, version: Version) -> Result<Session, Failure> {
    Session::open(target, version, Profile::default(), quick()).await
}

pub(crate) async fn connect(target: &Target, version: Version) -> Session {
    Session::connect(target, version, Profile::default(), quick()).await.unwrap()
}

/// The far end of a pipe.
pub(crate) struct Peer {
    stream: BufReader<DuplexStream>,
}

impl Peer {
    /// The next message; `None` when our end is closed.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = self.line().await?;
        Some(serde_json::from_str(&line).unwrap_or(Value::String(line)))
    }

    /// The next line as it came, without its newline; `None` when our end is closed.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        let count = self.stream.read_until(b'\n', &mut line).await.ok()?;
        (count > 0).then(|| String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned())
    }

    /// The next request of `method`; what comes before is passed over.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await.unwrap_or_else(|| panic!("closed before {method}"));
            if message["method"] == method {
                return message;
            }
        }
    }

    pub(crate) async fn say(&mut self, message: impl ToString) {
        self.raw(format!("{}\n", message.to_string())).await;
    }

    pub(crate) async fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        // Our end may be gone on purpose.
        let _ = self.stream.write_all(bytes.as_ref()).await;
        let _ = self.stream.flush().await;
    }

    /// Answers the handshake with the version that was asked for.
    pub(crate) async fn shake_hands(&mut self) -> Value {
        let request = self.expect("initialize").await;
        self.say(welcome(&request)).await;
        self.expect("notifications/initialized").await;
        request
    }
}

/// A target within this process; each connection runs the script anew.
pub(crate) fn in_process<F, R>(script: F) -> Target
where
    F: Fn(Peer) -> R + Send + Sync + 'static,
    R: Future<Output = ()> + Send + 'static,
{
    Target::in_process(move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(script(Peer { stream: BufReader::new(theirs) }));
        ours
    })
}

pub(crate) fn result(request: &Value, result: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": request["id"]});
    message["result"] = result;
    message
}

pub(crate) fn error(request: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})
}

/// A good answer to `initialize`.
pub(crate) fn welcome(request: &Value) -> Value {
    result(
        request,
        json!({
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "peer", "version": "1"},
            "instructions": "be kind",
        }),
    )
}

/// A good answer to `server/discover`.
pub(crate) fn discovered(request: &Value) -> Value {
    result(
        request,
        json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "peer", "version": "2"}},
        }),
    )
}

/// One HTTP request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Req {
    pub(crate) verb: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Req {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    pub(crate) fn method(&self) -> String {
        self.json()["method"].as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// The far end of an HTTP connection, ready to answer one request.
pub(crate) struct Conn {
    stream: BufReader<Box<dyn Io>>,
    keep: bool,
    /// How many requests have come on it.
    pub(crate) requests: usize,
}

impl Conn {
    pub(crate) async fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        // Our end may be gone on purpose.
        let _ = self.stream.write_all(bytes.as_ref()).await;
        let _ = self.stream.flush().await;
    }

    /// A complete response with more headers, each ended by CRLF.
    pub(crate) async fn full(&mut self, status: u16, kind: &str, headers: &str, body: &str) {
        let head = format!("HTTP/1.1 {status} Whatever\r\nContent-Type: {kind}\r\n{headers}");
        self.raw(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
    }

    pub(crate) async fn json(&mut self, status: u16, body: impl ToString) {
        self.full(status, "application/json", "", &body.to_string()).await;
    }

    pub(crate) async fn accepted(&mut self) {
        self.raw("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").await;
    }

    /// The head of a stream of events in chunks; chunks and `end_chunks` follow.
    pub(crate) async fn stream(&mut self) {
        self.raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            .await;
    }

    pub(crate) async fn chunk(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.raw(format!("{:x}\r\n{text}\r\n", text.len())).await;
    }

    pub(crate) async fn event(&mut self, message: impl ToString) {
        self.chunk(format!("data: {}\n\n", message.to_string())).await;
    }

    pub(crate) async fn end_chunks(&mut self) {
        self.raw("0\r\n\r\n").await;
    }

    /// Closes the connection after this answer.
    pub(crate) fn hang_up(&mut self) {
        self.keep = false;
    }

    /// Waits until the client closes the connection.
    pub(crate) async fn closed(&mut self) {
        let mut buffer = [0; 64];
        while let Ok(1..) = self.stream.read(&mut buffer).await {}
    }

    async fn request(&mut self) -> Option<Req> {
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            if self.stream.read_until(b'\n', &mut line).await.ok()? == 0 {
                return None;
            }
            match String::from_utf8_lossy(&line).trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let mut start = lines.first()?.split(' ');
        let (verb, path) = (start.next()?.to_owned(), start.next()?.to_owned());
        let split =
            |line: &String| line.split_once(':').map(|(n, v)| (n.to_ascii_lowercase(), v.trim().to_owned()));
        let headers: Vec<_> = lines[1..].iter().filter_map(split).collect();
        let mut request = Req { verb, path, headers, body: String::new() };
        let length = request.header("content-length").and_then(|v| v.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await.ok()?;
        request.body = String::from_utf8_lossy(&body).into_owned();
        self.requests += 1;
        Some(request)
    }
}

/// An HTTP server on a free port.
pub(crate) struct HttpPeer {
    pub(crate) endpoint: Endpoint,
    /// How many connections were accepted.
    pub(crate) connections: Arc<AtomicUsize>,
}

impl HttpPeer {
    pub(crate) fn target(&self) -> Target {
        self.endpoint.clone().into()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Serves every request with the script, which gives the connection back when it is done.
pub(crate) async fn http<F, R>(script: F) -> HttpPeer
where
    F: Fn(Req, Conn) -> R + Send + Sync + 'static,
    R: Future<Output = Conn> + Send + 'static,
{
    serve(script, None).await
}

pub(crate) async fn https<F, R>(script: F, tls: tokio_rustls::TlsAcceptor) -> HttpPeer
where
    F: Fn(Req, Conn) -> R + Send + Sync + 'static,
    R: Future<Output = Conn> + Send + 'static,
{
    serve(script, Some(tls)).await
}

async fn serve<F, R>(script: F, tls: Option<tokio_rustls::TlsAcceptor>) -> HttpPeer
where
    F: Fn(Req, Conn) -> R + Send + Sync + 'static,
    R: Future<Output = Conn> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let scheme = if tls.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::new(&format!("{scheme}://{address}/mcp")).unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let (counted, script) = (Arc::clone(&connections), Arc::new(script));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            stream.set_nodelay(true).unwrap();
            let (script, tls) = (Arc::clone(&script), tls.clone());
            tokio::spawn(async move {
                let io: Box<dyn Io> = match tls {
                    None => Box::new(stream),
                    Some(tls) => match tls.accept(stream).await {
                        Ok(stream) => Box::new(stream),
                        Err(_) => return,
                    },
                };
                let mut conn = Conn { stream: BufReader::new(io), keep: true, requests: 0 };
                while let Some(request) = conn.request().await {
                    conn = script(request, conn).await;
                    if !conn.keep {
                        break;
                    }
                }
            });
        }
    });
    HttpPeer { endpoint, connections }
}

/// Answers the handshake of a legacy session over HTTP; true when that was all.
pub(crate) async fn welcomed(request: &Req, conn: &mut Conn) -> bool {
    match (request.verb.as_str(), request.method().as_str()) {
        ("POST", "initialize") => {
            let body = welcome(&request.json()).to_string();
            conn.full(200, "application/json", "Mcp-Session-Id: s-1\r\n", &body).await;
            true
        }
        ("POST", method) if method.starts_with("notifications/") => {
            conn.accepted().await;
            true
        }
        ("DELETE", _) => {
            conn.raw("HTTP/1.1 204 No Content\r\n\r\n").await;
            true
        }
        _ => false,
    }
}

/// The bytes with a few of them changed, doubled or lost; the same for the same seed.
pub(crate) fn damaged(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % below.max(1)
    };
    let mut bytes = bytes.to_vec();
    for _ in 0..=next(4) {
        let at = next(bytes.len());
        match next(4) {
            0 => bytes[at] = u8::try_from(next(256)).unwrap(),
            1 => bytes.truncate(at.max(1)),
            2 => bytes.insert(at, b"\r\n :{\"\0"[next(7)]),
            _ => drop(bytes.remove(at)),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}
