//! Writes into a pipe. One task does so, so that a timeout never cuts a message in two, and an automatic answer never
//! lands within a line that is being written in pieces.

use std::collections::VecDeque;
use std::io;
use std::sync::PoisonError;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, mpsc, oneshot};
use wire::{Payload, What};

use super::Task;
use crate::client::Failure;
use crate::client::bounded_recorder::BoundedRecorder;

/// How many messages may be queued for a target that does not read.
const MAX_QUEUED: usize = 256;

/// The writing side of a pipe.
#[derive(Debug)]
pub(crate) struct Outbox {
    /// Never held across an await: a fair lock could be handed to a future that is never polled again.
    sender: std::sync::Mutex<Option<mpsc::Sender<Outgoing>>>,
    writer: Mutex<Task>,
}

/// Sends automatic answers; does not keep the pipe open.
#[derive(Clone, Debug)]
pub(crate) struct Answers(mpsc::WeakSender<Outgoing>);

#[derive(Debug)]
struct Outgoing {
    bytes: Bytes,
    kind: Kind,
    done: oneshot::Sender<io::Result<()>>,
}

/// The kind of a write, which decides whether a newline follows and whether it has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A message; a newline is added.
    Line,
    /// An automatic answer, which is never written into the middle of a line.
    Answer,
    /// Exactly these bytes.
    Raw,
}

impl Outbox {
    pub(crate) fn new(
        output: impl AsyncWrite + Send + Unpin + 'static,
        record: BoundedRecorder,
    ) -> (Self, Answers) {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED);
        let answers = Answers(sender.downgrade());
        let writer = Task::spawn(write(output, receiver, record));
        (Self { sender: std::sync::Mutex::new(Some(sender)), writer: Mutex::new(writer) }, answers)
    }

    /// Writes one message and the newline that ends it.
    pub(crate) async fn line(&self, bytes: Bytes, patience: Duration) -> Result<(), Failure> {
        self.queue(bytes, Kind::Line, patience).await
    }

    /// Writes exactly these bytes.
    pub(crate) async fn raw(&self, bytes: Bytes, patience: Duration) -> Result<(), Failure> {
        self.queue(bytes, Kind::Raw, patience).await
    }

    /// Closes the pipe. Queued messages are written first, if that succeeds within `patience`.
    pub(crate) async fn close(&self, patience: Duration) {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut writer = self.writer.lock().await;
        if tokio::time::timeout(patience, writer.finished()).await.is_err() {
            *writer = Task::spawn(async {});
        }
    }

    async fn queue(&self, bytes: Bytes, kind: Kind, patience: Duration) -> Result<(), Failure> {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let gone = || Failure::closed("writing", "its input is closed");
        let sender = sender.ok_or_else(gone)?;
        let (done, written) = oneshot::channel();
        let attempt = async {
            sender.send(Outgoing { bytes, kind, done }).await.map_err(|_| gone())?;
            match written.await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(why)) => Err(Failure::closed("writing", why.to_string())),
                Err(_) => Err(gone()),
            }
        };
        let late = |_| Failure::timed_out("a message that it does not read from its input", patience);
        tokio::time::timeout(patience, attempt).await.map_err(late)?
    }
}

impl Answers {
    /// Sends an answer, unless the target does not read or the pipe is closed.
    pub(crate) fn line(&self, bytes: Bytes) {
        if let Some(sender) = self.0.upgrade() {
            let (done, _) = oneshot::channel();
            // The queue is full when the target does not read. Then it gets no answer.
            let _ = sender.try_send(Outgoing { bytes, kind: Kind::Answer, done });
        }
    }
}

async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut queue: mpsc::Receiver<Outgoing>,
    record: BoundedRecorder,
) {
    let mut begun = BytesMut::new();
    let mut held = VecDeque::new();
    loop {
        let next = if begun.is_empty() { held.pop_front() } else { None };
        let next = match next {
            Some(answer) => Some(answer),
            None => queue.recv().await,
        };
        let Some(Outgoing { bytes, kind, done }) = next else { break };
        let newline: &[u8] = match kind {
            Kind::Answer if !begun.is_empty() => {
                held.push_back(Outgoing { bytes, kind, done });
                continue;
            }
            Kind::Line | Kind::Answer => {
                record.record_sent(What::Message, 0, bytes.clone());
                b"\n"
            }
            Kind::Raw => {
                begun.extend_from_slice(&bytes);
                record_lines(&mut begun, &record);
                b""
            }
        };
        let written = async {
            output.write_all(&bytes).await?;
            output.write_all(newline).await?;
            output.flush().await
        };
        let result = written.await;
        let failed = result.is_err();
        // The caller may no longer wait.
        let _ = done.send(result);
        if failed {
            break;
        }
    }
    if !begun.is_empty() {
        record.record_sent(What::Noise, 0, begun.freeze());
    }
    // The reader may have gone first; then nothing is left to close.
    let _ = output.shutdown().await;
}

/// Records raw bytes as the lines that the target sees. An unfinished line stays in the buffer.
fn record_lines(begun: &mut BytesMut, record: &BoundedRecorder) {
    while let Some(at) = begun.iter().position(|b| *b == b'\n') {
        let line = begun.split_to(at + 1).freeze();
        let is_message = Payload::parse(&line).is_ok();
        record.record_sent(if is_message { What::Message } else { What::Noise }, 0, line);
    }
}
