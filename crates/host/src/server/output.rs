//! What a server's process writes beside its messages, as it comes: its stderr, and lines on stdout that are not messages.

use std::time::Duration;

use serde_json::{Value, json};
use transport::client::{Session, Transport};
use wire::{Direction, Entry, What};

use super::Server;
use crate::Shared;

/// How often the record is looked at.
const LOOK: Duration = Duration::from_millis(250);
/// Of longer lines, the page sees the beginning.
const LONGEST: usize = 4_000;
/// How many lines are passed on at a time; of more, the first ones.
const MOST_LINES: usize = 200;

/// Tells what a server's process writes for as long as its session lasts.
pub(super) async fn follow(server: &Server, shared: &Shared, session: &Session) {
    if !matches!(session.transport(), Transport::Stdio | Transport::InProcess) {
        return;
    }
    let recorder = session.recorder();
    let mut seen = recorder.transcript().entries;
    let mut mark = recorder.mark();
    loop {
        let lines: Vec<Value> = seen.iter().filter_map(line).collect();
        let more = lines.len().saturating_sub(MOST_LINES);
        for line in lines.iter().take(MOST_LINES) {
            shared.feed.tell(&json!({ "kind": "output", "server": server.id, "line": line }));
        }
        if more > 0 {
            let line = json!({ "from": "host", "text": format!("{more} more lines are not shown") });
            shared.feed.tell(&json!({ "kind": "output", "server": server.id, "line": line }));
        }
        tokio::time::sleep(LOOK).await;
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
    let end = text.floor_char_boundary(LONGEST);
    (!text.is_empty()).then(|| json!({ "from": from, "text": &text[..end] }))
}
