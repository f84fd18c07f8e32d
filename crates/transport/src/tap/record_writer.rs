//! Writes the record, on a thread of its own.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use wire::recording::{About, Medium, RecordedSession, write};

use super::note::{Backlog, MAX_WAITING_BYTES, QueuedNote, RecordSender};
use super::redact::Redactor;
use super::session_assembler::{NO_SESSION, SessionAssembler, SessionEntry};

/// How long the last lines may take. A disk that hangs must not keep the session from ending.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// The options of a writer.
pub struct RecordOptions {
    /// Where the lines go; each is written as soon as it is known.
    pub sink: Box<dyn Write + Send>,
    /// Removes secrets.
    pub redactor: Redactor,
    /// The first line.
    pub about: About,
    /// The prefix of the names of sessions. It is unique, so that files can be concatenated.
    pub name: String,
    /// The path that messages are posted to; `None` when the streams of a process are recorded.
    pub endpoint: Option<String>,
    /// Whether the sessions are returned in the end.
    pub keep: bool,
    /// Called once, when the sink fails.
    pub on_failure: Box<dyn FnOnce(io::Error) + Send>,
}

/// Writes the record until it is told to finish.
#[derive(Debug)]
pub struct RecordWriter {
    sender: RecordSender,
    written: oneshot::Receiver<Written>,
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Written {
    /// The sessions, if they were to be kept.
    pub sessions: Vec<RecordedSession>,
    /// Whether everything reached the sink.
    pub complete: bool,
}

impl RecordWriter {
    /// Starts the thread, which writes the first line.
    pub fn start(options: RecordOptions) -> io::Result<Self> {
        let (queue, notes) = mpsc::channel();
        let (done, written) = oneshot::channel();
        let thread = std::thread::Builder::new().name("record-writer".to_owned());
        let backlog = Arc::<Backlog>::default();
        let sender = RecordSender::new(queue, backlog.clone());
        thread.spawn(move || {
            // The receiver is gone when the session has not waited for it.
            let _ = done.send(Writing::new(options, backlog).run(&notes));
        })?;
        Ok(Self { sender, written })
    }

    /// The end that the traffic sends its notes to.
    pub fn sender(&self) -> RecordSender {
        self.sender.clone()
    }

    /// Writes what is left, and returns what was recorded.
    pub async fn finish(self) -> Written {
        self.sender.finish();
        let written = tokio::time::timeout(FINISH_TIMEOUT, self.written).await;
        written.ok().and_then(Result::ok).unwrap_or_default()
    }
}

struct Writing {
    options: RecordOptions,
    on_failure: Option<Box<dyn FnOnce(io::Error) + Send>>,
    assembler: SessionAssembler,
    start: Instant,
    sessions: BTreeMap<usize, RecordedSession>,
    backlog: Arc<Backlog>,
}

impl Writing {
    fn new(mut options: RecordOptions, backlog: Arc<Backlog>) -> Self {
        let on_failure = std::mem::replace(&mut options.on_failure, Box::new(|_| {}));
        let assembler = SessionAssembler::new(options.endpoint.as_deref());
        let sessions = BTreeMap::new();
        Self { options, on_failure: Some(on_failure), assembler, start: Instant::now(), sessions, backlog }
    }

    fn run(mut self, notes: &mpsc::Receiver<Option<QueuedNote>>) -> Written {
        let target = self.options.about.target.take().map(|target| self.options.redactor.text(&target));
        self.options.about.target = target;
        let header = write::header(&self.options.about);
        self.write(&header);
        while let Ok(Some((note, recorded))) = notes.recv() {
            let (at, cost) = (note.at.saturating_duration_since(self.start), note.cost());
            let filed = self.assembler.add_note(note, at);
            self.write_entries(filed);
            self.backlog.remove(cost);
            drop(recorded);
        }
        if self.backlog.is_over() {
            let why = format!("more than {MAX_WAITING_BYTES} bytes waited to be written");
            self.give_up(io::Error::new(io::ErrorKind::TimedOut, why));
        }
        let rest = self.assembler.finish(self.start.elapsed());
        self.write_entries(rest);
        Written { complete: self.on_failure.is_some(), sessions: self.sessions.into_values().collect() }
    }

    fn write_entries(&mut self, filed: Vec<SessionEntry>) {
        let mut lines = Vec::new();
        for SessionEntry { session, medium, entry } in filed {
            let entry = self.options.redactor.entry(entry);
            let name = self.session_name(session, medium, &mut lines);
            lines.extend_from_slice(&write::entry(&name, &entry));
            if self.options.keep
                && let Some(recorded) = self.sessions.get_mut(&session)
            {
                recorded.transcript.entries.push(entry);
            }
        }
        if !lines.is_empty() {
            self.write(&lines);
        }
    }

    /// The name of a session. A line announces it when something new is known.
    fn session_name(&mut self, session: usize, medium: Option<Medium>, lines: &mut Vec<u8>) -> String {
        let name = match session {
            NO_SESSION => format!("{}-aside", self.options.name),
            number => format!("{}-{}", self.options.name, number + 1),
        };
        let known = self.sessions.get(&session).map(|recorded| recorded.medium);
        if known.is_none_or(|known| known != medium) {
            let recorded =
                self.sessions.entry(session).or_insert_with(|| RecordedSession::new(&name, medium, None));
            recorded.medium = medium;
            let told = RecordedSession::new(&name, medium, None);
            lines.extend_from_slice(&write::session_line(&told));
        }
        name
    }

    /// Writes and flushes, so that nothing is lost when this process is killed.
    fn write(&mut self, lines: &[u8]) {
        if self.on_failure.is_none() {
            return;
        }
        let written = self.options.sink.write_all(lines).and_then(|()| self.options.sink.flush());
        if let Err(why) = written {
            self.give_up(why);
        }
    }

    /// Reports once why nothing more is written.
    fn give_up(&mut self, why: io::Error) {
        if let Some(on_failure) = self.on_failure.take() {
            on_failure(why);
        }
    }
}

impl std::fmt::Debug for RecordOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordOptions")
            .field("about", &self.about)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use wire::Direction;

    use super::*;
    use crate::tap::note::Piece;

    /// Takes nothing until whoever may tell it to is gone.
    struct Stuck(mpsc::Receiver<()>);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_sink_that_hangs_ends_the_record_and_not_the_traffic() {
        let (release, stuck) = mpsc::channel();
        let (told, on_failure) = mpsc::channel();
        let writer = RecordWriter::start(RecordOptions {
            sink: Box::new(Stuck(stuck)),
            redactor: Redactor::default(),
            about: About::default(),
            name: "stuck".to_owned(),
            endpoint: None,
            keep: false,
            on_failure: Box::new(move |why| drop(told.send(why.to_string()))),
        })
        .unwrap();
        let sender = writer.sender();
        let piece = Bytes::from(vec![b' '; MAX_WAITING_BYTES / 8]);
        let notes = (0..20).map(|_| sender.note(Direction::ToClient, 0, Piece::Head(piece.clone())));
        let last = notes.last().unwrap();
        assert!(
            (MAX_WAITING_BYTES / 2..=MAX_WAITING_BYTES).contains(&sender.backlog.bytes()),
            "{}",
            sender.backlog.bytes()
        );
        tokio::time::timeout(Duration::from_millis(500), last).await.expect("what is lost is not waited for");
        drop(release);
        assert!(!writer.finish().await.complete);
        assert!(on_failure.recv().unwrap().contains("waited to be written"));
        assert_eq!(sender.backlog.bytes(), 0);
    }
}
