//! The body of a response: nothing, all at once, or events as they come.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use super::connections::Connection;

/// A long body goes out in pieces of this size, so that no more than that is copied into the buffer of the connection
/// before the client has read what went before.
const PIECE: usize = 16 * 1024;

/// The body of a response.
pub(super) enum Body {
    /// What is left of a body that is there as a whole.
    Full(Bytes),
    /// Events; each goes out when it is ready.
    Events {
        /// Those that come.
        stream: Pin<Box<dyn Stream<Item = Bytes> + Send>>,
        /// What is left of the one that is there.
        rest: Bytes,
        /// Where it is shown.
        connection: Option<Streaming>,
    },
}

/// A connection that shows a stream.
pub(super) struct Streaming(Arc<Connection>);

impl Drop for Streaming {
    fn drop(&mut self) {
        self.0.served();
    }
}

impl Body {
    pub(super) const fn empty() -> Self {
        Self::Full(Bytes::new())
    }

    pub(super) const fn full(bytes: Bytes) -> Self {
        Self::Full(bytes)
    }

    /// The same, on its connection: once an answer is there, or a stream is at its end, the client is waited for.
    pub(super) fn on(mut self, connection: &Arc<Connection>) -> Self {
        match &mut self {
            Self::Full(_) => connection.served(),
            Self::Events { connection: on, .. } => *on = Some(Streaming(connection.clone())),
        }
        self
    }

    pub(super) fn events(stream: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self::Events { stream: Box::pin(stream), rest: Bytes::new(), connection: None }
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Full(rest) => Poll::Ready(piece_of(rest)),
            Self::Events { stream, rest, .. } => {
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
        matches!(self, Self::Full(rest) if rest.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Full(rest) => SizeHint::with_exact(rest.len() as u64),
            Self::Events { .. } => SizeHint::default(),
        }
    }
}

fn piece_of(rest: &mut Bytes) -> Option<Result<Frame<Bytes>, Infallible>> {
    (!rest.is_empty()).then(|| Ok(Frame::data(rest.split_to(rest.len().min(PIECE)))))
}
