//! The source of the messages of one exchange.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use protocol::Era;
use tokio::time::{Instant, timeout};

use super::{Channel, Session};
use crate::client::link::http::{BodyReader, Item};
use crate::client::route::{Arrival, Ticket};
use crate::client::{Failure, Message};

/// How long to wait before resuming a stream, if the server did not say.
const DEFAULT_RETRY: Duration = Duration::from_millis(100);

/// How long a readable answer may come after one that cannot be read.
const READABLE_AFTER: Duration = Duration::from_millis(500);

/// The source of the messages of one exchange.
#[derive(Debug)]
pub(super) enum MessageSource {
    /// A shared channel. What came in the body of the POST is returned first.
    Shared { ticket: Ticket, early: VecDeque<Message> },
    /// The body of an HTTP response.
    Body(Box<ResponseBody>),
    /// Nothing more will come.
    Ended,
}

/// The body of an HTTP response, and in the legacy era the streams that continue it.
#[derive(Debug)]
pub(super) struct ResponseBody {
    pub(super) body: BodyReader,
    /// The whole body, if it is not a stream.
    pub(super) whole: Bytes,
    /// How it was cut short, if it was.
    pub(super) cut: Option<String>,
    resumptions: u32,
}

impl MessageSource {
    pub(super) fn from_body(body: BodyReader) -> Self {
        Self::Body(Box::new(ResponseBody { body, whole: Bytes::new(), cut: None, resumptions: 0 }))
    }

    /// The next message, and whether the request is known to be settled with it; `None` at the end. While `open`,
    /// a legacy stream that ends is resumed.
    pub(super) async fn next(
        &mut self,
        session: &Session,
        open: bool,
    ) -> Result<Option<(Message, bool)>, Failure> {
        match self {
            Self::Shared { early, .. } if !early.is_empty() => Ok(early.pop_front().map(|m| (m, false))),
            Self::Shared { ticket, .. } => match next_arrival(ticket).await? {
                Arrival::Message(message, settles) => Ok(Some((message, settles))),
                Arrival::Unreadable(why) => {
                    Err(Failure::NotJsonRpc { doing: String::new(), why, after: READABLE_AFTER })
                }
                Arrival::Overlong => {
                    Err(Failure::TooLarge { what: "a message".into(), limit: session.inner.limits.message })
                }
            },
            Self::Body(body) => Ok(body.next(session, open).await?.map(|message| (message, false))),
            Self::Ended => Ok(None),
        }
    }
}

/// The next delivery. What cannot be read counts only if nothing follows: some servers print a response before they send it.
async fn next_arrival(ticket: &mut Ticket) -> Result<Arrival, Failure> {
    match ticket.next().await? {
        unreadable @ Arrival::Unreadable(_) => {
            timeout(READABLE_AFTER, ticket.next()).await.unwrap_or(Ok(unreadable))
        }
        arrival => Ok(arrival),
    }
}

impl ResponseBody {
    async fn next(&mut self, session: &Session, open: bool) -> Result<Option<Message>, Failure> {
        loop {
            match self.body.next().await? {
                Some(Item::Message(message)) => {
                    if let Channel::Streamable(http) = &*session.inner.channel {
                        http.answer(&message);
                    }
                    return Ok(Some(message));
                }
                Some(Item::Whole(bytes, message)) => {
                    self.whole = bytes;
                    if message.is_some() {
                        return Ok(message);
                    }
                }
                Some(Item::Event(_)) => {}
                None if open && self.resume(session).await? => {}
                None => {
                    self.cut = self.cut.take().or_else(|| self.body.cut.take());
                    return Ok(None);
                }
            }
        }
    }

    /// Resumes a stream that ended early; false when that is not possible.
    async fn resume(&mut self, session: &Session) -> Result<bool, Failure> {
        let inner = &session.inner;
        let Channel::Streamable(http) = &*inner.channel else { return Ok(false) };
        let Some(last) = self.body.last_event_id.clone() else { return Ok(false) };
        if inner.version.era() == Era::Modern || self.resumptions == inner.limits.resumptions {
            return Ok(false);
        }
        self.resumptions += 1;
        let retry = self.body.retry;
        let pause = retry.map_or(DEFAULT_RETRY, Duration::from_millis).min(inner.limits.retry);
        tokio::time::sleep(pause).await;
        let mut next = http.get(Some(&last), Instant::now() + inner.limits.request).await?;
        if next.exchange.head.status != 200 || !next.exchange.is_stream() {
            self.cut = Some(format!("resuming it was answered with HTTP {}", next.exchange.head.status));
            return Ok(false);
        }
        next.last_event_id = Some(last);
        next.retry = retry;
        self.body = next;
        Ok(true)
    }
}
