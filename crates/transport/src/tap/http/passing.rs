//! A body on its way through.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use wire::Direction;

use crate::tap::note::{Pen, Piece};

/// A body that passes piece by piece, each noted as it goes.
#[derive(Debug)]
pub(super) struct Passing {
    inner: Incoming,
    pen: Pen,
    direction: Direction,
    exchange: u32,
    over: bool,
}

impl Passing {
    pub(super) const fn new(inner: Incoming, pen: Pen, direction: Direction, exchange: u32) -> Self {
        Self { inner, pen, direction, exchange, over: false }
    }

    fn end(&mut self, how: Option<String>) {
        if !std::mem::replace(&mut self.over, true) {
            self.pen.note(self.direction, self.exchange, Piece::End(how));
        }
    }
}

impl Body for Passing {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.inner).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    this.pen.note(this.direction, this.exchange, Piece::Bytes(data.clone()));
                }
            }
            Poll::Ready(Some(Err(why))) => this.end(Some(format!("it was cut short: {why}"))),
            Poll::Ready(None) => this.end(None),
            Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        let whole = self.inner.is_end_stream();
        self.end((!whole).then(|| "whoever read it went away".to_owned()));
    }
}
