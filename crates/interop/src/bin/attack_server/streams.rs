//! Attacks with streams that nobody reads.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;

use crate::attack::{Outcome, post_all};
use crate::wire;

/// Long streams without a reader: calls with long progress tokens, in both eras.
pub(crate) async fn unread_streams(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let token = "x".repeat(6000);
    let members = format!(
        r#""name":"countdown","arguments":{{"steps":1000,"intervalMs":1}},"_meta":{{"progressToken":"{token}"}}"#
    );
    let body = wire::request(1, "tools/call", &format!("{{{members}}}"));
    let mut open = Vec::new();
    for _ in 0..10 {
        let Ok(session) = wire::session(address, "2025-11-25").await else { continue };
        for _ in 0..50 {
            let Ok(mut stream) = wire::connect(address).await else { continue };
            let text = format!("{}{body}", wire::head(address, body.len(), &session));
            // Whether it was taken is seen below.
            let _ = stream.write_all(text.as_bytes()).await;
            open.push(stream);
        }
    }
    tokio::time::sleep(Duration::from_secs(10)).await;
    let mut first = [0; 12];
    for stream in open {
        let looked = tokio::time::timeout(Duration::from_millis(50), stream.peek(&mut first)).await;
        let status = std::str::from_utf8(&first[9..]).ok().and_then(|word| word.parse().ok());
        let answer = match (looked, status) {
            (Ok(Ok(12)), Some(status)) => {
                Ok(wire::Answer { status, head: "retry-after: 1".to_owned(), body: Vec::new() })
            }
            _ => Err(anyhow::anyhow!("no answer")),
        };
        outcome.count(&answer);
    }
    outcome
}

/// Streams of HTTP+SSE with long answers and no reader.
pub(crate) async fn unread_sse(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let text = "x".repeat(3 * 1024 * 1024);
    let body =
        wire::request(1, "tools/call", &format!(r#"{{"name":"echo","arguments":{{"text":"{text}"}}}}"#));
    let shake = r#"{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"attack_server","version":"1"}}"#;
    let shake = wire::request(0, "initialize", shake);
    let mut open = Vec::new();
    for _ in 0..60 {
        let Ok(mut stream) = wire::connect(address).await else { continue };
        let get = format!("GET /sse HTTP/1.1\r\nhost: {address}\r\n\r\n");
        if stream.write_all(get.as_bytes()).await.is_err() {
            continue;
        }
        let Some(id) = session_of(&stream).await else { continue };
        open.push(stream);
        let path = format!("/messages?sessionId={id}");
        for message in [&shake, &body, &body, &body] {
            let post = wire::post_to(address, &path, "", message.as_bytes());
            let answer = tokio::time::timeout(Duration::from_secs(1), post).await;
            outcome.count(&answer.unwrap_or_else(|_| Err(anyhow::anyhow!("it waits"))));
        }
    }
    outcome
}

/// The id in the first event, which stays unread.
async fn session_of(stream: &tokio::net::TcpStream) -> Option<String> {
    let mut seen = [0; 1024];
    for _ in 0..100 {
        let count = stream.peek(&mut seen).await.ok()?;
        let text = String::from_utf8_lossy(&seen[..count]).into_owned();
        if let Some((_, rest)) = text.split_once("sessionId=")
            && let Some((id, _)) = rest.split_once('\n')
        {
            return Some(id.trim().to_owned());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    None
}

/// Calls that take long, of clients that go away at once.
pub(crate) async fn abandoned_calls(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let call = r#"{"name":"countdown","arguments":{"steps":1000,"intervalMs":10000}}"#;
    let call = wire::request(1, "tools/call", call);
    for _ in 0..20 {
        let Ok(session) = wire::session(address, "2025-11-25").await else { continue };
        for _ in 0..100 {
            let Ok(mut stream) = wire::connect(address).await else { continue };
            let text = format!("{}{call}", wire::head(address, call.len(), &session));
            let mut first = [0; 12];
            let answered = async {
                stream.write_all(text.as_bytes()).await?;
                stream.peek(&mut first).await
            };
            let answered = answered.await.is_ok_and(|count| count == first.len());
            let status = std::str::from_utf8(&first[9..]).ok().and_then(|word| word.parse().ok());
            let answer = status.filter(|_| answered).map(|status| wire::Answer {
                status,
                head: "retry-after: 1".to_owned(),
                body: Vec::new(),
            });
            outcome.count(&answer.ok_or_else(|| anyhow::anyhow!("no answer")));
        }
    }
    outcome
}

/// Sessions that are told of changes and never listen.
pub(crate) async fn outboxes(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let mut last = String::new();
    for _ in 0..1500 {
        match wire::session(address, "2025-11-25").await {
            Ok(session) => last = session,
            Err(error) => outcome.fail(format!("no session: {error:#}")),
        }
    }
    let call = wire::request(1, "tools/call", r#"{"name":"toggle","arguments":{"what":"tool"}}"#);
    post_all(address, 2, &mut outcome, (0..300).map(|_| (last.clone(), call.clone().into_bytes()))).await;
    outcome
}
