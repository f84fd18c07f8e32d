//! The body of a response: empty, complete, or events as they come.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use super::connections::Connection;

/// A long body goes out in pieces of this size, so that the buffer of the connection never holds more than one piece
/// that the client has not read.
const PIECE_BYTES: usize = 16 * 1024;

/// The body of a response.
pub struct Body(Content);

enum Content {
    /// The rest of a complete body.
    Full(Bytes),
    /// Events; each goes out when it is ready.
    Events {
        /// The events to come.
        stream: Pin<Box<dyn Stream<Item = Bytes> + Send>>,
        /// The rest of the current event.
        rest: Bytes,
        /// The connection that carries it.
        connection: Option<Streaming>,
    },
}

/// A connection that carries a stream.
struct Streaming(Arc<Connection>);

impl Drop for Streaming {
    fn drop(&mut self) {
        self.0.note_answer();
    }
}

impl Body {
    /// No bytes at all.
    pub const fn empty() -> Self {
        Self::full(Bytes::new())
    }

    /// These bytes.
    pub const fn full(bytes: Bytes) -> Self {
        Self(Content::Full(bytes))
    }

    /// The bytes of a complete body; `None` for events.
    pub const fn whole(&self) -> Option<&Bytes> {
        match &self.0 {
            Content::Full(bytes) => Some(bytes),
            Content::Events { .. } => None,
        }
    }

    /// The same with its events changed on their way. A complete body stays as it is.
    #[must_use]
    pub fn with_events<S>(self, change: impl FnOnce(Pin<Box<dyn Stream<Item = Bytes> + Send>>) -> S) -> Self
    where
        S: Stream<Item = Bytes> + Send + 'static,
    {
        match self.0 {
            Content::Full(_) => self,
            Content::Events { stream, rest, connection } => {
                Self(Content::Events { stream: change(stream).boxed(), rest, connection })
            }
        }
    }

    /// The same, on its connection. Once the answer is complete or the stream has ended, the server waits for the
    /// client.
    pub(super) fn on_connection(mut self, connection: &Arc<Connection>) -> Self {
        match &mut self.0 {
            Content::Full(_) => connection.note_answer(),
            Content::Events { connection: on, .. } => *on = Some(Streaming(connection.clone())),
        }
        self
    }

    pub(super) fn events(stream: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self(Content::Events { stream: Box::pin(stream), rest: Bytes::new(), connection: None })
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Body").field(&self.whole()).finish()
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.get_mut().0 {
            Content::Full(rest) => Poll::Ready(piece_of(rest)),
            Content::Events { stream, rest, .. } => {
                if rest.is_empty() {
                    match ready!(stream.as_mut().poll_next(cx)) {
                        Some(event) => *rest = event,
                        None => return Poll::Ready(None),
                    }
                }
                Poll::Ready(piece_of(rest))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Content::Full(rest) if rest.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Full(rest) => SizeHint::with_exact(rest.len() as u64),
            Content::Events { .. } => SizeHint::default(),
        }
    }
}

fn piece_of(rest: &mut Bytes) -> Option<Result<Frame<Bytes>, Infallible>> {
    (!rest.is_empty()).then(|| Ok(Frame::data(rest.split_to(rest.len().min(PIECE_BYTES)))))
}
