//! Attacks with long or slow bodies and long answers.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::task::JoinSet;

use crate::attack::{Outcome, post_all};
use crate::wire;

const MIB: usize = 1024 * 1024;

fn echo(text: &str) -> Vec<u8> {
    wire::request(1, "tools/call", &format!(r#"{{"name":"echo","arguments":{{"text":"{text}"}}}}"#)).into()
}

async fn open(address: SocketAddr, version: &str, outcome: &mut Outcome) -> String {
    wire::session(address, version).await.unwrap_or_else(|error| {
        outcome.fail(format!("no session: {error:#}"));
        String::new()
    })
}

/// Bodies whose every byte is a segment.
pub(crate) async fn single_bytes(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let session = open(address, "2025-11-25", &mut outcome).await;
    let mut sending = JoinSet::new();
    for _ in 0..4 {
        let session = session.clone();
        sending.spawn(async move {
            let mut stream = wire::connect(address).await?;
            let body = echo(&"x".repeat(487 * 1024));
            stream.write_all(wire::head(address, body.len(), &session).as_bytes()).await?;
            for byte in body {
                stream.write_all(&[byte]).await?;
            }
            wire::read_answer(&mut stream).await
        });
    }
    while let Some(answer) = sending.join_next().await {
        if let Ok(answer) = answer {
            outcome.expect("a body in single bytes", 200, &answer);
        }
    }
    outcome
}

/// Many long calls in one session at once, within the limit of a message and beyond it.
pub(crate) async fn large_calls(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let session = open(address, "2025-11-25", &mut outcome).await;
    for length in [4 * MIB - 1024, 15 * MIB] {
        let body = echo(&"x".repeat(length));
        post_all(address, 70, &mut outcome, (0..70).map(|_| (session.clone(), body.clone()))).await;
    }
    outcome
}

/// Arrays of numbers, which are small as text and large as trees.
pub(crate) async fn numbers(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let session = open(address, "2025-11-25", &mut outcome).await;
    for length in [16 * MIB, 4 * MIB - 1024, MIB, 150 * 1024, 60 * 1024] {
        let numbers = format!(r#"{{"name":"echo","arguments":{{"text":[{}1]}}}}"#, "1,".repeat(length / 2));
        let body = wire::request(1, "tools/call", &numbers).into_bytes();
        let count = (16 * MIB / length).clamp(4, 64);
        post_all(address, 4, &mut outcome, (0..count).map(|_| (session.clone(), body.clone()))).await;
    }
    let deep = format!("{}{}", "[".repeat(2 * MIB), "]".repeat(MIB)).into_bytes();
    post_all(address, 4, &mut outcome, (0..8).map(|_| (session.clone(), deep.clone()))).await;
    let objects = format!("[{}{{}}]", r#"{"":{}},"#.repeat(400_000)).into_bytes();
    post_all(address, 4, &mut outcome, (0..8).map(|_| (String::new(), objects.clone()))).await;
    outcome
}

/// Long answers that nobody reads.
pub(crate) async fn unread_answers(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let mut open = Vec::new();
    let members = format!(r#""name":"echo","arguments":{{"text":"{}"}}"#, "x".repeat(3 * MIB));
    let (headers, body) = wire::modern(1, "tools/call", Some("echo"), &members);
    for _ in 0..100 {
        let Ok(mut stream) = wire::connect(address).await else { continue };
        let head = wire::head(address, body.len(), &headers);
        let write = async {
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(body.as_bytes()).await
        };
        // The server need not read it all.
        let _ = tokio::time::timeout(Duration::from_secs(2), write).await;
        open.push(stream);
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    for mut stream in open {
        let answer = tokio::time::timeout(Duration::from_secs(5), wire::read_answer(&mut stream)).await;
        outcome.count(&answer.unwrap_or_else(|_| Err(anyhow::anyhow!("no answer"))));
    }
    outcome
}

/// Batches whose answers are many times as long.
pub(crate) async fn batches(address: SocketAddr) -> Outcome {
    let mut outcome = Outcome::default();
    let session = open(address, "2025-03-26", &mut outcome).await;
    for (count, times) in [(50_000, 4), (200, 40)] {
        let items: Vec<_> = (0..count).map(|id| wire::request(id, "tools/list", "{}")).collect();
        let body = format!("[{}]", items.join(",")).into_bytes();
        post_all(address, 10, &mut outcome, (0..times).map(|_| (session.clone(), body.clone()))).await;
    }
    outcome
}
