//! The feed as a stream of server-sent events.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;

use super::{Response, reply};
use crate::feed::Feed;

/// After how long a silent stream gets a comment, so that a dead one is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Everything after number `after`, as it comes.
pub(super) fn follow(feed: &Feed, after: u64) -> Response {
    let start = (feed.clone(), feed.news(), after, true);
    reply::events(stream::unfold(start, |(feed, mut news, after, first)| async move {
        let mut text = if first { ":\n\n".to_owned() } else { String::new() };
        let mut last = after;
        loop {
            news.borrow_and_update();
            for (n, event) in feed.since(last) {
                text.push_str(&format!("id: {n}\ndata: {event}\n\n"));
                last = n;
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
