//! The requests of one connection, and what counts as an answer.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;

use crate::subject::Subject;

const FIRST_MODERN: &str = "2026-07-28";
const SESSION: &str = "mcp-session-id";
/// What is echoed: about as long as a short sentence of a model.
const TEXT: &str = "The quick brown fox jumps over the lazy dog, and the dog does not mind it at all.";

/// One keep-alive connection, ready to call.
pub(crate) struct Caller {
    subject: Arc<Subject>,
    protocol: String,
    sender: SendRequest<Full<Bytes>>,
    session: Option<String>,
    /// The call without its id, which comes last; so a call costs no JSON.
    body: String,
    calls: u64,
}

impl Caller {
    /// Connects, and shakes hands where the revision wants it.
    pub(crate) async fn connect(subject: Arc<Subject>, protocol: String) -> Result<Self> {
        let stream = TcpStream::connect(&subject.authority).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let body = body(&protocol);
        let mut caller = Self { subject, protocol, sender, session: None, body, calls: 0 };
        if !caller.is_modern() {
            caller.initialize().await?;
        }
        Ok(caller)
    }

    /// Calls `echo` once and checks the answer.
    pub(crate) async fn echo(&mut self) -> Result<()> {
        self.calls += 1;
        let id = self.calls;
        let body = format!("{}{id}}}", self.body);
        let response = self.post(body).await?;
        let status = response.status();
        let bytes = response.into_body().collect().await?.to_bytes();
        let answer = String::from_utf8_lossy(&bytes);
        ensure!(status == StatusCode::OK, "{} answered {status}: {answer}", self.subject.name);
        let right = answer.contains(TEXT) && answer.contains(&format!("\"id\":{id}"));
        ensure!(right, "{} answered a call of echo with {answer}", self.subject.name);
        Ok(())
    }

    async fn initialize(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": self.protocol,
            "capabilities": {},
            "clientInfo": { "name": "storm", "version": "1.0.0" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let response = self.post(body.to_string()).await?;
        ensure!(response.status().is_success(), "initialize was answered with {}", response.status());
        let session = response.headers().get(SESSION).map(|value| value.to_str().map(str::to_owned));
        self.session = session.transpose().context("the session id is not text")?;
        response.into_body().collect().await?;
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.post(body.to_string()).await?.into_body().collect().await?;
        Ok(())
    }

    async fn post(&mut self, body: String) -> Result<Response<hyper::body::Incoming>> {
        let mut request = Request::post(&self.subject.path)
            .header("host", &self.subject.authority)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", &self.protocol);
        if self.is_modern() {
            request = request.header("mcp-method", "tools/call").header("mcp-name", "echo");
        }
        if let Some(session) = &self.session {
            request = request.header(SESSION, session);
        }
        let request = request.body(Full::new(Bytes::from(body)))?;
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }

    fn is_modern(&self) -> bool {
        is_modern(&self.protocol)
    }
}

fn is_modern(protocol: &str) -> bool {
    protocol >= FIRST_MODERN
}

/// A call of `echo`, open at the end for the id.
fn body(protocol: &str) -> String {
    let mut params = json!({ "name": "echo", "arguments": { "text": TEXT } });
    if is_modern(protocol) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": protocol,
            "io.modelcontextprotocol/clientInfo": { "name": "storm", "version": "1.0.0" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{params},"id":"#)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_body_becomes_json_with_an_id() {
        let whole: Value = serde_json::from_str(&format!("{}7}}", body(FIRST_MODERN))).unwrap();
        assert_eq!(whole["id"], 7);
        assert_eq!(whole["params"]["arguments"]["text"], TEXT);
        assert_eq!(whole["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], FIRST_MODERN);
    }
}
