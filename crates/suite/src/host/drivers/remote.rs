//! A host that is driven over HTTP: each step is a POST with JSON.
//!
//! The body is `{"method": NAME, "params": {…}}`. The answer is `{"result": VALUE}`; `{"cannot": "why"}`, or the status 404 or 501, says
//! that the host has no such thing; anything else is a failure. The methods are those of [`HostDriver`], in camelCase, after a first
//! `connect` with the URLs of the servers.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use url::Url;

use crate::host::{ActFailure, DriverStep, HostDriver, ProbeStage};

/// How long a step may take.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);
/// The largest answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 4 * 1024 * 1024;

/// A host that is driven over HTTP.
#[derive(Debug)]
pub struct RemoteHost {
    url: Url,
    has_other: bool,
}

impl RemoteHost {
    /// Connects the host behind `url` with the servers of `stage`.
    pub async fn start(stage: &ProbeStage, url: &str) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|why| format!("`{url}` is not a URL: {why}"))?;
        if url.scheme() != "http" {
            return Err(format!("`{url}` is not an http URL"));
        }
        let mut host = Self { url, has_other: false };
        let servers = json!({ "server": stage.url(), "other": stage.other_url() });
        match host.post("connect", servers).await {
            Ok(answer) => host.has_other = answer["other"] == true,
            Err(ActFailure::Cannot(_)) => {}
            Err(ActFailure::Failed(why)) => return Err(format!("{}: {why}", host.url)),
        }
        Ok(host)
    }

    async fn post(&self, method: &str, params: Value) -> Result<Value, ActFailure> {
        let body = json!({ "method": method, "params": params }).to_string();
        let answered = tokio::time::timeout(STEP_TIMEOUT, self.exchange(&body)).await;
        let answered =
            answered.map_err(|_| ActFailure::Failed(format!("{method} was not answered in time")))?;
        let (status, text) = answered.map_err(|why| ActFailure::Failed(format!("{method}: {why}")))?;
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        if let Some(why) = answer["cannot"].as_str() {
            return Err(ActFailure::Cannot(why.to_owned()));
        }
        match status {
            200 => Ok(answer["result"].clone()),
            404 | 501 => Err(ActFailure::Cannot(format!("the host has no {method}"))),
            _ => Err(ActFailure::Failed(format!("{method} was answered with HTTP {status}"))),
        }
    }

    async fn exchange(&self, body: &str) -> std::io::Result<(u16, String)> {
        let name = self.url.host_str().unwrap_or("127.0.0.1");
        let port = self.url.port_or_known_default().unwrap_or(80);
        let mut stream = TcpStream::connect((name.trim_matches(['[', ']']), port)).await?;
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: {name}:{port}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            &self.url[url::Position::BeforePath..url::Position::AfterQuery],
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.take(MAX_ANSWER_BYTES).read_to_end(&mut answer).await?;
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        Ok((status, join_chunks(head, body)))
    }
}

/// The body without the marks of chunks, if it comes in chunks.
fn join_chunks(head: &str, body: &str) -> String {
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut rest, mut whole) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let Some(size) = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0) else { break };
        let Some(chunk) = after.get(..size) else { break };
        whole.push_str(chunk);
        rest = after.get(size + 2..).unwrap_or_default();
    }
    whole
}

impl HostDriver for RemoteHost {
    fn description(&self) -> String {
        self.url.to_string()
    }

    fn has_other_server(&self) -> bool {
        self.has_other
    }

    fn show<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> DriverStep<'a, ()> {
        let params = json!({ "tool": tool, "arguments": arguments });
        Box::pin(async move { self.post("show", params).await.map(drop) })
    }

    fn show_streamed<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> DriverStep<'a, ()> {
        let params = json!({ "tool": tool, "arguments": arguments });
        Box::pin(async move { self.post("showStreamed", params).await.map(drop) })
    }

    fn read_view(&self) -> DriverStep<'_, Value> {
        Box::pin(self.post("readView", json!({})))
    }

    fn responsive(&self) -> DriverStep<'_, Value> {
        Box::pin(self.post("responsive", json!({})))
    }

    fn cancel(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.post("cancel", json!({})).await.map(drop) })
    }

    fn close(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.post("close", json!({})).await.map(drop) })
    }

    fn switch_theme(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.post("switchTheme", json!({})).await.map(drop) })
    }

    fn decide(&self, allow: bool) -> DriverStep<'_, ()> {
        Box::pin(async move { self.post("decide", json!({ "allow": allow })).await.map(drop) })
    }

    fn allow_twice(&self) -> DriverStep<'_, ()> {
        Box::pin(async { self.post("allowTwice", json!({})).await.map(drop) })
    }

    fn conversation(&self) -> DriverStep<'_, Value> {
        Box::pin(self.post("conversation", json!({})))
    }

    fn model_context(&self) -> DriverStep<'_, Value> {
        Box::pin(self.post("modelContext", json!({})))
    }

    fn model_tools(&self) -> DriverStep<'_, Value> {
        Box::pin(self.post("modelTools", json!({})))
    }

    fn opened_links(&self) -> DriverStep<'_, Value> {
        Box::pin(self.post("openedLinks", json!({})))
    }

    fn methods_heard(&self) -> DriverStep<'_, Value> {
        Box::pin(self.post("methodsHeard", json!({})))
    }

    fn frames(&self) -> DriverStep<'_, Value> {
        Box::pin(self.post("frames", json!({})))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_put_together() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked";
        assert_eq!(join_chunks(head, "3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n"), "{\"a\":1}");
        assert_eq!(join_chunks("HTTP/1.1 200 OK", "{}"), "{}");
    }
}
