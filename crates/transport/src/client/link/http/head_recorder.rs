//! Records the heads of both directions as they are on the wire, below the HTTP parser.

use std::io;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use wire::{Direction, What};

use crate::client::bounded_recorder::BoundedRecorder;

/// The most bytes of a head that are kept. The parser refuses longer ones.
const MAX_HEAD_BYTES: usize = 1024 * 1024;

/// A stream whose heads are recorded.
#[derive(Debug)]
pub(super) struct RecordedStream<S> {
    inner: S,
    heads: std::sync::Arc<HeadRecorder>,
}

/// What was seen of the current exchange.
#[derive(Debug)]
pub(super) struct HeadRecorder {
    state: Mutex<State>,
    record: BoundedRecorder,
}

#[derive(Debug, Default)]
struct State {
    exchange: u32,
    /// The body that follows the head that is being sent.
    body: Bytes,
    sent: Option<Capture>,
    got: Option<Capture>,
    head: Bytes,
}

/// A head that is not complete yet.
#[derive(Debug, Default)]
struct Capture {
    buffer: BytesMut,
    /// Bytes that are known to hold no end.
    searched: usize,
}

impl<S> RecordedStream<S> {
    pub(super) const fn new(inner: S, heads: std::sync::Arc<HeadRecorder>) -> Self {
        Self { inner, heads }
    }
}

impl HeadRecorder {
    pub(super) fn new(record: BoundedRecorder) -> Self {
        Self { state: Mutex::default(), record }
    }

    /// A new exchange begins; `body` will follow the head.
    pub(super) fn begin(&self, exchange: u32, body: Bytes) {
        let fresh = || Some(Capture::default());
        *self.lock() = State { exchange, body, sent: fresh(), got: fresh(), head: Bytes::new() };
    }

    /// The head of the response, once it has come.
    pub(super) fn head(&self) -> Bytes {
        self.lock().head.clone()
    }

    /// The exchange failed: records and returns what came instead of a head.
    pub(super) fn abandon(&self) -> Bytes {
        let mut state = self.lock();
        let seen = state.got.take().unwrap_or_default().buffer.freeze();
        if !seen.is_empty() {
            // The exchange has failed already, so hitting a bound now changes nothing.
            let _ = self.record.record_received(What::Noise, state.exchange, seen.clone());
        }
        seen
    }

    /// Adds what was written, and hands the message to `record` once its head is complete.
    fn add_sent(&self, bytes: &[u8], record: &mut dyn FnMut(Direction, What, u32, Bytes)) {
        let mut state = self.lock();
        let Some(capture) = &mut state.sent else { return };
        capture.push(bytes);
        let Some(head) = capture.take_head() else { return };
        state.sent = None;
        let body = std::mem::take(&mut state.body);
        record(Direction::ToServer, What::Head, state.exchange, head);
        if !body.is_empty() {
            record(Direction::ToServer, What::Message, state.exchange, body);
        }
    }

    fn add_received(&self, bytes: &[u8]) {
        let mut state = self.lock();
        let exchange = state.exchange;
        let Some(capture) = &mut state.got else { return };
        capture.push(bytes);
        while let Some(head) = capture.take_head() {
            // The body that follows hits the same bound, and reports it.
            let _ = self.record.record_received(What::Head, exchange, head.clone());
            // An interim response (100, 103) is followed by the real one.
            if !is_interim(&head) {
                state.head = head;
                state.got = None;
                return;
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Capture {
    fn push(&mut self, bytes: &[u8]) {
        let room = MAX_HEAD_BYTES.saturating_sub(self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// The head, its blank line included, once it is complete.
    fn take_head(&mut self) -> Option<Bytes> {
        let end = head_end(&self.buffer, self.searched);
        // The last bytes may begin a blank line.
        self.searched = self.buffer.len().saturating_sub(2);
        let head = self.buffer.split_to(end?).freeze();
        self.searched = 0;
        Some(head)
    }
}

/// Where the first head in `bytes` ends, its blank line included; bytes before `from` are known not to begin it.
pub(crate) fn head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let blank = |at: usize| match bytes.get(at..)? {
        [b'\n', b'\n', ..] => Some(at + 2),
        [b'\n', b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    };
    (from..bytes.len()).find_map(blank)
}

fn is_interim(head: &[u8]) -> bool {
    let status = head.split(|b| *b == b' ').nth(1).unwrap_or_default();
    status.len() >= 3 && status[0] == b'1' && status[..3] != *b"101"
}

impl<S: AsyncRead + Unpin> AsyncRead for RecordedStream<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let result = Pin::new(&mut this.inner).poll_read(cx, buf);
        if matches!(result, Poll::Ready(Ok(()))) {
            this.heads.add_received(&buf.filled()[before..]);
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for RecordedStream<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let heads = &this.heads;
        // The response may be read before this side is polled again.
        heads.record.recorder().record_during(|record| {
            let result = Pin::new(&mut this.inner).poll_write(cx, buf);
            if let Poll::Ready(Ok(count)) = result {
                heads.add_sent(&buf[..count], record);
            }
            result
        })
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Limits;
    use wire::Recorder;

    fn heads(chunks: &[&[u8]]) -> Vec<Bytes> {
        let recorder = Recorder::new();
        let heads = HeadRecorder::new(BoundedRecorder::new(recorder.clone(), &Limits::default()));
        heads.begin(3, Bytes::new());
        chunks.iter().for_each(|chunk| heads.add_received(chunk));
        recorder.transcript().entries.into_iter().map(|entry| entry.bytes).collect()
    }

    #[test]
    fn heads_are_found_however_they_are_cut() {
        let head = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
        let whole: Vec<u8> = [head.as_slice(), b"{\"body\":\r\n\r\n}"].concat();
        for cut in 1..whole.len() {
            assert_eq!(heads(&[&whole[..cut], &whole[cut..]]), [head.as_slice()], "cut at {cut}");
        }
        assert_eq!(heads(&[b"HTTP/1.1 200 OK\nA: b\n\nbody"]), [b"HTTP/1.1 200 OK\nA: b\n\n".as_slice()]);
    }

    #[test]
    fn an_interim_response_is_not_the_answer() {
        let all = heads(&[b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"]);
        assert_eq!(all, [b"HTTP/1.1 100 Continue\r\n\r\n".as_slice(), b"HTTP/1.1 204 No Content\r\n\r\n"]);
    }
}
