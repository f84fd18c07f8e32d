//! Events that are written while they happen.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Stdout, Write};

use anyhow::Context as _;
use report::ndjson::Stream;
use suite::Event;

use crate::format::{self, Format, Wanted};

/// Every place that wants events.
#[derive(Debug)]
pub(crate) struct Streams {
    open: Vec<Stream<Out>>,
    /// The run that is told of just now; the others wait for its end.
    run: usize,
    held: HashMap<usize, Vec<Event>>,
    /// The first thing that went wrong; the run goes on, and it is told at its end.
    failed: Option<io::Error>,
}

/// Where events go.
#[derive(Debug)]
enum Out {
    Stdout(Stdout),
    File(File),
}

impl Streams {
    /// Opens all that are wanted.
    pub(crate) fn open(wanted: &[Wanted]) -> anyhow::Result<Self> {
        let mut open = Vec::new();
        for place in wanted.iter().filter(|place| place.format == Format::Ndjson) {
            open.push(Stream::new(match &place.file {
                Some(file) => Out::File(format::create(file)?),
                None => Out::Stdout(io::stdout()),
            }));
        }
        Ok(Self { open, run: 0, held: HashMap::new(), failed: None })
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
        for stream in &mut self.open {
            if let Err(error) = stream.event(event)
                && self.failed.is_none()
                && error.kind() != io::ErrorKind::BrokenPipe
            {
                self.failed = Some(error);
            }
        }
    }

    /// What went wrong, if anything did.
    pub(crate) fn end(self) -> anyhow::Result<()> {
        self.failed.map_or(Ok(()), Err).context("the events could not be written")
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
