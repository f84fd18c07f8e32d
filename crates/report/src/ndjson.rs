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
    Spoken { protocol: Version },
    Absent { protocol: Version, why: &'a str },
    Unsettled { protocol: Version, why: &'a str },
    Began { protocol: Version, cases: usize },
    Finished { case: &'a CaseReport },
    Surveyed { protocol: Version, survey: Survey },
    Interrupted,
    Ended { verdict: Conclusion, counts: Counts, took_ms: u64 },
}

/// A line, as it is read.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum Read {
    Reached { schema_version: u32, target: Box<TargetReport> },
    Unreached { schema_version: u32, target: Box<TargetReport>, why: String },
    Spoken { protocol: Version },
    Absent { protocol: Version, why: String },
    Unsettled { protocol: Version, why: String },
    Began { protocol: Version, cases: usize },
    Finished { case: Box<CaseReport> },
    Surveyed { protocol: Version, survey: Survey },
    Interrupted,
    Ended { took_ms: u64 },
}

/// Writes every event on a line of its own, at once.
#[derive(Debug)]
pub struct Stream<W> {
    out: W,
    /// What has been told so far, without the cases.
    told: Report,
}

impl<W: Write> Stream<W> {
    /// A stream into `out`.
    pub fn new(out: W) -> Self {
        Self { out, told: Report::default() }
    }

    /// Writes the event, and makes sure that it arrives before the next one happens.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let line = match event {
            Event::Reached(target) => {
                self.told = Report::default();
                Line::Reached { schema_version: SCHEMA_VERSION, tool: TOOL, target }
            }
            Event::Unreached { target, why } => {
                self.told = Report { unreached: Some(why.clone()), ..Report::default() };
                Line::Unreached { schema_version: SCHEMA_VERSION, tool: TOOL, target, why }
            }
            Event::Spoken { version } => Line::Spoken { protocol: *version },
            Event::Absent { version, why } => Line::Absent { protocol: *version, why },
            Event::Unsettled { version, why } => {
                self.told.add(event);
                Line::Unsettled { protocol: *version, why }
            }
            Event::Interrupted => {
                self.told.interrupted = true;
                Line::Interrupted
            }
            Event::Began { version, cases } => Line::Began { protocol: *version, cases: *cases },
            Event::Finished(case) => {
                self.told.counts.add(case.outcome);
                Line::Finished { case }
            }
            Event::Surveyed { version, survey } => Line::Surveyed { protocol: *version, survey: *survey },
            Event::Ended { took } => {
                let (verdict, counts) = (self.told.verdict(), self.told.counts);
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
    let target = report.target.clone();
    let mut events = vec![match report.unreached.clone() {
        Some(why) => Event::Unreached { target, why },
        None => Event::Reached(target),
    }];
    for unsettled in &report.unsettled {
        events.push(Event::Unsettled { version: unsettled.protocol, why: unsettled.why.clone() });
    }
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
    events.extend(report.interrupted.then_some(Event::Interrupted));
    events.push(Event::Ended { took: std::time::Duration::from_millis(report.took_ms) });
    events
}
