//! Runs a plan, and tells what happens.
//!
//! A revision has two lanes. On the session that all share the checks go side by side; on the session that one check at a
//! time has for itself they go one after the other. Where a session is a process, the next revision begins as soon as one
//! of the two has ended.

mod event_redaction;
mod reachability;
mod settling;
mod target_description;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::lock::lock;
use protocol::{Era, Version};
use tokio::task::JoinSet;
use transport::Transport;
use transport::client::{Failure, Limits, Settled, Target, first_contact};
use wire::Recorder;

pub(crate) use self::event_redaction::redact_event;
use self::reachability::answers_something;
use self::target_description::describe;
use crate::baseline::{Baseline, BaselineFilter};
use crate::failed_checks::FailedChecks;
use crate::lanes::{read_transcripts, talk_to_server};
use crate::run_cx::{RunCx, Slot};
use crate::{Calls, Event, Plan, Report, Selection, ServerCx, SessionSink, Survey};

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The revisions to measure; those that the target speaks when empty.
    pub protocols: Vec<Version>,
    /// Which checks.
    pub selection: Selection,
    /// Every bound.
    pub limits: Limits,
    /// How many checks run side by side.
    pub jobs: usize,
    /// Is given every session once it has ended.
    pub keep: Option<SessionSink>,
    /// What is known to fail.
    pub baseline: Baseline,
    /// Which tools are called, and with what.
    pub calls: Calls,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            protocols: Vec::new(),
            selection: Selection::default(),
            limits: Limits::default(),
            jobs: 16,
            keep: None,
            baseline: Baseline::default(),
            calls: Calls::default(),
        }
    }
}

/// Where events go, from wherever they happen.
pub(crate) type Emit<'t> = &'t (dyn Fn(Event) + Sync);

/// The revisions that a run tries, each era oldest first.
#[derive(Clone, Debug)]
struct Revisions {
    modern: Vec<Version>,
    legacy: Vec<Version>,
}

impl Default for Revisions {
    fn default() -> Self {
        Self { modern: Era::Modern.versions().collect(), legacy: Era::Legacy.versions().collect() }
    }
}

/// A run under way.
struct TargetRun<'r> {
    run: Arc<RunCx>,
    revisions: Revisions,
    options: &'r Options,
    emit: Emit<'r>,
    /// Revisions that could not be settled, with what stood in the way.
    unsettled: Mutex<Vec<(Version, Failure)>>,
    /// Revisions that the target said it does not speak, with its words.
    absent: Mutex<Vec<(Version, Failure)>>,
    /// Whether a second try to settle a revision met silence too.
    silent_again: AtomicBool,
    /// The handshake in the newest legacy revision, which is under way while the first contact is.
    prefetched: Mutex<JoinSet<(Settled, Slot)>>,
}

/// Measures `target`. Every event goes to `emit` as it happens; the report is their fold.
///
/// `arguments` are those that name the target on the command line, for the reproduction of findings.
pub async fn run(
    target: &Target,
    arguments: &str,
    options: &Options,
    emit: impl FnMut(&Event) + Send,
) -> Result<Report, Failure> {
    run_revisions(target, arguments, options, Revisions::default(), emit).await
}

async fn run_revisions(
    target: &Target,
    arguments: &str,
    options: &Options,
    revisions: Revisions,
    emit: impl FnMut(&Event) + Send,
) -> Result<Report, Failure> {
    let start = Instant::now();
    let sink = Mutex::new((Report::default(), BaselineFilter::new(&options.baseline), emit));
    let secrets = target.secrets();
    let emit_event = |event: Event| {
        let event = redact_event(&secrets, event);
        let (report, filter, emit) = &mut *lock(&sink);
        for event in filter.take(event) {
            report.add(&event);
            emit(&event);
        }
    };
    let run = Arc::new(RunCx::new(target.clone(), &options.limits, options.calls.clone()));
    let running = TargetRun::new(run, revisions, options, &emit_event);
    let measured = Box::pin(running.measure(arguments)).await;
    emit_event(Event::Ended { took: start.elapsed() });
    measured?;
    Ok(sink.into_inner().unwrap_or_else(PoisonError::into_inner).0)
}

impl<'r> TargetRun<'r> {
    fn new(run: Arc<RunCx>, revisions: Revisions, options: &'r Options, emit: Emit<'r>) -> Self {
        Self {
            run,
            revisions,
            options,
            emit,
            unsettled: Mutex::default(),
            absent: Mutex::default(),
            silent_again: AtomicBool::new(false),
            prefetched: Mutex::default(),
        }
    }
}

impl TargetRun<'_> {
    async fn measure(&self, arguments: &str) -> Result<(), Failure> {
        let target = &self.run.target;
        let start = Instant::now();
        let slot = self.run.slots.acquire().await;
        self.run.unknown_versions.plan(self.asks_for_unknown_versions());
        self.prefetch_legacy();
        let first = match Box::pin(first_contact(target, &self.run.limits)).await {
            Ok(first) => first,
            // The target answers, but makes no sense: the checks will say what is wrong.
            Err(failure) if answers_something(&failure) => {
                (self.emit)(Event::Reached(describe(target, arguments, None)));
                drop(slot);
                lock(&self.prefetched).abort_all();
                self.limit_waits(start.elapsed()).measure_regardless(&failure).await;
                return Ok(());
            }
            Err(failure) => return Err(self.leave_unreached(arguments, failure)),
        };
        if let Some(failure) = self.ended_before_any_answer(&first).await {
            return Err(self.leave_unreached(arguments, failure));
        }
        (self.emit)(Event::Reached(describe(target, arguments, Some(&first.session))));
        let modern = self.take_first(first, slot).await;
        self.measure_revisions(modern).await;
        self.settle_again().await;
        self.finish_negotiation().await;
        if self.has_spoken() || !self.options.protocols.is_empty() {
            return Ok(());
        }
        match self.explain_refusal() {
            Some(failure) => Err(self.leave_unreached(arguments, failure)),
            None => {
                self.measure_regardless(&Failure::NoResponse { doing: "the handshake".to_owned() }).await;
                Ok(())
            }
        }
    }

    /// Tells that nothing can be measured, and why.
    fn leave_unreached(&self, arguments: &str, failure: Failure) -> Failure {
        let failure = failure.at_start();
        let target = describe(&self.run.target, arguments, None);
        (self.emit)(Event::Unreached { target, why: failure.to_string() });
        failure
    }

    fn is_named(&self, version: Version) -> bool {
        self.options.protocols.contains(&version)
    }

    fn is_wanted(&self, version: Version) -> bool {
        self.options.protocols.is_empty() || self.is_named(version)
    }

    /// Measures a revision that the user named, or that the target offered, even if its handshake fails.
    async fn measure_named(&self, version: Version) {
        let transport = self.run.target.usual_transport();
        self.measure_revision(ServerCx::new(Arc::clone(&self.run), version, transport)).await;
    }

    fn has_spoken(&self) -> bool {
        self.run.revisions.has_any()
    }

    /// The same run with a target that has shown within `took` what it has to say: no start is waited for longer.
    fn limit_waits(&self, took: Duration) -> TargetRun<'_> {
        let start = self.run.limits.start.min(took * 2);
        let limits = Limits { start, request: self.run.limits.request.min(start), ..self.run.limits.clone() };
        let run = RunCx::new(self.run.target.clone(), &limits, self.run.calls.clone());
        TargetRun::new(Arc::new(run), self.revisions.clone(), self.options, self.emit)
    }

    /// What answers, but nothing that makes sense, is measured in the newest revision of each era.
    async fn measure_regardless(&self, failure: &Failure) {
        if !self.options.protocols.is_empty() {
            for version in &self.options.protocols {
                self.measure_named(*version).await;
            }
            return;
        }
        if let Failure::BadEndpoint { .. } = failure {
            let version = Version::V2024_11_05;
            return self
                .measure_revision(ServerCx::new(Arc::clone(&self.run), version, Transport::HttpSse))
                .await;
        }
        for version in Era::ALL.map(Era::newest) {
            self.measure_named(version).await;
        }
    }

    async fn measure_revision(&self, cx: ServerCx) {
        let plan = Plan::new(&[cx.version], cx.transport, &self.options.selection);
        (self.emit)(Event::Began { version: cx.version, cases: plan.cases.len() });
        let mut keeping = SessionKeeper { keep: self.options.keep.as_ref(), cx: &cx, sessions: None };
        let failed = Arc::new(FailedChecks::default());
        let emit = |event: Event| {
            failed.note(&event);
            (self.emit)(event);
        };
        Box::pin(talk_to_server(&cx, &plan, self.options.jobs, &emit)).await;
        Box::pin(read_transcripts(&cx, &plan, &failed, &emit)).await;
        if let Some(survey) = Survey::take(&cx).await {
            (self.emit)(Event::Surveyed { version: cx.version, survey });
        }
        cx.patience().remember();
        keeping.sessions = Some(cx.connector().recorders());
        cx.close().await;
    }
}

/// Hands over the sessions of a revision in the end, also when the run is interrupted before.
struct SessionKeeper<'r> {
    keep: Option<&'r SessionSink>,
    cx: &'r ServerCx,
    /// Known once they are about to be closed.
    sessions: Option<Vec<Recorder>>,
}

impl Drop for SessionKeeper<'_> {
    fn drop(&mut self) {
        if let Some(keep) = self.keep {
            let sessions = self.sessions.take().unwrap_or_else(|| self.cx.connector().recorders());
            keep.give_sessions(self.cx.version, self.cx.transport, &sessions);
        }
    }
}
