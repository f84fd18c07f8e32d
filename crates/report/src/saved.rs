//! Reads a saved run, from JSON or NDJSON.

use std::time::Duration;

use serde_json::Value;
use suite::{Counts, Event, Report};

use thiserror::Error;

use crate::Collection;
use crate::json::SCHEMA_VERSION;
use crate::ndjson::ReadLine;

/// Why a file is not a saved run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnreadableReport {
    /// Nothing in it.
    #[error("the file is empty; was the run stopped before it reached its target?")]
    Empty,
    /// No JSON, or not to its end.
    #[error("line {line} is not JSON: {why}")]
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// What the parser says.
        why: String,
    },
    /// JSON of something else.
    #[error("it is JSON, but no report of `yardstick check --format json` or `--format ndjson`: {0}")]
    NotOurs(String),
    /// Of a later version.
    #[error("it has schema version {0}, and this is version {SCHEMA_VERSION}; use a newer yardstick")]
    Newer(u64),
    /// Events without an end.
    #[error("the run did not end: its last event is missing")]
    CutOff,
}

/// The reports in `text`: several when several targets were measured.
pub fn parse_saved(text: &str) -> Result<Collection, UnreadableReport> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(UnreadableReport::Empty);
    }
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    match serde_json::from_str::<Value>(first) {
        Ok(event) if event.get("event").is_some() => events(text),
        Ok(_) | Err(_) => document(text),
    }
}

fn document(text: &str) -> Result<Collection, UnreadableReport> {
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| UnreadableReport::NotJson { line: error.line(), why: error.to_string() })?;
    let reports = match value.get_mut("reports").map(Value::take) {
        Some(Value::Array(reports)) => {
            schema_version(&value)?;
            reports
        }
        Some(_) | None => vec![value],
    };
    Ok(Collection::new(reports.into_iter().map(report).collect::<Result<Vec<_>, _>>()?))
}

fn report(value: Value) -> Result<Report, UnreadableReport> {
    schema_version(&value)?;
    let mut report: Report =
        serde_json::from_value(value).map_err(|error| UnreadableReport::NotOurs(error.to_string()))?;
    // Counted again, because somebody may have edited the file.
    report.counts = Counts::count(report.cases.iter().map(|case| case.outcome));
    Ok(report)
}

fn schema_version(value: &Value) -> Result<(), UnreadableReport> {
    match value.get("schemaVersion").map(Value::as_u64) {
        Some(Some(version)) => supported(version),
        Some(None) | None => Err(UnreadableReport::NotOurs("there is no `schemaVersion`".to_owned())),
    }
}

/// There may be several runs in one file.
fn events(text: &str) -> Result<Collection, UnreadableReport> {
    let mut runs = Vec::new();
    let mut run: Option<Report> = None;
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let event = event(line, at + 1)?;
        if matches!(event, Event::Reached(_) | Event::Unreached { .. }) && run.is_some() {
            return Err(UnreadableReport::CutOff);
        }
        let current = run.get_or_insert_default();
        current.add(&event);
        if matches!(event, Event::Ended { .. }) {
            runs.extend(run.take());
        }
    }
    if run.is_some() { Err(UnreadableReport::CutOff) } else { Ok(Collection::new(runs)) }
}

fn event(line: &str, number: usize) -> Result<Event, UnreadableReport> {
    let value: Value = serde_json::from_str(line)
        .map_err(|error| UnreadableReport::NotJson { line: number, why: error.to_string() })?;
    let read: ReadLine = serde_json::from_value(value)
        .map_err(|error| UnreadableReport::NotOurs(format!("line {number}: {error}")))?;
    Ok(match read {
        ReadLine::Reached { schema_version, target } => {
            supported(schema_version.into())?;
            Event::Reached(*target)
        }
        ReadLine::Unreached { schema_version, target, why } => {
            supported(schema_version.into())?;
            Event::Unreached { target: *target, why }
        }
        ReadLine::Spoken { protocol, server } => Event::Spoken { version: protocol, server },
        ReadLine::Absent { protocol, why } => Event::Absent { version: protocol, why },
        ReadLine::Unsettled { protocol, why } => Event::Unsettled { version: protocol, why },
        ReadLine::UnusedEntry { entry, why } => Event::UnusedEntry { entry, why },
        ReadLine::Interrupted => Event::Interrupted,
        ReadLine::Began { protocol, cases } => Event::Began { version: protocol, cases },
        ReadLine::Finished { case } => Event::Finished(*case),
        ReadLine::Viewed { app } => Event::Viewed(*app),
        ReadLine::Surveyed { protocol, survey } => Event::Surveyed { version: protocol, survey },
        ReadLine::Ended { took_ms } => Event::Ended { took: Duration::from_millis(took_ms) },
    })
}

fn supported(version: u64) -> Result<(), UnreadableReport> {
    if version > u64::from(SCHEMA_VERSION) { Err(UnreadableReport::Newer(version)) } else { Ok(()) }
}
