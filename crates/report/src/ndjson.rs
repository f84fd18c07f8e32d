//! What happens, as it happens: one JSON object a line.

use std::io::{self, Write};

use protocol::Version;
use serde::{Deserialize, Serialize};
use suite::{CaseReport, Conclusion, Counts, Event, Report, Survey, TargetReport};

use crate::json::{SCHEMA_VERSION, TOOL};

/// A line, as it is written.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum Line<'a> {
    Reached { schema_version: u32, tool: crate::json::Tool, target: &'a TargetReport },
    Unreached { schema_version: u32, tool: crate::json::Tool, target: &'a TargetReport, why: &'a str },
    Began { protocol: Version, cases: usize },
    Finished { case: &'a CaseReport },
    Surveyed { protocol: Version, survey: Survey },
    Ended { verdict: Conclusion, counts: Counts, took_ms: u64 },
}

/// A line, as it is read.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum Read {
    Reached { schema_version: u32, target: Box<TargetReport> },
    Unreached { schema_version: u32, target: Box<TargetReport>, why: String },
    Began { protocol: Version, cases: usize },
    Finished { case: Box<CaseReport> },
    Surveyed { protocol: Version, survey: Survey },
    Ended { took_ms: u64 },
}

/// Writes every event on a line of its own, at once.
#[derive(Debug)]
pub struct Stream<W> {
    out: W,
    counts: Counts,
}

impl<W: Write> Stream<W> {
    /// A stream into `out`.
    pub fn new(out: W) -> Self {
        Self { out, counts: Counts::default() }
    }

    /// Writes the event, and makes sure that it arrives before the next one happens.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let line = match event {
            Event::Reached(target) => {
                self.counts = Counts::default();
                Line::Reached { schema_version: SCHEMA_VERSION, tool: TOOL, target }
            }
            Event::Unreached { target, why } => {
                self.counts = Counts::default();
                Line::Unreached { schema_version: SCHEMA_VERSION, tool: TOOL, target, why }
            }
            Event::Began { version, cases } => Line::Began { protocol: *version, cases: *cases },
            Event::Finished(case) => {
                self.counts.add(case.outcome);
                Line::Finished { case }
            }
            Event::Surveyed { version, survey } => Line::Surveyed { protocol: *version, survey: *survey },
            Event::Ended { took } => {
                let counts = self.counts;
                let verdict = Report { counts, ..Report::default() }.verdict();
                let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                Line::Ended { verdict, counts, took_ms }
            }
        };
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        self.out.write_all(&text)?;
        self.out.flush()
    }

    /// Where it went.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// A finished report as the events that would have made it.
pub fn render(report: &Report) -> String {
    let mut stream = Stream::new(Vec::new());
    for event in events(report) {
        // Writing to memory cannot fail.
        let _ = stream.event(&event);
    }
    String::from_utf8(stream.into_inner()).unwrap_or_default()
}

fn events(report: &Report) -> Vec<Event> {
    let mut events = vec![Event::Reached(report.target.clone())];
    let mut versions: Vec<_> = report.cases.iter().map(|case| case.protocol).collect();
    versions.sort_unstable();
    versions.dedup();
    let newest = versions.last().copied();
    for version in versions {
        let cases: Vec<_> = report.cases.iter().filter(|case| case.protocol == version).collect();
        events.push(Event::Began { version, cases: cases.len() });
        events.extend(cases.into_iter().cloned().map(Event::Finished));
    }
    let surveyed = newest.zip(report.survey);
    events.extend(surveyed.map(|(version, survey)| Event::Surveyed { version, survey }));
    events.push(Event::Ended { took: std::time::Duration::from_millis(report.took_ms) });
    events
}
