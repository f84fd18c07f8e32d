//! A connection with deadlines for a client that does not read, and for one that keeps writing after the last response.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long a client may go on writing after our last response, and how much. Closing a connection with unread bytes
/// resets it, and the client would lose the response.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 32 * 1024 * 1024;

/// A connection with deadlines for what depends on the client.
#[derive(Debug)]
pub(super) struct Socket<S> {
    inner: S,
    write_stall: Duration,
    /// Sees, and may change, what comes in.
    on_received: Option<fn(&mut [u8])>,
    /// Runs while the client does not read.
    stalled: Option<Pin<Box<Sleep>>>,
    closing: Closing,
}

#[derive(Debug)]
enum Closing {
    No,
    /// Our side is shut, and what still comes is discarded.
    Lingers {
        until: Pin<Box<Sleep>>,
        bytes: usize,
    },
}

impl<S> Socket<S> {
    pub(super) const fn new(inner: S, write_stall: Duration, on_received: Option<fn(&mut [u8])>) -> Self {
        Self { inner, write_stall, on_received, stalled: None, closing: Closing::No }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        if let Some(look) = self.on_received {
            look(&mut buffer.filled_mut()[before..]);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if let Poll::Ready(written) = Pin::new(&mut this.inner).poll_write(cx, bytes) {
            this.stalled = None;
            return Poll::Ready(written);
        }
        let stalled = this.stalled.get_or_insert_with(|| Box::pin(sleep(this.write_stall)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Closing::No = this.closing {
            ready!(Pin::new(&mut this.inner).poll_shutdown(cx))?;
            this.closing = Closing::Lingers { until: Box::pin(sleep(LINGER)), bytes: 0 };
        }
        let Closing::Lingers { until, bytes } = &mut this.closing else { return Poll::Ready(Ok(())) };
        let mut room = [0; 16 * 1024];
        while until.as_mut().poll(cx).is_pending() && until.deadline() > Instant::now() {
            let mut buffer = ReadBuf::new(&mut room);
            // The read has ended, or has failed: the client has gone.
            match ready!(Pin::new(&mut this.inner).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() && *bytes < LINGER_BYTES => {
                    *bytes += buffer.filled().len();
                }
                Ok(()) | Err(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_given_up() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut socket = Socket::new(near, Duration::from_secs(20), None);
        let began = Instant::now();
        socket.write_all(&[0; 16]).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        assert!(socket.flush().await.is_ok(), "silence is no stall");
        let reader = tokio::spawn(async move {
            sleep(Duration::from_secs(15)).await;
            far.read_exact(&mut [0; 16]).await.unwrap();
            sleep(Duration::from_secs(600)).await;
        });
        let error = socket.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed().as_secs(), 60 + 15 + 20, "it counts from the last progress");
        reader.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_after_the_last_word_is_discarded_for_a_while() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut socket = Socket::new(near, Duration::from_secs(20), None);
        let client = tokio::spawn(async move {
            far.write_all(&[0; 4096]).await.unwrap();
            far
        });
        let began = Instant::now();
        socket.shutdown().await.unwrap();
        assert_eq!(began.elapsed(), LINGER);
        drop(client.await.unwrap());
    }
}
