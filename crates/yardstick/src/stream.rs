//! Events that are written while they happen.

use std::collections::HashMap;
use std::io::{self, Stdout, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use report::ndjson::Stream;
use suite::Event;

use crate::files::{NewFile, Readers, unwritable, unwritten};
use crate::format::{Format, Wanted};
use crate::terminal;

/// Every place that wants events.
#[derive(Debug)]
pub(crate) struct Streams {
    open: Vec<Place>,
    /// The run that is told of just now; the others wait for its end.
    run: usize,
    held: HashMap<usize, Vec<Event>>,
}

/// One of them.
#[derive(Debug)]
struct Place {
    /// Where it is, when it is a file.
    file: Option<PathBuf>,
    stream: Stream<Out>,
    /// The first thing that went wrong; the run goes on, and it is told at its end.
    failed: Option<io::Error>,
}

/// Where events go.
#[derive(Debug)]
enum Out {
    Stdout(Stdout),
    File(NewFile),
}

impl Streams {
    /// Opens all that are wanted.
    pub(crate) fn open(wanted: &[Wanted]) -> anyhow::Result<Self> {
        let mut open = Vec::new();
        for place in wanted.iter().filter(|place| place.format == Format::Ndjson) {
            let out = match &place.file {
                Some(file) => {
                    let created = NewFile::create(file, Readers::Usual);
                    Out::File(created.map_err(|error| unwritable(file, &error))?)
                }
                None => Out::Stdout(terminal::data()),
            };
            open.push(Place { file: place.file.clone(), stream: Stream::new(out), failed: None });
        }
        Ok(Self { open, run: 0, held: HashMap::new() })
    }

    /// Takes note of an event of one of the runs, which are told of one after the other.
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

    /// Gives every file its name, and says what went wrong, if anything did.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        // One that fails is no reason to leave the others unfinished.
        let finished: Vec<_> = self.open.into_iter().map(Place::finish).collect();
        finished.into_iter().collect()
    }
}

impl Place {
    fn finish(self) -> anyhow::Result<()> {
        let out = self.stream.into_inner();
        let finished = match (self.failed, out) {
            (Some(error), _) => Err(error),
            (None, Out::File(file)) => file.finish(),
            (None, Out::Stdout(mut out)) => out.flush(),
        };
        match (finished, self.file) {
            (Err(error), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            (Err(error), Some(file)) => Err(unwritten(Path::new(&file), &error)),
            (finished, _) => finished.context("the events could not be written to stdout"),
        }
    }
}

impl Write for Out {
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
