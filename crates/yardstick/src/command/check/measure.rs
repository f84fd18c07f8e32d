//! The run itself: every server in turn, until all are measured or the user interrupts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::future::join_all;
use protocol::Version;
use report::Collection;
use suite::{Event, Options, Report, SessionSink};
use transport::client::{Target, await_connection};

use super::{CheckRun, interrupted};
use crate::event_files::EventFiles;
use crate::format::{Format, RequestedReport};
use crate::progress::ProgressLine;
use crate::signals::stop_requested;
use crate::target::{ServerUnderTest, TargetUnderTest};

/// The result of a run.
pub(super) struct MeasuredRun {
    /// One report for each server.
    pub(super) reports: Collection,
    pub(super) ending: RunEnding,
    /// Why servers could not be measured at all.
    pub(super) failures: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnding {
    Complete,
    Interrupted,
}

/// One way to reach a server, and what is known of it so far.
struct MeasuredPart<'a> {
    /// Its number among all, which keeps their events apart.
    number: usize,
    subject: &'a TargetUnderTest,
    report: Mutex<Report>,
    /// The revisions that it says it does not speak.
    absent: Mutex<Vec<Version>>,
    ended: AtomicBool,
}

/// What receives the events of all parts.
struct EventConsumers<'a> {
    progress: ProgressLine,
    streams: &'a mut EventFiles,
    failures: Vec<String>,
}

/// Measures all servers. Those that follow an interruption are reported as not measured.
pub(super) async fn measure_all(
    run: &CheckRun,
    servers: &[ServerUnderTest],
    wanted: &[RequestedReport],
    streams: &mut EventFiles,
) -> MeasuredRun {
    let start = Instant::now();
    let human = wanted.iter().any(|place| place.format == Format::Human && place.file.is_none());
    let progress = ProgressLine::new(human, &run.options);
    let seen = Mutex::new(EventConsumers { progress, streams, failures: Vec::new() });
    let parts = parts_of(servers);
    let all = async {
        // One server after the other: in parallel they would slow each other down, and fail checks because of it.
        for parts in &parts {
            join_all(parts.iter().map(|part| measure_part(run, part, &seen))).await;
        }
    };
    // Dropping a run kills its child processes; ending this process would leave them running.
    let ending = tokio::select! {
        () = all => RunEnding::Complete,
        () = stop_requested() => RunEnding::Interrupted,
    };
    if ending == RunEnding::Interrupted {
        for part in parts.iter().flatten().filter(|part| !part.ended.load(Ordering::Relaxed)) {
            let (known, absent) = (lock(&part.report).clone(), lock(&part.absent).clone());
            let (subject, took) = (part.subject, start.elapsed());
            for event in interrupted::remaining_events(&known, &absent, subject, &run.options, took) {
                pass_event(part, &seen, &event);
            }
        }
    }
    let EventConsumers { progress, failures, .. } = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    progress.clear();
    let known = parts.into_iter().flatten().map(|part| part.report);
    let known = known.map(|report| report.into_inner().unwrap_or_else(PoisonError::into_inner));
    MeasuredRun { reports: Collection::new(known), ending, failures }
}

fn parts_of(servers: &[ServerUnderTest]) -> Vec<Vec<MeasuredPart<'_>>> {
    let mut numbers = 0..;
    let mut part = |subject| MeasuredPart {
        number: numbers.next().unwrap_or_default(),
        subject,
        report: Mutex::default(),
        absent: Mutex::default(),
        ended: AtomicBool::default(),
    };
    servers.iter().map(|server| server.subjects.iter().map(&mut part).collect()).collect()
}

/// Measures a server in one of the ways to reach it.
async fn measure_part(run: &CheckRun, part: &MeasuredPart<'_>, seen: &Mutex<EventConsumers<'_>>) {
    let TargetUnderTest { target, arguments, .. } = part.subject;
    if let (Some(limit), Target::Url(endpoint)) = (run.arguments.wait, target) {
        lock(seen).progress.wait_for_connection(target);
        // If the server is still not there, the run finds that out again and reports it.
        let _ = await_connection(endpoint, limit).await;
    }
    lock(seen).progress.wait_for_first_answer(target);
    let options = Options { keep: Some(keep_sessions(run, target)), ..run.options.clone() };
    let measured = suite::run(target, arguments, &options, |event| pass_event(part, seen, event)).await;
    if let Err(failure) = measured {
        lock(seen).failures.push(target.redact(&failure.to_string()).into_owned());
    }
}

/// Passes an event to all consumers.
fn pass_event(part: &MeasuredPart<'_>, seen: &Mutex<EventConsumers<'_>>, event: &Event) {
    lock(&part.report).add(event);
    if let Event::Absent { version, .. } = event {
        lock(&part.absent).push(*version);
    }
    part.ended.fetch_or(matches!(event, Event::Ended { .. }), Ordering::Relaxed);
    let seen = &mut *lock(seen);
    seen.streams.event(part.number, event);
    seen.progress.event(part.number, event);
}

/// Remembers the tools that a session lists, and saves the session if the user asked for that.
fn keep_sessions(run: &CheckRun, target: &Target) -> SessionSink {
    let (save, listed) = (run.record.as_ref().map(|record| record.session_saver(target)), run.listed.clone());
    SessionSink::new(move |session| {
        listed.read_session(&session);
        if let Some(save) = &save {
            save(session);
        }
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
