//! The feed as server-sent events.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;

use super::{Response, reply};
use crate::feed::Feed;

/// How long a stream may be silent before the host sends a comment, which reveals a dead connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How many bytes of past events are sent in one chunk.
const CHUNK_BYTES: usize = 256 * 1024;

/// All events after number `after` up to now, as one response.
pub(super) fn past(feed: &Feed, after: u64) -> Response {
    let all = feed.since(after).into_iter();
    reply::events(stream::iter(all.map(|(n, event)| Bytes::from(written(n, &event)))))
}

fn written(n: u64, event: &str) -> String {
    format!("id: {n}\ndata: {event}\n\n")
}

/// All events after number `after`, and those to come, as a stream.
pub(super) fn follow(feed: &Feed, after: u64) -> Response {
    let start = (feed.clone(), feed.subscribe(), after, true);
    reply::events(stream::unfold(start, |(feed, mut news, after, first)| async move {
        let mut text = if first { ":\n\n".to_owned() } else { String::new() };
        let mut last = after;
        loop {
            news.borrow_and_update();
            for (n, event) in feed.since(last) {
                text.push_str(&written(n, &event));
                last = n;
                if text.len() > CHUNK_BYTES {
                    break;
                }
            }
            if !text.is_empty() {
                return Some((Bytes::from(text), (feed, news, last, false)));
            }
            match tokio::time::timeout(KEEP_ALIVE, news.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return None,
                Err(_) => text.push_str(":\n\n"),
            }
        }
    }))
}
