//! The output of a server's process besides its messages: stderr, and lines on stdout that are not messages.

use std::time::Duration;

use serde_json::{Value, json};
use transport::Transport;
use transport::client::Session;
use wire::{Direction, Entry, What};

use super::SupervisedServer;
use crate::Shared;

/// How often the record is read.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The page sees the first bytes of a longer line.
const MAX_LINE_BYTES: usize = 4_000;
/// How many lines are passed on at a time; the rest are only counted.
const MAX_LINES: usize = 200;

/// Reports the process's output until the session ends.
pub(super) async fn report(server: &SupervisedServer, shared: &Shared, session: &Session) {
    if session.transport() != Transport::Stdio {
        return;
    }
    let recorder = session.recorder();
    let mut seen = recorder.transcript().entries;
    let mut mark = recorder.mark();
    loop {
        let lines: Vec<Value> = seen.iter().filter_map(line).collect();
        let more = lines.len().saturating_sub(MAX_LINES);
        for line in lines.iter().take(MAX_LINES) {
            shared.feed.publish(&json!({ "kind": "output", "server": server.id, "line": line }));
        }
        if more > 0 {
            let line = json!({ "from": "host", "text": format!("{more} more lines are not shown") });
            shared.feed.publish(&json!({ "kind": "output", "server": server.id, "line": line }));
        }
        tokio::time::sleep(POLL_INTERVAL).await;
        let next = recorder.mark();
        seen = recorder.since(mark).entries;
        mark = next;
    }
}

fn line(entry: &Entry) -> Option<Value> {
    let from = match (entry.direction, entry.what) {
        (Direction::ToClient, What::Stderr) => "stderr",
        (Direction::ToClient, What::Noise) => "stdout",
        (Direction::ToClient, What::Message) if wire::Payload::parse(&entry.bytes).is_err() => "stdout",
        _ => return None,
    };
    let text = String::from_utf8_lossy(&entry.bytes);
    let text = text.trim_end();
    let end = text.floor_char_boundary(MAX_LINE_BYTES);
    (!text.is_empty()).then(|| json!({ "from": from, "text": &text[..end] }))
}
