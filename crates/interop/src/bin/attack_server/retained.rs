//! Attacks with state that the server has to keep.

use std::net::SocketAddr;
use std::time::Duration;

use crate::attack::{Outcome, post_all};
use crate::wire;

const MIB: usize = 1024 * 1024;

/// Subscriptions to resources with long addresses.
pub(crate) async fn subscriptions(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    for (length, count, sessions) in [(MIB, 100, 5), (8000, 1500, 10)] {
        for _ in 0..sessions {
            let Ok(session) = wire::session(address, "2025-11-25").await else { continue };
            let bodies = (0..count).map(|id| {
                let uri = format!("yardstick://greeting/{id}{}", "x".repeat(length - 40));
                let body = wire::request(id, "resources/subscribe", &format!(r#"{{"uri":"{uri}"}}"#));
                (session.clone(), body.into_bytes())
            });
            post_all(address, 8, &mut outcome, bodies).await;
        }
    }
    outcome
}

/// Tasks that have ended and are long, in sessions that end and in others that do not.
pub(crate) async fn finished_tasks(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let label = "x".repeat(MIB);
    for turn in 0..10 {
        let Ok(session) = wire::session(address, "2025-11-25").await else { continue };
        let body = format!(
            r#"{{"name":"slow_compute","arguments":{{"seconds":0,"label":"{label}"}},"task":{{"ttl":3600000}}}}"#
        );
        let body = wire::request(1, "tools/call", &body).into_bytes();
        post_all(address, 8, &mut outcome, (0..150).map(|_| (session.clone(), body.clone()))).await;
        if turn % 2 == 0 {
            let delete =
                format!("DELETE /mcp HTTP/1.1\r\nhost: {address}\r\n{session}connection: close\r\n\r\n");
            send(address, &delete).await;
        }
    }
    outcome
}

async fn send(address: SocketAddr, text: &str) {
    use tokio::io::AsyncWriteExt as _;
    if let Ok(mut stream) = wire::connect(address).await
        && stream.write_all(text.as_bytes()).await.is_ok()
    {
        // Only that it arrived matters.
        let _ = wire::read_answer(&mut stream).await;
    }
}

/// One client that keeps all tasks at work: another one still gets its own.
pub(crate) async fn tasks_at_work(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let call = r#"{"name":"research","arguments":{"ms":600000},"task":{}}"#;
    let greedy = wire::session(address, "2025-11-25").await.unwrap_or_default();
    let bodies = (0..600).map(|id| (greedy.clone(), wire::request(id, "tools/call", call).into_bytes()));
    post_all(address, 8, &mut outcome, bodies).await;
    let modern =
        || wire::modern(1, "tools/call", Some("research"), r#""name":"research","arguments":{"ms":600000}"#);
    let bodies = (0..1200).map(|_| modern()).map(|(headers, body)| (headers, body.into_bytes()));
    post_all(address, 8, &mut outcome, bodies).await;
    let modest = wire::session(address, "2025-11-25").await.unwrap_or_default();
    let answer = wire::post(address, &modest, wire::request(1, "tools/call", call).as_bytes()).await;
    outcome.expect("a task of another session", 200, &answer);
    let (headers, body) = modern();
    let answer = wire::post(address, &headers, body.as_bytes()).await;
    outcome.expect("a task of another modern client", 200, &answer);
    outcome
}

/// More sessions than there may be; the well-behaved clients see whether theirs are still there.
pub(crate) async fn sessions(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    open(address, 10_250, "{}", &mut outcome).await;
    outcome
}

/// Sessions of clients that declare very long capabilities.
pub(crate) async fn large_sessions(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let members: Vec<_> = (0..1000).map(|n| format!(r#""{n}":{{}}"#)).collect();
    let capabilities = format!(r#"{{"experimental":{{{}}}}}"#, members.join(","));
    open(address, 3000, &capabilities, &mut outcome).await;
    outcome
}

async fn open(address: SocketAddr, count: usize, capabilities: &str, outcome: &mut Outcome) {
    let params = format!(
        r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"clientInfo":{{"name":"attack_server","version":"1"}}}}"#
    );
    let body = wire::request(0, "initialize", &params).into_bytes();
    post_all(address, 16, outcome, (0..count).map(|_| (String::new(), body.clone()))).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
}
