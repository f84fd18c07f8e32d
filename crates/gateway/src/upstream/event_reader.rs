//! The body of a response: as one message, or as the messages of an event stream.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderValue;
use transport::MAX_MESSAGE;
use transport::upstream::PooledBody;
use wire::sse::Events;

/// How long to wait before a stream that ended is opened again, unless the server says how long.
const REOPEN_AFTER: Duration = Duration::from_secs(1);
/// The longest that a server can make us wait.
const LONGEST_RETRY: Duration = Duration::from_secs(60);

/// Reads the messages of an event stream.
pub(super) struct EventReader {
    body: PooledBody,
    events: Events,
    /// The id of the latest event.
    last_id: Option<HeaderValue>,
    retry: Duration,
}

impl EventReader {
    /// Reads a stream that follows one whose latest event was `last_id`.
    pub(super) fn new(body: PooledBody, last_id: Option<HeaderValue>) -> Self {
        Self { body, events: Events::new(MAX_MESSAGE), last_id, retry: REOPEN_AFTER }
    }

    /// The id of the latest event, where the server gives its events ids.
    pub(super) const fn last_id(&self) -> Option<&HeaderValue> {
        self.last_id.as_ref()
    }

    /// How long to wait before the stream is opened again.
    pub(super) const fn retry(&self) -> Duration {
        self.retry
    }

    /// The next message; `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, String> {
        loop {
            while let Some(event) = self.events.next() {
                if let Some(id) = event.id.as_ref().and_then(|id| HeaderValue::try_from(id).ok()) {
                    self.last_id = Some(id);
                }
                if let Some(retry) = event.retry {
                    self.retry = Duration::from_millis(retry).min(LONGEST_RETRY);
                }
                let is_message = event.event.as_deref().is_none_or(|name| name == "message");
                let data = event.is_dispatched().then_some(event.data).flatten();
                if let Some(data) = data.filter(|data| is_message && !data.is_empty()) {
                    return Ok(Some(data.into()));
                }
            }
            match self.body.next().await {
                Some(Ok(piece)) => self.events.push(&piece),
                Some(Err(why)) => return Err(format!("its stream broke: {why}")),
                None => return Ok(None),
            }
        }
    }
}

/// The whole body.
pub(super) async fn collect(mut body: PooledBody) -> Result<Bytes, String> {
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(piece) = body.next().await {
        let piece = piece.map_err(|why| format!("its answer broke off: {why}"))?;
        if first.len() + all.len() + piece.len() > MAX_MESSAGE {
            return Err(format!("its answer has more than {MAX_MESSAGE} bytes"));
        }
        match (first.is_empty(), all.is_empty()) {
            // Most bodies come in one piece, which need not be copied.
            (true, true) => first = piece,
            (false, true) => {
                all.extend_from_slice(&first);
                all.extend_from_slice(&piece);
                first = Bytes::new();
            }
            (_, false) => all.extend_from_slice(&piece),
        }
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}
