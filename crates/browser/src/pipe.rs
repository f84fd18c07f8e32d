//! Messages on the debugging pipe: JSON texts, each followed by a NUL byte.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use crate::BrowserError;

/// The largest messages are screenshots of long pages.
const MAX_MESSAGE_BYTES: u64 = 512 * 1024 * 1024;

/// Splits a stream of bytes into messages.
#[derive(Debug)]
pub(crate) struct Messages<R> {
    from: BufReader<R>,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Messages<R> {
    pub(crate) fn split(from: R) -> Self {
        Self { from: BufReader::with_capacity(64 * 1024, from), buffer: Vec::new() }
    }

    /// The next message; `None` when the other end has closed the pipe.
    pub(crate) async fn next(&mut self) -> Result<Option<&[u8]>, BrowserError> {
        self.buffer.clear();
        let limited = &mut (&mut self.from).take(MAX_MESSAGE_BYTES);
        match limited.read_until(0, &mut self.buffer).await {
            Ok(_) if self.buffer.last() == Some(&0) => Ok(Some(&self.buffer[..self.buffer.len() - 1])),
            Ok(read) if read as u64 == MAX_MESSAGE_BYTES => Err(BrowserError::Garbled {
                why: format!("a message of more than {MAX_MESSAGE_BYTES} bytes"),
            }),
            // A crash can leave an incomplete message.
            Ok(_) | Err(_) => Ok(None),
        }
    }
}

/// Writes queued messages until the queue or the pipe is closed.
pub(crate) async fn write_all(mut to: impl AsyncWrite + Unpin, mut queue: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(mut message) = queue.recv().await {
        message.push(0);
        // Messages that are already queued share one flush.
        while let Ok(more) = queue.try_recv() {
            message.extend(more);
            message.push(0);
        }
        if to.write_all(&message).await.is_err() || to.flush().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_end_in_nul() {
        let mut messages = Messages::split(&b"{}\0\0[1]\0hal"[..]);
        assert_eq!(messages.next().await.unwrap(), Some(&b"{}"[..]));
        assert_eq!(messages.next().await.unwrap(), Some(&b""[..]));
        assert_eq!(messages.next().await.unwrap(), Some(&b"[1]"[..]));
        assert_eq!(messages.next().await.unwrap(), None, "half a message is none");
    }

    #[tokio::test]
    async fn queued_messages_are_written_in_order() {
        let (send, queue) = mpsc::unbounded_channel();
        send.send(b"a".to_vec()).unwrap();
        send.send(b"b".to_vec()).unwrap();
        drop(send);
        let mut written = Vec::new();
        write_all(&mut written, queue).await;
        assert_eq!(written, b"a\0b\0");
    }
}
