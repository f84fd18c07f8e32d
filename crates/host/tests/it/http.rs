//! Raw HTTP requests with arbitrary headers.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The timeout for a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("no JSON ({why}): {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// Sends one request to a port on loopback; the caller gives all headers, including `Host`.
pub(crate) async fn send(port: u16, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut stream = begin(port, line, headers, body).await;
    let mut all = Vec::new();
    timeout(RESPONSE_TIMEOUT, stream.read_to_end(&mut all)).await.expect("an answer in time").unwrap();
    let text = String::from_utf8(all).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    Answer { status: status.expect("a status"), head: head.to_owned(), body: body.to_owned() }
}

/// Follows an event stream until `enough`; returns the number and content of each event.
pub(crate) async fn events(
    port: u16,
    line: &str,
    headers: &[(&str, &str)],
    mut enough: impl FnMut(&[(u64, Value)]) -> bool,
) -> Vec<(u64, Value)> {
    let mut lines = BufReader::new(begin(port, line, headers, "").await).lines();
    let (mut seen, mut id) = (Vec::new(), 0);
    let reading = async {
        while !enough(&seen) {
            let Some(line) = lines.next_line().await.unwrap() else { break };
            if let Some(number) = line.strip_prefix("id: ") {
                id = number.parse().unwrap();
            } else if let Some(data) = line.strip_prefix("data: ") {
                seen.push((id, serde_json::from_str(data).unwrap()));
            }
        }
    };
    let in_time = timeout(RESPONSE_TIMEOUT, reading).await.is_ok();
    assert!(
        in_time && enough(&seen),
        "what was waited for did not come; the last events are {:#?}",
        tail(&seen)
    );
    seen
}

fn tail(seen: &[(u64, Value)]) -> &[(u64, Value)] {
    &seen[seen.len().saturating_sub(5)..]
}

async fn begin(port: u16, line: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let mut request = format!("{line} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("\r\n{body}"));
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}
