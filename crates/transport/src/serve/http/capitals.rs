//! A connection on which header names in capitals get lost, as if names were told apart by their case.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The name that is lost, and what stands in its place.
const LOST: (&[u8], &[u8]) = (b"MCP-METHOD:", b"XXX-METHOD:");

/// A connection that loses a header in capitals.
pub(super) struct Capitals<S>(pub(super) S);

impl<S: AsyncRead + Unpin> AsyncRead for Capitals<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.0).poll_read(cx, buffer))?;
        let fresh = &mut buffer.filled_mut()[before..];
        if let Some(at) = fresh.windows(LOST.0.len()).position(|window| window == LOST.0) {
            fresh[at..at + LOST.1.len()].copy_from_slice(LOST.1);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Capitals<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
