//! Newline-delimited messages over any pair of byte streams: stdio, or a pipe within the process.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use wire::{Line, Lines, Malformed, Payload};

use super::{Answer, Handler, Out, Outbox, Via, batch};
use crate::MAX_MESSAGE;

/// How many messages may wait for a client that reads slowly.
const QUEUE: usize = 1024;

/// How long a client that has stopped writing may take to read what is left.
const DRAIN: Duration = Duration::from_secs(2);

/// Serves the process's own stdin and stdout until stdin ends.
pub async fn stdio<H: Handler>(handler: Arc<H>) -> io::Result<()> {
    serve(handler, tokio::io::stdin(), tokio::io::stdout()).await
}

/// Serves one client until its input ends; what is still running then is stopped.
pub async fn serve<H, R, W>(handler: Arc<H>, input: R, output: W) -> io::Result<()>
where
    H: Handler,
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(QUEUE);
    let writer = tokio::spawn(write(output, receiver));
    let peer = Arc::new(handler.connect(Via::Pipe, Outbox::new(sender.clone())));
    let mut connection = Connection { handler, peer, sender, streams: JoinSet::new() };
    let ended = connection.read(input).await;
    connection.handler.disconnect(&connection.peer);
    // The writer ends when every sender is gone: ours, those of the streams, and the peer's outbox.
    drop(connection);
    match tokio::time::timeout(DRAIN, writer).await {
        Ok(Ok(Ok(()))) | Err(_) => ended,
        // The client may stop reading before it stops writing; that is its right.
        Ok(Ok(Err(error))) if error.kind() == io::ErrorKind::BrokenPipe => ended,
        Ok(Ok(Err(error))) => Err(error),
        Ok(Err(panicked)) => Err(io::Error::other(panicked)),
    }
}

struct Connection<H: Handler> {
    handler: Arc<H>,
    peer: Arc<H::Peer>,
    sender: mpsc::Sender<Bytes>,
    streams: JoinSet<()>,
}

impl<H: Handler> Connection<H> {
    async fn read<R: AsyncRead + Unpin>(&mut self, mut input: R) -> io::Result<()> {
        let mut lines = Lines::new(MAX_MESSAGE);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = input.read(&mut buffer).await?;
            if count == 0 {
                break;
            }
            let Some(input) = self.handler.on_input(&buffer[..count]) else { return Ok(()) };
            lines.push(&input);
            while let Some(line) = lines.next() {
                if !self.line(&line).await {
                    return Ok(());
                }
            }
        }
        if let Some(rest) = lines.finish() {
            self.line(&rest).await;
        }
        Ok(())
    }

    /// Handles one line; false when the client is gone.
    async fn line(&mut self, line: &Line) -> bool {
        let answer = match line {
            Line::Whole(bytes) | Line::Unterminated(bytes) if bytes.trim_ascii().is_empty() => return true,
            Line::Whole(bytes) | Line::Unterminated(bytes) => match Payload::parse(bytes) {
                Ok(payload) => batch::answer(&self.handler, &self.peer, payload, None),
                Err(why) => self.handler.malformed(Some(&self.peer), &why),
            },
            Line::Overlong(_) => {
                let why = format!("a message of more than {MAX_MESSAGE} bytes");
                self.handler.malformed(Some(&self.peer), &Malformed::NotJson { why })
            }
        };
        self.send(answer).await
    }

    async fn send(&mut self, answer: Answer) -> bool {
        match answer {
            Answer::Accepted => true,
            Answer::Message { body, .. } => self.sender.send(body).await.is_ok(),
            Answer::Stream(stream) => {
                // Finished ones are reaped here so that a long session does not collect them.
                while self.streams.try_join_next().is_some() {}
                self.streams.spawn(forward(stream, self.sender.clone()));
                true
            }
        }
    }
}

/// Passes the messages of a stream on to a channel that all of them share.
pub(super) async fn forward(mut stream: mpsc::Receiver<Out>, sender: mpsc::Sender<Bytes>) {
    while let Some(out) = stream.recv().await {
        match out {
            Out::Message(message) => {
                if sender.send(message).await.is_err() {
                    return;
                }
            }
            Out::Hangup { .. } => {}
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(mut output: W, mut messages: mpsc::Receiver<Bytes>) -> io::Result<()> {
    let mut pending = Vec::new();
    let mut buffer = Vec::with_capacity(16 * 1024);
    // Whatever has piled up goes out in one write.
    while messages.recv_many(&mut pending, QUEUE).await > 0 {
        for message in pending.drain(..) {
            buffer.extend_from_slice(&message);
            buffer.push(b'\n');
        }
        output.write_all(&buffer).await?;
        output.flush().await?;
        buffer.clear();
    }
    output.shutdown().await
}
