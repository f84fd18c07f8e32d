//! The body of a response: nothing, all at once, or events as they come.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// The body of a response.
pub(super) enum Body {
    /// All of it, once.
    Full(Option<Bytes>),
    /// Events; each piece goes out when it is ready.
    Events(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
}

impl Body {
    pub(super) const fn empty() -> Self {
        Self::Full(None)
    }

    pub(super) fn events(stream: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self::Events(Box::pin(stream))
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
            Self::Full(bytes) => Poll::Ready(bytes.take().map(|b| Ok(Frame::data(b)))),
            Self::Events(stream) => {
                stream.as_mut().poll_next(cx).map(|next| next.map(|b| Ok(Frame::data(b))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Full(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            Self::Events(_) => SizeHint::default(),
        }
    }
}
