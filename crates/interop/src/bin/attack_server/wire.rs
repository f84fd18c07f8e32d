//! HTTP/1.1 by hand, for requests that no library would send.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// How long one answer is waited for.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find_map(|line| line.split_once(": ").filter(|(n, _)| *n == name));
        line.map(|(_, value)| value)
    }
}

pub(crate) async fn connect(address: SocketAddr) -> Result<TcpStream> {
    let stream = tokio::time::timeout(ANSWER_TIMEOUT, TcpStream::connect(address))
        .await
        .context("cannot connect")??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The head of a POST with `more` headers.
pub(crate) fn head(address: SocketAddr, length: usize, more: &str) -> String {
    head_to(address, "/mcp", length, more)
}

fn head_to(address: SocketAddr, path: &str, length: usize, more: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {length}\r\n{more}\r\n"
    )
}

/// Sends a request and reads its answer, on a connection of its own. A server that refuses early may stop reading.
pub(crate) async fn post(address: SocketAddr, more: &str, body: &[u8]) -> Result<Answer> {
    post_to(address, "/mcp", more, body).await
}

/// The same, to another path.
pub(crate) async fn post_to(address: SocketAddr, path: &str, more: &str, body: &[u8]) -> Result<Answer> {
    let mut stream = connect(address).await?;
    let head = head_to(address, path, body.len(), more);
    let (mut reader, mut writer) = stream.split();
    let write = async {
        writer.write_all(head.as_bytes()).await?;
        writer.write_all(body).await
    };
    let read = tokio::time::timeout(ANSWER_TIMEOUT, read_answer(&mut reader));
    let (_, answer) = tokio::join!(write, read);
    answer.context("no answer")?
}

/// Reads one answer: with its length, in chunks, or until the end.
pub(crate) async fn read_answer(reader: &mut (impl tokio::io::AsyncRead + Unpin)) -> Result<Answer> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = memchr::memmem::find(&bytes, b"\r\n\r\n") {
            break end + 4;
        }
        read_more(reader, &mut bytes).await?;
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).context("no status")?;
    let mut answer = Answer { status, head, body: bytes.split_off(end) };
    if let Some(length) = answer.header("content-length").map(str::parse::<usize>).transpose()? {
        while answer.body.len() < length {
            read_more(reader, &mut answer.body).await?;
        }
    } else if answer.header("transfer-encoding").is_some() {
        while !answer.body.ends_with(b"0\r\n\r\n") {
            read_more(reader, &mut answer.body).await?;
        }
    }
    Ok(answer)
}

async fn read_more(reader: &mut (impl tokio::io::AsyncRead + Unpin), bytes: &mut Vec<u8>) -> Result<()> {
    if reader.read_buf(bytes).await? == 0 {
        bail!("the server closed the connection");
    }
    Ok(())
}

/// Opens a session of that revision, and gives the header that names it.
pub(crate) async fn session(address: SocketAddr, version: &str) -> Result<String> {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"attack_server","version":"1"}}}}}}"#
    );
    let answer = post(address, "", body.as_bytes()).await?;
    let id = answer.header("mcp-session-id").with_context(|| format!("no session: {}", answer.head))?;
    let header = format!("mcp-session-id: {id}\r\n");
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    post(address, &header, ready.as_bytes()).await?;
    Ok(header)
}

/// A request of a legacy session.
pub(crate) fn request(id: usize, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// The headers of a modern request, and the request.
pub(crate) fn modern(id: usize, method: &str, name: Option<&str>, members: &str) -> (String, String) {
    let named = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
    let headers = format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n{named}");
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"attack_server","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;
    let comma = if members.is_empty() { "" } else { "," };
    (headers, request(id, method, &format!("{{{members}{comma}{meta}}}")))
}
