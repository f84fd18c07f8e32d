//! Events that are written while they happen.

use std::collections::HashMap;
use std::io::{self, Stdout, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use report::ndjson::EventWriter;
use suite::Event;

use crate::files::{NewFile, Readers, unwritable, unwritten};
use crate::format::{Format, RequestedReport};
use crate::terminal;

/// All files and streams that events are written to.
#[derive(Debug)]
pub(crate) struct EventFiles {
    open: Vec<EventFile>,
    /// The run whose events are written now. The events of other runs are held until it ends.
    run: usize,
    held: HashMap<usize, Vec<Event>>,
}

/// One file or stream.
#[derive(Debug)]
struct EventFile {
    /// Where it is, when it is a file.
    file: Option<PathBuf>,
    stream: EventWriter<EventSink>,
    /// The first error; the run goes on, and the error is reported at its end.
    failed: Option<io::Error>,
}

/// Where events go.
#[derive(Debug)]
enum EventSink {
    Stdout(Stdout),
    File(NewFile),
}

impl EventFiles {
    /// Opens all places that the user named.
    pub(crate) fn open(wanted: &[RequestedReport]) -> anyhow::Result<Self> {
        let mut open = Vec::new();
        for place in wanted.iter().filter(|place| place.format == Format::Ndjson) {
            let out = match &place.file {
                Some(file) => {
                    let created = NewFile::create(file, Readers::Usual);
                    EventSink::File(created.map_err(|error| unwritable(file, &error))?)
                }
                None => EventSink::Stdout(terminal::data()),
            };
            open.push(EventFile { file: place.file.clone(), stream: EventWriter::new(out), failed: None });
        }
        Ok(Self { open, run: 0, held: HashMap::new() })
    }

    /// Writes an event of one of the runs, or holds it: the runs are written one after the other.
    pub(crate) fn event(&mut self, run: usize, event: &Event) {
        if run != self.run {
            return self.held.entry(run).or_default().push(event.clone());
        }
        self.write(event);
        if matches!(event, Event::Ended { .. }) {
            self.run += 1;
            for event in self.held.remove(&self.run).unwrap_or_default() {
                self.event(self.run, &event);
            }
        }
    }

    /// Writes an event everywhere.
    fn write(&mut self, event: &Event) {
        for place in self.open.iter_mut().filter(|place| place.failed.is_none()) {
            place.failed = place.stream.event(event).err();
        }
    }

    /// Finishes all files, and returns the first error.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        // All are finished, even if one fails.
        let finished: Vec<_> = self.open.into_iter().map(EventFile::finish).collect();
        finished.into_iter().collect()
    }
}

impl EventFile {
    fn finish(self) -> anyhow::Result<()> {
        let out = self.stream.into_inner();
        let finished = match (self.failed, out) {
            (Some(error), _) => Err(error),
            (None, EventSink::File(file)) => file.finish(),
            (None, EventSink::Stdout(mut out)) => out.flush(),
        };
        match (finished, self.file) {
            (Err(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            (Err(error), Some(file)) => Err(unwritten(Path::new(&file), &error)),
            (finished, _) => finished.context("the events could not be written to stdout"),
        }
    }
}

impl Write for EventSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(out) => out.flush(),
        }
    }
}
