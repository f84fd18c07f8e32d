//! The requests of one connection, and what counts as an answer.
//!
//! HTTP is spoken by hand here: on a small machine the generator and the server share the processors, and what the
//! generator costs makes every server look alike.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::subject::Subject;

const FIRST_MODERN: &str = "2026-07-28";
const SESSION: &str = "mcp-session-id";
/// What is echoed: about as long as a short sentence of a model.
const ECHOED_TEXT: &str = "The quick brown fox jumps over the lazy dog, and the dog does not mind it at all.";
/// Ids are all of one length, so that a request differs from the one before in these digits alone.
const FIRST_ID: u64 = 1_000_000_000;
/// The longest answer that is read.
const MAX_ANSWER: usize = 1024 * 1024;

/// One keep-alive connection, ready to call.
pub(crate) struct Caller {
    subject: Arc<Subject>,
    protocol: String,
    stream: TcpStream,
    session: Option<String>,
    /// The bytes of a call, with the id as its last digits.
    request: Vec<u8>,
    answer: Vec<u8>,
    /// An answer that was found right: the next ones differ in their ids alone.
    right: Option<ExpectedAnswer>,
    id: u64,
}

/// A right answer, and where its body and its id begin.
struct ExpectedAnswer {
    bytes: Vec<u8>,
    head: usize,
    id: usize,
}

/// An answer, as places in the buffer.
struct Answer {
    status: u16,
    head: usize,
    end: usize,
}

impl Caller {
    /// Connects, and shakes hands where the revision wants it.
    pub(crate) async fn connect(subject: Arc<Subject>, protocol: String) -> Result<Self> {
        let stream = TcpStream::connect(&subject.authority).await?;
        stream.set_nodelay(true)?;
        let mut caller = Self {
            subject,
            protocol,
            stream,
            session: None,
            request: Vec::new(),
            answer: Vec::new(),
            right: None,
            id: FIRST_ID,
        };
        if !is_modern(&caller.protocol) {
            caller.initialize().await?;
        }
        caller.request = caller.post(&body(&caller.protocol));
        Ok(caller)
    }

    /// Calls `echo` once and checks the answer.
    pub(crate) async fn echo(&mut self) -> Result<()> {
        self.id += 1;
        let digits = self.id.to_string();
        let at = self.request.len() - 1 - digits.len();
        self.request[at..at + digits.len()].copy_from_slice(digits.as_bytes());
        self.stream.write_all(&self.request).await?;
        if self.read_another().await? && self.is_another(digits.as_bytes()) {
            return Ok(());
        }
        let answer = self.read_answer().await?;
        let body = &self.answer[answer.head..answer.end];
        let right = contains(body, ECHOED_TEXT.as_bytes()) && contains(body, digits.as_bytes());
        if answer.status != 200 || !right {
            let body = String::from_utf8_lossy(body);
            bail!("{} answered a call of echo with {}: {body}", self.subject.name, answer.status);
        }
        let id = find(body, digits.as_bytes()).unwrap_or_default() + answer.head;
        self.right =
            Some(ExpectedAnswer { bytes: self.answer[..answer.end].to_vec(), head: answer.head, id });
        Ok(())
    }

    /// Reads an answer as long as the one that was right; says whether there is one.
    async fn read_another(&mut self) -> Result<bool> {
        self.answer.clear();
        let Some(right) = &self.right else { return Ok(false) };
        while self.answer.len() < right.bytes.len() {
            let read = self.stream.read_buf(&mut self.answer).await?;
            ensure!(read > 0, "{} closed the connection", self.subject.name);
            if self.answer.len() < right.bytes.len() && measure(&self.answer)?.is_some() {
                return Ok(false);
            }
        }
        Ok(self.answer.len() == right.bytes.len())
    }

    /// Whether the answer has the right status, the right body and its own id. To compare costs less than to read.
    fn is_another(&self, digits: &[u8]) -> bool {
        let Some(ExpectedAnswer { bytes, head, id }) = &self.right else { return false };
        let (after, status) = (id + digits.len(), b"HTTP/1.1 200".len());
        self.answer[..status] == bytes[..status]
            && self.answer[*head..*id] == bytes[*head..*id]
            && self.answer[*id..after] == *digits
            && self.answer[after..] == bytes[after..]
    }

    async fn initialize(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": self.protocol,
            "capabilities": {},
            "clientInfo": { "name": "load_generator", "version": "1.0.0" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        self.stream.write_all(&self.post(&body.to_string())).await?;
        self.answer.clear();
        let answer = self.read_answer().await?;
        ensure!(answer.status == 200, "initialize was answered with {}", answer.status);
        let head = String::from_utf8_lossy(&self.answer[..answer.head]).into_owned();
        self.session = header(&head, SESSION).map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.stream.write_all(&self.post(&body.to_string())).await?;
        self.answer.clear();
        self.read_answer().await?;
        Ok(())
    }

    fn post(&self, body: &str) -> Vec<u8> {
        let (path, authority, protocol) = (&self.subject.path, &self.subject.authority, &self.protocol);
        let mut head = format!(
            "POST {path} HTTP/1.1\r\nhost: {authority}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: {protocol}\r\n\
             content-length: {}\r\n",
            body.len()
        );
        if is_modern(protocol) {
            head.push_str("mcp-method: tools/call\r\nmcp-name: echo\r\n");
        }
        if let Some(session) = &self.session {
            head.push_str(&format!("{SESSION}: {session}\r\n"));
        }
        format!("{head}\r\n{body}").into_bytes()
    }

    /// Reads one answer: a head, and as much body as it announces. Some of it may have been read already.
    async fn read_answer(&mut self) -> Result<Answer> {
        loop {
            if let Some(answer) = measure(&self.answer)? {
                return Ok(answer);
            }
            ensure!(self.answer.len() < MAX_ANSWER, "{} answered without end", self.subject.name);
            let read = self.stream.read_buf(&mut self.answer).await?;
            ensure!(read > 0, "{} closed the connection", self.subject.name);
        }
    }
}

/// The answer in `bytes`, once it is complete.
fn measure(bytes: &[u8]) -> Result<Option<Answer>> {
    let Some(head) = find(bytes, b"\r\n\r\n").map(|at| at + 4) else { return Ok(None) };
    let text = std::str::from_utf8(&bytes[..head]).context("a response head that is not text")?;
    let status = text.get(9..12).and_then(|code| code.parse().ok()).context("a response without a status")?;
    let end = match (header(text, "content-length"), header(text, "transfer-encoding")) {
        (Some(length), _) => {
            head + length.parse::<usize>().context("a content-length that is not a number")?
        }
        (None, Some(_)) => match find(&bytes[head..], b"0\r\n\r\n") {
            Some(last) => head + last,
            None => return Ok(None),
        },
        (None, None) => head,
    };
    Ok((bytes.len() >= end).then_some(Answer { status, head, end }))
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, part)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    find(bytes, part).is_some()
}

fn is_modern(protocol: &str) -> bool {
    protocol >= FIRST_MODERN
}

/// A call of `echo`, with its id at the end.
fn body(protocol: &str) -> String {
    let mut params = json!({ "name": "echo", "arguments": { "text": ECHOED_TEXT } });
    if is_modern(protocol) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": protocol,
            "io.modelcontextprotocol/clientInfo": { "name": "load_generator", "version": "1.0.0" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{params},"id":{FIRST_ID}}}"#)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_body_is_json_and_ends_with_its_id() {
        let whole: Value = serde_json::from_str(&body(FIRST_MODERN)).unwrap();
        assert_eq!(whole["id"], FIRST_ID);
        assert_eq!(whole["params"]["arguments"]["text"], ECHOED_TEXT);
        assert!(body(FIRST_MODERN).ends_with(&format!("{FIRST_ID}}}")));
    }

    #[test]
    fn an_answer_is_complete_when_its_length_is_there() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{\"\"}";
        assert!(measure(&whole[..whole.len() - 1]).unwrap().is_none());
        let answer = measure(whole).unwrap().unwrap();
        assert_eq!((answer.status, &whole[answer.head..answer.end]), (200, &b"{\"\"}"[..]));
        let chunked = b"HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
        assert_eq!(measure(chunked).unwrap().unwrap().status, 202);
    }
}
