//! Attacks by streams that nobody reads.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;

use crate::attack::{Outcome, post_all};
use crate::wire;

/// Streams with much to say and no reader: calls with long progress tokens, of both eras.
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
