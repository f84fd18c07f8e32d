//! A body on its way through.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use wire::Direction;

use crate::tap::note::{Piece, RecordSender, UntilRecorded};

/// A body that passes piece by piece. Each piece is in the record before it is passed on.
///
/// An event is recorded as soon as it is complete. Any other body is one message, which is recorded at its end, so the
/// last piece waits until the end is known.
pub(super) struct RecordedBody {
    inner: Incoming,
    record: RecordSender,
    direction: Direction,
    exchange: u32,
    is_stream: bool,
    over: bool,
    /// The piece that is passed on once it is recorded.
    next: Option<(Frame<Bytes>, UntilRecorded)>,
    /// The piece that may be the last one.
    held: Option<Frame<Bytes>>,
}

impl RecordedBody {
    pub(super) fn new(
        inner: Incoming,
        record: RecordSender,
        direction: Direction,
        exchange: u32,
        is_stream: bool,
    ) -> Self {
        Self { inner, record, direction, exchange, is_stream, over: false, next: None, held: None }
    }

    fn end(&mut self, how: Option<String>) -> Option<UntilRecorded> {
        let is_first = !std::mem::replace(&mut self.over, true);
        is_first.then(|| self.record.note(self.direction, self.exchange, Piece::End(how)))
    }

    /// Records a piece, and decides what is passed on.
    fn add_piece(&mut self, frame: Frame<Bytes>) {
        let data = frame.data_ref().cloned().unwrap_or_default();
        let recorded = self.record.note(self.direction, self.exchange, Piece::Bytes(data));
        if self.is_stream {
            self.next = Some((frame, recorded));
            return;
        }
        let before = self.held.replace(frame);
        self.next = before.map(|before| (before, recorded));
    }
}

impl Body for RecordedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = self.get_mut();
        loop {
            if let Some((_, recorded)) = &mut this.next {
                ready!(recorded.as_mut().poll(cx));
            }
            if let Some((frame, _)) = this.next.take() {
                return Poll::Ready(Some(Ok(frame)));
            }
            if this.over && this.held.is_none() {
                return Poll::Ready(None);
            }
            let polled = if this.inner.is_end_stream() {
                None
            } else {
                ready!(Pin::new(&mut this.inner).poll_frame(cx))
            };
            match polled {
                Some(Ok(frame)) => this.add_piece(frame),
                Some(Err(why)) => {
                    drop(this.end(Some(format!("it was cut short: {why}"))));
                    return Poll::Ready(Some(Err(why)));
                }
                None => {
                    let recorded = this.end(None);
                    this.next = this.held.take().zip(recorded);
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.next.is_none() && self.held.is_none() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for RecordedBody {
    fn drop(&mut self) {
        let whole = self.inner.is_end_stream();
        drop(self.end((!whole).then(|| "the reader went away".to_owned())));
    }
}

impl std::fmt::Debug for RecordedBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordedBody").field("exchange", &self.exchange).finish_non_exhaustive()
    }
}
