//! What happens, as it happens: one JSON object a line.

use std::io::{self, Write};

use protocol::Version;
use serde::{Deserialize, Serialize};
use suite::{
    CaseReport, Conclusion, Counts, Event, Report, RevisionReport, ServerName, Survey, TargetReport,
    ViewedApp,
};

use crate::Collection;
use crate::json::{SCHEMA_VERSION, TOOL};

/// A line, as it is written.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum WrittenLine<'a> {
    Reached {
        schema_version: u32,
        tool: crate::json::ReportingTool,
        target: &'a TargetReport,
    },
    Unreached {
        schema_version: u32,
        tool: crate::json::ReportingTool,
        target: &'a TargetReport,
        why: &'a str,
    },
    Spoken {
        protocol: Version,
        server: &'a ServerName,
    },
    Absent {
        protocol: Version,
        why: &'a str,
    },
    Unsettled {
        protocol: Version,
        why: &'a str,
    },
    Began {
        protocol: Version,
        cases: usize,
    },
    Finished {
        case: &'a CaseReport,
    },
    Viewed {
        app: &'a ViewedApp,
    },
    Surveyed {
        protocol: Version,
        survey: Survey,
    },
    #[serde(rename = "unused-entry")]
    UnusedEntry {
        entry: &'a str,
        why: &'a str,
    },
    Interrupted,
    Ended {
        verdict: Conclusion,
        counts: Counts,
        revisions: Vec<RevisionReport>,
        took_ms: u64,
    },
}

/// A line, as it is read.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum ReadLine {
    Reached {
        schema_version: u32,
        target: Box<TargetReport>,
    },
    Unreached {
        schema_version: u32,
        target: Box<TargetReport>,
        why: String,
    },
    Spoken {
        protocol: Version,
        #[serde(default)]
        server: ServerName,
    },
    Absent {
        protocol: Version,
        why: String,
    },
    Unsettled {
        protocol: Version,
        why: String,
    },
    Began {
        protocol: Version,
        cases: usize,
    },
    Finished {
        case: Box<CaseReport>,
    },
    Viewed {
        app: Box<ViewedApp>,
    },
    Surveyed {
        protocol: Version,
        survey: Survey,
    },
    #[serde(rename = "unused-entry")]
    UnusedEntry {
        entry: String,
        why: String,
    },
    Interrupted,
    Ended {
        took_ms: u64,
    },
}

/// Writes every event on a line of its own, at once.
#[derive(Debug)]
pub struct EventWriter<W> {
    out: W,
    /// The report of the events so far, without the texts of the cases.
    report: Report,
}

impl<W: Write> EventWriter<W> {
    /// A writer of events into `out`.
    pub fn new(out: W) -> Self {
        Self { out, report: Report::default() }
    }

    /// Writes and flushes an event.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        if matches!(event, Event::Reached(_) | Event::Unreached { .. }) {
            self.report = Report::default();
        }
        match event {
            Event::Finished(case) => self.report.add(&Event::Finished(without_texts(case))),
            other => self.report.add(other),
        }
        let line = match event {
            Event::Reached(target) => {
                WrittenLine::Reached { schema_version: SCHEMA_VERSION, tool: TOOL, target }
            }
            Event::Unreached { target, why } => {
                WrittenLine::Unreached { schema_version: SCHEMA_VERSION, tool: TOOL, target, why }
            }
            Event::Spoken { version, server } => WrittenLine::Spoken { protocol: *version, server },
            Event::Absent { version, why } => WrittenLine::Absent { protocol: *version, why },
            Event::Unsettled { version, why } => WrittenLine::Unsettled { protocol: *version, why },
            Event::UnusedEntry { entry, why } => WrittenLine::UnusedEntry { entry, why },
            Event::Interrupted => WrittenLine::Interrupted,
            Event::Began { version, cases } => WrittenLine::Began { protocol: *version, cases: *cases },
            Event::Finished(case) => WrittenLine::Finished { case },
            Event::Viewed(app) => WrittenLine::Viewed { app },
            Event::Surveyed { version, survey } => {
                WrittenLine::Surveyed { protocol: *version, survey: *survey }
            }
            Event::Ended { .. } => WrittenLine::Ended {
                verdict: self.report.verdict(),
                counts: self.report.counts,
                revisions: self.report.revisions(),
                took_ms: self.report.took_ms,
            },
        };
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        self.out.write_all(&text)?;
        self.out.flush()
    }

    /// The writer that the events went to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// As much of a case as a verdict needs.
fn without_texts(case: &CaseReport) -> CaseReport {
    CaseReport {
        check: case.check.clone(),
        transport: case.transport.clone(),
        because: case.because.clone(),
        subject: case.subject.clone(),
        section: String::new(),
        title: String::new(),
        expected: None,
        actual: None,
        known: None,
        frames: Vec::new(),
        why: String::new(),
        fix: String::new(),
        spec: Vec::new(),
        aliases: Vec::new(),
        ..*case
    }
}

/// A finished report as the events that would have made it.
pub fn render(report: &Report) -> String {
    let mut stream = EventWriter::new(Vec::new());
    for event in events(report) {
        // Writing to memory cannot fail.
        let _ = stream.event(&event);
    }
    String::from_utf8(stream.into_inner()).unwrap_or_default()
}

/// The events of every target, one after the other.
pub fn render_all(collection: &Collection) -> String {
    collection.reports().iter().map(render).collect()
}

fn events(report: &Report) -> Vec<Event> {
    let target = report.target.clone();
    let mut events = vec![match report.unreached.clone() {
        Some(why) => Event::Unreached { target, why },
        None => Event::Reached(target),
    }];
    events.extend(report.viewed.iter().cloned().map(Event::Viewed));
    for unsettled in &report.unsettled {
        events.push(Event::Unsettled { version: unsettled.protocol, why: unsettled.why.clone() });
    }
    let planned = report.planned.iter().map(|planned| planned.protocol);
    let mut versions: Vec<_> = report.cases.iter().map(|case| case.protocol).chain(planned).collect();
    versions.sort_unstable();
    versions.dedup();
    let newest = versions.last().copied();
    for version in versions {
        let cases: Vec<_> = report.cases.iter().filter(|case| case.protocol == version).collect();
        let planned = report.planned.iter().filter(|planned| planned.protocol == version);
        let planned: usize = planned.map(|planned| planned.cases).sum();
        events.push(Event::Began { version, cases: planned.max(cases.len()) });
        events.extend(cases.into_iter().cloned().map(Event::Finished));
    }
    let surveyed = newest.zip(report.survey);
    events.extend(surveyed.map(|(version, survey)| Event::Surveyed { version, survey }));
    let unused = report.unused_entries.iter();
    events.extend(unused.map(|it| Event::UnusedEntry { entry: it.entry.clone(), why: it.why.clone() }));
    events.extend(report.interrupted.then_some(Event::Interrupted));
    events.push(Event::Ended { took: std::time::Duration::from_millis(report.took_ms) });
    events
}
