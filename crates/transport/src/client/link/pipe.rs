//! Newline-delimited messages over a pair of byte streams: a process, or a pipe within this one.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::time::Instant;
use wire::{Line, Lines, What};

use super::outbox::{Answers, Outbox};
use super::{Child, ProcessEnd, Task};
use crate::client::bounded_recorder::BoundedRecorder;
use crate::client::failure::Stderr;
use crate::client::responder::Responder;
use crate::client::route::Router;
use crate::client::{Failure, Limits, Message, Target};

/// A pipe is a flood after this many times the limit of a message, discarded bytes included.
const FLOOD_FACTOR: usize = 12;
/// How long each step of the shutdown may take for a process that floods.
const FLOOD_SHUTDOWN_STEP: Duration = Duration::from_millis(50);

/// Tells how a stream ended, and the last lines of stderr.
pub(crate) type Ending = Pin<Box<dyn Future<Output = (String, Stderr)> + Send>>;

/// The client's end of a pipe.
#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) router: Arc<Router>,
    outbox: Outbox,
    child: Option<Child>,
    _reader: Task,
}

/// How a pipe ended.
#[derive(Debug)]
pub(crate) enum PipeEnd {
    Process(ProcessEnd),
    InProcess { ended: bool, took: Duration },
}

impl Pipe {
    /// Starts the command, or connects within the process; `None` for a URL.
    pub(crate) fn open(
        target: &Target,
        limits: &Limits,
        record: &BoundedRecorder,
        responder: Responder,
    ) -> Option<Result<Self, Failure>> {
        match target {
            Target::Command(program) => Some(Child::spawn(program, record).map(|(child, stdin, stdout)| {
                let ending = child.ending();
                Self::over(stdout, stdin, Some(child), ending, limits, record, responder)
            })),
            Target::InProcess(dial) => {
                let (input, output) = tokio::io::split(dial.dial());
                let ending: Ending = Box::pin(async { ("it closed the pipe".into(), Stderr::default()) });
                Some(Ok(Self::over(input, output, None, ending, limits, record, responder)))
            }
            Target::Url(_) => None,
        }
    }

    fn over(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        child: Option<Child>,
        ending: Ending,
        limits: &Limits,
        record: &BoundedRecorder,
        responder: Responder,
    ) -> Self {
        let router = Arc::new(Router::default());
        let (outbox, answers) = Outbox::new(output, record.clone());
        let reader = Reader { router: Arc::clone(&router), record: record.clone(), responder, answers };
        let message = limits.run.session_bound(limits.message);
        let room = message.saturating_mul(FLOOD_FACTOR).max(limits.traffic);
        let reader = Task::spawn(reader.run(input, message, room, ending));
        Self { router, outbox, child, _reader: reader }
    }

    /// Writes one message and its newline.
    pub(crate) async fn line(&self, bytes: Bytes, patience: Duration) -> Result<(), Failure> {
        let result = self.outbox.line(bytes, patience).await;
        self.explain_failed_write(result).await
    }

    /// Writes exactly these bytes.
    pub(crate) async fn raw(&self, bytes: Bytes, patience: Duration) -> Result<(), Failure> {
        let result = self.outbox.raw(bytes, patience).await;
        self.explain_failed_write(result).await
    }

    /// The last lines of stderr.
    pub(crate) fn stderr_tail(&self) -> Stderr {
        self.child.as_ref().map(Child::stderr_tail).unwrap_or_default()
    }

    /// The process id, if there is a process.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.as_ref().and_then(Child::pid)
    }

    /// Waits until the process has ended; `None` where there is no process.
    pub(crate) fn exited(&self) -> Option<impl Future<Output = ()> + Send + 'static + use<>> {
        self.child.as_ref().map(Child::exited)
    }

    /// Shuts it down in order.
    pub(crate) async fn close(&self, step: Duration) -> PipeEnd {
        let start = Instant::now();
        // A target that floods is no longer read, and cannot end in order.
        let is_flooded = matches!(self.router.ended(), Some(Failure::Flooded { .. }));
        let step = if is_flooded { step.min(FLOOD_SHUTDOWN_STEP) } else { step };
        let before = self.child.as_ref().and_then(Child::status);
        self.outbox.close(step).await;
        match &self.child {
            Some(child) => {
                let mut end = child.shut_down(before, step).await;
                end.took = start.elapsed();
                PipeEnd::Process(end)
            }
            None => {
                let ended = self.ended_within(step).await;
                PipeEnd::InProcess { ended, took: start.elapsed() }
            }
        }
    }

    /// When the process has ended, reports that instead of the failed write.
    async fn explain_failed_write(&self, result: Result<(), Failure>) -> Result<(), Failure> {
        let Err(failure) = result else { return Ok(()) };
        if matches!(failure, Failure::Closed { .. }) && self.ended_within(Duration::from_millis(500)).await {
            return Err(self.router.ended().unwrap_or(failure));
        }
        Err(failure.with_stderr(self.stderr_tail()))
    }

    async fn ended_within(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while self.router.ended().is_none() {
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        true
    }
}

/// Reads lines, records them, routes them, and answers requests.
struct Reader {
    router: Arc<Router>,
    record: BoundedRecorder,
    responder: Responder,
    answers: Answers,
}

impl Reader {
    async fn run(self, mut input: impl AsyncRead + Unpin, limit: usize, room: usize, ending: Ending) {
        let mut lines = Lines::new(limit);
        let flooded = self.read_lines(&mut input, &mut lines, room).await.err();
        let unterminated = lines.finish();
        if let Some(Line::Unterminated(rest) | Line::Whole(rest) | Line::Overlong(rest)) =
            unterminated.clone()
        {
            self.router.note_line(&rest);
            // The stream has ended, so hitting a bound now changes nothing.
            let _ = self.record.record_received(What::Noise, 0, rest);
        }
        let why = match flooded {
            Some(failure) => failure,
            None => {
                let (mut how, stderr) = ending.await;
                if unterminated.is_some() {
                    how.push_str("; its last line had no newline");
                }
                self.record.record_end(0, &how);
                let closed = Failure::closed("a message was expected", how);
                closed.with_stdout(self.router.unanswered_output()).with_stderr(stderr)
            }
        };
        self.router.end(why);
    }

    async fn read_lines(
        &self,
        input: &mut (impl AsyncRead + Unpin),
        lines: &mut Lines,
        mut room: usize,
    ) -> Result<(), Failure> {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = input.read(&mut buffer).await {
            // Discarded bytes count, too.
            room = room.checked_sub(count).ok_or_else(|| self.record.note_flood())?;
            lines.push(&buffer[..count]);
            while let Some(line) = lines.next() {
                self.line(line)?;
            }
        }
        Ok(())
    }

    fn line(&self, line: Line) -> Result<(), Failure> {
        match line {
            Line::Whole(bytes) | Line::Unterminated(bytes) if bytes.trim_ascii().is_empty() => {
                self.record.record_received(What::Noise, 0, bytes)
            }
            Line::Whole(bytes) | Line::Unterminated(bytes) => {
                self.router.note_line(&bytes);
                self.record.record_received(What::Message, 0, bytes.clone())?;
                let message = Message::plain(bytes, 0);
                match message.payload() {
                    Ok(_) => self.message(&message),
                    Err(why) => {
                        self.router.note_noise(&message.bytes, why);
                        Ok(())
                    }
                }
            }
            Line::Overlong(bytes) => {
                // Only the beginning is recorded: the bound exists to keep out the rest.
                self.record.record_received(
                    What::Noise,
                    0,
                    Bytes::copy_from_slice(&bytes[..bytes.len().min(crate::MAX_EVIDENCE_BYTES)]),
                )?;
                self.router.note_overlong();
                Ok(())
            }
        }
    }

    fn message(&self, message: &Message) -> Result<(), Failure> {
        self.router.route(message);
        for answer in self.responder.answers(message) {
            self.record.count_answer(&answer)?;
            self.answers.line(answer);
        }
        Ok(())
    }
}
