//! The run itself: every server in turn, until all is measured or the user has seen enough.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::future::join_all;
use protocol::Version;
use report::Collection;
use suite::{Event, Options, Report, SessionSink};
use transport::client::{Target, await_connection};

use super::{Run, interrupted};
use crate::format::{Format, Wanted};
use crate::progress::Progress;
use crate::signals::told_to_stop;
use crate::stream::Streams;
use crate::target::{MeasuredServer, Subject};

/// What came of a run.
pub(super) struct Outcome {
    /// One report for each server.
    pub(super) reports: Collection,
    pub(super) ending: Ending,
    /// Why servers could not be measured at all.
    pub(super) failures: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Complete,
    Interrupted,
}

/// One way to reach a server, and what is known of it so far.
struct Part<'a> {
    /// Its number among all, which keeps their events apart.
    number: usize,
    subject: &'a Subject,
    report: Mutex<Report>,
    /// The revisions that it says it does not speak.
    absent: Mutex<Vec<Version>>,
    ended: AtomicBool,
}

/// Who sees the events of all parts.
struct Seen<'a> {
    progress: Progress,
    streams: &'a mut Streams,
    failures: Vec<String>,
}

/// Measures all servers. Those that follow an interruption are reported as not measured.
pub(super) async fn measure_all(
    run: &Run,
    servers: &[MeasuredServer],
    wanted: &[Wanted],
    streams: &mut Streams,
) -> Outcome {
    let start = Instant::now();
    let human = wanted.iter().any(|place| place.format == Format::Human && place.file.is_none());
    let progress = Progress::new(human, &run.options);
    let seen = Mutex::new(Seen { progress, streams, failures: Vec::new() });
    let parts = parts_of(servers);
    let all = async {
        // One server after the other: side by side they would slow each other down, and be blamed for it.
        for parts in &parts {
            join_all(parts.iter().map(|part| measure_part(run, part, &seen))).await;
        }
    };
    // Who is dropped ends what it has started; a process that is ended from outside would not.
    let ending = tokio::select! {
        () = all => Ending::Complete,
        () = told_to_stop() => Ending::Interrupted,
    };
    if ending == Ending::Interrupted {
        for part in parts.iter().flatten().filter(|part| !part.ended.load(Ordering::Relaxed)) {
            let (known, absent) = (lock(&part.report).clone(), lock(&part.absent).clone());
            let (subject, took) = (part.subject, start.elapsed());
            for event in interrupted::remaining_events(&known, &absent, subject, &run.options, took) {
                tell(part, &seen, &event);
            }
        }
    }
    let Seen { progress, failures, .. } = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    progress.clear();
    let known = parts.into_iter().flatten().map(|part| part.report);
    let known = known.map(|report| report.into_inner().unwrap_or_else(PoisonError::into_inner));
    Outcome { reports: Collection::new(known), ending, failures }
}

fn parts_of(servers: &[MeasuredServer]) -> Vec<Vec<Part<'_>>> {
    let mut numbers = 0..;
    let mut part = |subject| Part {
        number: numbers.next().unwrap_or_default(),
        subject,
        report: Mutex::default(),
        absent: Mutex::default(),
        ended: AtomicBool::default(),
    };
    servers.iter().map(|server| server.subjects.iter().map(&mut part).collect()).collect()
}

/// Measures a server in one of the ways to reach it.
async fn measure_part(run: &Run, part: &Part<'_>, seen: &Mutex<Seen<'_>>) {
    let Subject { target, arguments, .. } = part.subject;
    if let (Some(limit), Target::Url(endpoint)) = (run.arguments.wait, target) {
        lock(seen).progress.wait_for_connection(target);
        // What stands in the way after that long is found again, and told, by the run.
        let _ = await_connection(endpoint, limit).await;
    }
    lock(seen).progress.wait_for_first_answer(target);
    let options = Options { keep: Some(keep_sessions(run, target)), ..run.options.clone() };
    let measured = suite::run(target, arguments, &options, |event| tell(part, seen, event)).await;
    if let Err(failure) = measured {
        lock(seen).failures.push(target.redact(&failure.to_string()).into_owned());
    }
}

/// Takes note of an event, everywhere.
fn tell(part: &Part<'_>, seen: &Mutex<Seen<'_>>, event: &Event) {
    lock(&part.report).add(event);
    if let Event::Absent { version, .. } = event {
        lock(&part.absent).push(*version);
    }
    part.ended.fetch_or(matches!(event, Event::Ended { .. }), Ordering::Relaxed);
    let seen = &mut *lock(seen);
    seen.streams.event(part.number, event);
    seen.progress.event(part.number, event);
}

/// What becomes of the sessions: the tools that they list are remembered, and they are saved if that is wanted.
fn keep_sessions(run: &Run, target: &Target) -> SessionSink {
    let (save, listed) = (run.record.as_ref().map(|record| record.saver(target)), run.listed.clone());
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
