//! Newline-delimited messages over any pair of byte streams: stdio, or a pipe within the process.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;
use wire::{Line, Lines, Malformed, Payload};

use super::queue::{Receiver, Sender, queue};
use super::{Answer, Budgets, Handler, Limits, Out, Outbox, Reservation, batch, cost};
use crate::MAX_MESSAGE;
use crate::Transport;

/// How many messages may be queued for a client that reads slowly, and how many bytes.
const MAX_QUEUED: usize = 1024;
const MAX_QUEUED_BYTES: usize = 4 * 1024 * 1024;

/// Queued messages go out in writes of about this size.
const WRITE_BYTES: usize = 64 * 1024;

/// How long a client that has stopped writing may take to read what is left.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves the process's own stdin and stdout until stdin ends.
pub async fn stdio<H: Handler>(handler: Arc<H>, limits: Limits) -> io::Result<()> {
    serve_within(handler, tokio::io::stdin(), tokio::io::stdout(), limits).await
}

/// Serves one client until its input ends. Requests that are still being handled are stopped then.
pub async fn serve<H, R, W>(handler: Arc<H>, input: R, output: W) -> io::Result<()>
where
    H: Handler,
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    serve_within(handler, input, output, Limits::for_messages(MAX_MESSAGE)).await
}

/// The same, within other limits than the usual ones of a pipe.
pub async fn serve_within<H, R, W>(handler: Arc<H>, input: R, output: W, limits: Limits) -> io::Result<()>
where
    H: Handler,
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (sender, receiver) = queue(MAX_QUEUED, MAX_QUEUED_BYTES);
    let writer = tokio::spawn(write(output, receiver));
    // A pipe has one client, which may use the whole budget.
    let budgets = Budgets::of_process(&limits).for_session(&limits);
    let outbox = Outbox::new(sender.clone(), budgets.kept.clone());
    let peer = Arc::new(handler.connect(Transport::Stdio, outbox, budgets.kept.clone()));
    let mut connection = Connection { handler, peer, sender, streams: JoinSet::new(), limits, budgets };
    let ended = connection.read_lines(input).await;
    connection.handler.disconnect(&connection.peer);
    // The writer ends when every sender is gone: ours, those of the streams, and the peer's outbox.
    drop(connection);
    match tokio::time::timeout(DRAIN_TIMEOUT, writer).await {
        Ok(Ok(Ok(()))) | Err(_) => ended,
        // The client may stop reading before it stops writing.
        Ok(Ok(Err(error))) if error.kind() == io::ErrorKind::BrokenPipe => ended,
        Ok(Ok(Err(error))) => Err(error),
        Ok(Err(panicked)) => Err(io::Error::other(panicked)),
    }
}

struct Connection<H: Handler> {
    handler: Arc<H>,
    peer: Arc<H::Peer>,
    sender: Sender,
    streams: JoinSet<()>,
    limits: Limits,
    budgets: Budgets,
}

impl<H: Handler> Connection<H> {
    async fn read_lines<R: AsyncRead + Unpin>(&mut self, mut input: R) -> io::Result<()> {
        let mut lines = Lines::new(self.limits.message);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = input.read(&mut buffer).await?;
            if count == 0 {
                break;
            }
            let Some(input) = self.handler.on_input(&buffer[..count]) else { return Ok(()) };
            lines.push(&input);
            while let Some(line) = lines.next() {
                if !self.handle_line(&line).await {
                    return Ok(());
                }
            }
        }
        if let Some(rest) = lines.finish() {
            self.handle_line(&rest).await;
        }
        Ok(())
    }

    /// Handles one line; false when the client is gone.
    async fn handle_line(&mut self, line: &Line) -> bool {
        let (bytes, answer) = match line {
            Line::Whole(bytes) | Line::Unterminated(bytes) if bytes.trim_ascii().is_empty() => return true,
            Line::Whole(bytes) | Line::Unterminated(bytes) => (&bytes[..], self.answer(bytes)),
            Line::Overlong(_) => {
                let why = format!("a message of more than {} bytes", self.limits.message);
                (&[][..], self.refuse(why))
            }
        };
        let unfinished = match answer {
            Answer::Accepted => return true,
            Answer::Message { body, .. } => return self.sender.send(body).await,
            answer @ (Answer::Stream(_) | Answer::Later(_)) => answer,
        };
        // Finished tasks are removed here, so that a long session does not collect them.
        while self.streams.try_join_next().is_some() {}
        // The handler keeps the request.
        match self.budgets.work.reserve(cost::estimate_handling(bytes)) {
            Ok(held) => drop(self.streams.spawn(forward(unfinished, self.sender.clone(), held))),
            Err(why) => {
                if let Answer::Message { body, .. } = self.refuse(why.to_string()) {
                    return self.sender.send(body).await;
                }
            }
        }
        true
    }

    fn answer(&self, bytes: &Bytes) -> Answer {
        let cost = if bytes.len() <= cost::SHORT_TEXT { 0 } else { cost::estimate_handling(bytes) };
        let _room = match self.budgets.work.reserve(cost) {
            Ok(room) => room,
            Err(why) => return self.refuse(why.to_string()),
        };
        match Payload::parse(bytes) {
            Ok(payload) => batch::answer(&self.handler, &self.peer, payload, bytes, None, &self.limits),
            Err(why) => self.handler.malformed(Some(&self.peer), &why),
        }
    }

    fn refuse(&self, why: String) -> Answer {
        self.handler.malformed(Some(&self.peer), &Malformed::NotJson { why })
    }
}

/// Passes the messages of an answer on to a shared queue. `_held` is what the handler has reserved.
pub(super) async fn forward(answer: Answer, sender: Sender, _held: Reservation) {
    let mut stream = match answer.known().await {
        Answer::Accepted | Answer::Later(_) => return,
        // The client has gone if this fails.
        Answer::Message { body, .. } => {
            let _ = sender.send(body).await;
            return;
        }
        Answer::Stream(stream) => stream,
    };
    while let Some(out) = stream.recv().await {
        match out {
            Out::Message(message) => {
                if !sender.send(message).await {
                    return;
                }
            }
            Out::Hangup { .. } => {}
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(mut output: W, mut messages: Receiver) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(16 * 1024);
    while let Some(message) = messages.recv().await {
        buffer.clear();
        buffer.extend_from_slice(&message);
        buffer.push(b'\n');
        // All queued messages go out in one write.
        while buffer.len() < WRITE_BYTES
            && let Some(message) = messages.try_recv()
        {
            buffer.extend_from_slice(&message);
            buffer.push(b'\n');
        }
        output.write_all(&buffer).await?;
        output.flush().await?;
        buffer.shrink_to(WRITE_BYTES);
    }
    output.shutdown().await
}
