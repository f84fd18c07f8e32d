//! The feed as a stream of server-sent events.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;

use super::{Response, reply};
use crate::feed::Feed;

/// After how long a silent stream gets a comment, so that a dead one is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How much of what has happened goes out at a time.
const PIECE: usize = 256 * 1024;

/// Everything after number `after` that has happened so far.
pub(super) fn past(feed: &Feed, after: u64) -> Response {
    let all = feed.since(after).into_iter();
    reply::events(stream::iter(all.map(|(n, event)| Bytes::from(written(n, &event)))))
}

fn written(n: u64, event: &str) -> String {
    format!("id: {n}\ndata: {event}\n\n")
}

/// Everything after number `after`, as it comes.
pub(super) fn follow(feed: &Feed, after: u64) -> Response {
    let start = (feed.clone(), feed.news(), after, true);
    reply::events(stream::unfold(start, |(feed, mut news, after, first)| async move {
        let mut text = if first { ":\n\n".to_owned() } else { String::new() };
        let mut last = after;
        loop {
            news.borrow_and_update();
            for (n, event) in feed.since(last) {
                text.push_str(&written(n, &event));
                last = n;
                if text.len() > PIECE {
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
