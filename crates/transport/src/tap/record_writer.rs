//! Writes the record, on a thread of its own.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use wire::recording::{About, Medium, Tape, write};

use super::note::{Noted, Pen};
use super::redact::Redactor;
use super::session_assembler::{ASIDE, Filed, SessionAssembler};

/// How long the last lines may take; a disk that hangs must not keep the session from ending.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a writer works with.
pub struct RecordOptions {
    /// Where the lines go; each is written as soon as it is known.
    pub sink: Box<dyn Write + Send>,
    /// What keeps secrets out.
    pub redactor: Redactor,
    /// The first line.
    pub about: About,
    /// What the names of sessions begin with; unique, so that files can be put together.
    pub name: String,
    /// The path that messages are posted to; none when it is the streams of a process that are recorded.
    pub endpoint: Option<String>,
    /// Whether the sessions are wanted in the end.
    pub keep: bool,
    /// Is told once, when the sink takes no more.
    pub trouble: Box<dyn FnOnce(io::Error) + Send>,
}

/// Writes the record until it is told to finish.
#[derive(Debug)]
pub struct RecordWriter {
    pen: Pen,
    written: oneshot::Receiver<Written>,
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Written {
    /// The sessions, if they were to be kept.
    pub tapes: Vec<Tape>,
    /// Whether all of it reached the sink.
    pub complete: bool,
}

impl RecordWriter {
    /// Begins with the first line.
    pub fn start(desk: RecordOptions) -> io::Result<Self> {
        let (sender, notes) = mpsc::channel();
        let (done, written) = oneshot::channel();
        let thread = std::thread::Builder::new().name("record-writer".to_owned());
        thread.spawn(move || {
            // Nobody waits for it any more when the session has ended without it.
            let _ = done.send(Writing::new(desk).run(&notes));
        })?;
        Ok(Self { pen: Pen(sender), written })
    }

    /// What the traffic writes with.
    pub fn pen(&self) -> Pen {
        self.pen.clone()
    }

    /// Writes what is left, and gives back what was recorded.
    pub async fn finish(self) -> Written {
        // A writer that is gone has given its answer already.
        let _ = self.pen.0.send(None);
        let written = tokio::time::timeout(PATIENCE, self.written).await;
        written.ok().and_then(Result::ok).unwrap_or_default()
    }
}

struct Writing {
    desk: RecordOptions,
    trouble: Option<Box<dyn FnOnce(io::Error) + Send>>,
    assembler: SessionAssembler,
    start: Instant,
    tapes: BTreeMap<usize, Tape>,
}

impl Writing {
    fn new(mut desk: RecordOptions) -> Self {
        let trouble = std::mem::replace(&mut desk.trouble, Box::new(|_| {}));
        let assembler = SessionAssembler::new(desk.endpoint.as_deref());
        let tapes = BTreeMap::new();
        Self { desk, trouble: Some(trouble), assembler, start: Instant::now(), tapes }
    }

    fn run(mut self, notes: &mpsc::Receiver<Option<Noted>>) -> Written {
        let target = self.desk.about.target.take().map(|target| self.desk.redactor.text(&target));
        self.desk.about.target = target;
        let header = write::header(&self.desk.about);
        self.write(&header);
        while let Ok(Some((note, recorded))) = notes.recv() {
            let at = note.at.saturating_duration_since(self.start);
            let filed = self.assembler.take(note, at);
            self.put(filed);
            drop(recorded);
        }
        let rest = self.assembler.finish(self.start.elapsed());
        self.put(rest);
        Written { complete: self.trouble.is_some(), tapes: self.tapes.into_values().collect() }
    }

    fn put(&mut self, filed: Vec<Filed>) {
        let mut lines = Vec::new();
        for Filed { session, medium, entry } in filed {
            let entry = self.desk.redactor.entry(entry);
            let name = self.session(session, medium, &mut lines);
            lines.extend_from_slice(&write::entry(&name, &entry));
            if self.desk.keep
                && let Some(tape) = self.tapes.get_mut(&session)
            {
                tape.transcript.entries.push(entry);
            }
        }
        if !lines.is_empty() {
            self.write(&lines);
        }
    }

    /// The name of a session; a line tells of it when there is something new to tell.
    fn session(&mut self, session: usize, medium: Option<Medium>, lines: &mut Vec<u8>) -> String {
        let name = match session {
            ASIDE => format!("{}-aside", self.desk.name),
            number => format!("{}-{}", self.desk.name, number + 1),
        };
        let known = self.tapes.get(&session).map(|tape| tape.medium);
        if known.is_none_or(|known| known != medium) {
            let tape = self.tapes.entry(session).or_insert_with(|| Tape::new(&name, medium, None));
            tape.medium = medium;
            let told = Tape::new(&name, medium, None);
            lines.extend_from_slice(&write::session(&told));
        }
        name
    }

    /// Written at once and by itself, so that whoever kills this process loses nothing.
    fn write(&mut self, lines: &[u8]) {
        if self.trouble.is_none() {
            return;
        }
        let written = self.desk.sink.write_all(lines).and_then(|()| self.desk.sink.flush());
        if let Err(why) = written
            && let Some(trouble) = self.trouble.take()
        {
            trouble(why);
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
