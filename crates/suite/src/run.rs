//! Runs a plan, and tells what happens.
//!
//! A revision has two lanes. On the session that all share the checks go side by side; on the session that one check at a
//! time has for itself they go one after the other. Where a session is a process, the next revision begins as soon as one
//! of the two has ended.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;

use protocol::{Span, Version};
use tokio::task::JoinSet;
use transport::client::{
    Failure, FirstContact, Limits, Modern, Session, Settled, Target, Transport, first_contact, settle,
};
use transport::secrets::Secrets;
use transport::serve::Via;
use wire::Recorder;

use crate::baseline::{Baseline, Ledger};

use crate::clients;
use crate::lanes::{read, talk};
use crate::run_cx::{FUTURE, PAST, RunCx, Slot};
use crate::{Calls, Event, Plan, Report, Selection, ServerCx, ServerName, SessionSink, Survey, TargetReport};

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
pub(crate) type Tell<'t> = &'t (dyn Fn(Event) + Sync);

/// A run under way.
struct Running<'r> {
    run: Arc<RunCx>,
    options: &'r Options,
    tell: Tell<'r>,
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
    let start = Instant::now();
    let told = Mutex::new((Report::default(), Ledger::new(&options.baseline), emit));
    let secrets = target.secrets();
    let tell = |event: Event| {
        let event = redacted(&secrets, event);
        let (report, ledger, emit) = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
        for event in ledger.take(event) {
            report.add(&event);
            emit(&event);
        }
    };
    let run = Arc::new(RunCx::new(target.clone(), &options.limits, options.calls.clone()));
    let running = Running::new(run, options, &tell);
    let measured = Box::pin(running.measure(arguments)).await;
    tell(Event::Ended { took: start.elapsed() });
    measured?;
    Ok(told.into_inner().unwrap_or_else(PoisonError::into_inner).0)
}

/// An event without the secrets of the target.
fn redacted(secrets: &Secrets, event: Event) -> Event {
    let hide = |text: &str| secrets.hide(text).into_owned();
    match event {
        Event::Finished(case) => Event::Finished(case.redacted(hide)),
        Event::Reached(target) => Event::Reached(target.redacted(hide)),
        Event::Unreached { target, why } => {
            Event::Unreached { target: target.redacted(hide), why: hide(&why) }
        }
        Event::Absent { version, why } => Event::Absent { version, why: hide(&why) },
        Event::Unsettled { version, why } => Event::Unsettled { version, why: hide(&why) },
        Event::UnusedEntry { entry, why } => Event::UnusedEntry { entry: hide(&entry), why: hide(&why) },
        Event::Spoken { version, server } => Event::Spoken {
            version,
            server: ServerName {
                name: server.name.as_deref().map(hide),
                version: server.version.as_deref().map(hide),
            },
        },
        Event::Began { .. } | Event::Surveyed { .. } | Event::Interrupted | Event::Ended { .. } => event,
    }
}

impl<'r> Running<'r> {
    fn new(run: Arc<RunCx>, options: &'r Options, tell: Tell<'r>) -> Self {
        Self {
            run,
            options,
            tell,
            unsettled: Mutex::default(),
            absent: Mutex::default(),
            silent_again: AtomicBool::new(false),
            prefetched: Mutex::default(),
        }
    }
}

impl Running<'_> {
    async fn measure(&self, arguments: &str) -> Result<(), Failure> {
        let target = &self.run.target;
        let start = Instant::now();
        let slot = self.run.slot().await;
        self.run.plan_unknown_versions(self.asks_for_unknown_versions());
        self.prefetch_legacy();
        let first = match Box::pin(first_contact(target, &self.run.limits)).await {
            Ok(first) => first,
            // It is there and it answers, but nothing that makes sense: the checks will say what is wrong with it.
            Err(failure) if is_talkative(&failure) => {
                (self.tell)(Event::Reached(describe(target, arguments, None)));
                drop(slot);
                lock(&self.prefetched).abort_all();
                self.hasten(start.elapsed()).measure_regardless(&failure).await;
                return Ok(());
            }
            Err(failure) => {
                let why = failure.to_string();
                (self.tell)(Event::Unreached { target: describe(target, arguments, None), why });
                return Err(failure);
            }
        };
        if let Some(failure) = self.ended_before_any_answer(&first).await {
            let why = failure.to_string();
            (self.tell)(Event::Unreached { target: describe(target, arguments, None), why });
            return Err(failure);
        }
        (self.tell)(Event::Reached(describe(target, arguments, Some(&first.session))));
        let modern = self.take_first(first, slot).await;
        self.measure_revisions(modern).await;
        self.settle_again().await;
        self.finish_negotiation().await;
        if self.has_spoken() || !self.options.protocols.is_empty() {
            return Ok(());
        }
        match self.closed_door() {
            Some(failure) => {
                let why = failure.to_string();
                (self.tell)(Event::Unreached { target: describe(target, arguments, None), why });
                Err(failure)
            }
            None => {
                self.measure_regardless(&Failure::NoResponse { doing: "the handshake".to_owned() }).await;
                Ok(())
            }
        }
    }

    /// Why nothing can be measured of a target that ends before it says anything: not only at a discovery, which it need not
    /// know, but also at the handshakes of the newest and the oldest revision.
    async fn ended_before_any_answer(&self, first: &FirstContact) -> Option<Failure> {
        let is_dead = |failure: &Failure| matches!(failure, Failure::Closed { .. });
        let mut failure = first.session.ended().filter(is_dead)?;
        if first.session.has_heard() || !self.options.protocols.is_empty() {
            return None;
        }
        for version in [Version::LATEST_LEGACY, Version::V2024_11_05] {
            let (settled, _slot) = self.settle_in_turn(version).await;
            failure = match settled {
                Settled::Unsettled(failure) if is_dead(&failure) => failure,
                Settled::Spoken(session) => {
                    session.close().await;
                    return None;
                }
                Settled::Absent(_) | Settled::Unsettled(_) => return None,
            };
        }
        Some(failure)
    }

    /// What stands in the way of a target that let us into none of its revisions, where nothing of it can be measured: it
    /// ends or is silent, or HTTP itself says no: a wrong path, a Host that it does not serve. Who asks for a token can be
    /// measured by how it asks.
    fn closed_door(&self) -> Option<Failure> {
        let mut failures: Vec<Failure> = Vec::new();
        for list in [&self.absent, &self.unsettled] {
            failures.extend(lock(list).iter().map(|(_, failure)| failure.clone()));
        }
        let closed = |failure: &Failure| match failure {
            Failure::Status { status, .. } => !matches!(status, 400 | 401),
            other => !is_talkative(other),
        };
        if failures.iter().all(closed) { failures.pop() } else { None }
    }

    /// The session of the first contact, if it serves for the modern revision. One of the legacy era serves to ask for a
    /// version that does not exist.
    async fn take_first(&self, first: FirstContact, slot: Slot) -> Option<(Session, Slot)> {
        self.run.note_listed(&first.session.server().supported);
        let why = match first.modern {
            Modern::Spoken(spoken) if spoken.is_supported() && first.initialized => {
                first.session.close().await;
                return self.settle_modern().await.map(|session| (session, slot));
            }
            Modern::Spoken(spoken) if spoken.is_supported() => {
                return Some((first.session.with_profile(clients::usual()), slot));
            }
            Modern::Spoken(spoken) => format!("{} is not among its supportedVersions", spoken.version),
            Modern::Other { why, .. } | Modern::Absent(why) => why,
        };
        if !self.is_named(Version::LATEST) {
            (self.tell)(Event::Absent { version: Version::LATEST, why });
        }
        if !first.initialized && self.run.takes_unknown_versions() {
            self.run.ask_for_unknown_versions_on(&first.session).await;
        }
        first.session.close().await;
        drop(slot);
        None
    }

    /// A session of the modern revision on which nothing of the legacy era was said.
    async fn settle_modern(&self) -> Option<Session> {
        match self.settle(Version::LATEST).await {
            Settled::Spoken(session) => Some(session),
            Settled::Absent(failure) | Settled::Unsettled(failure) => {
                lock(&self.unsettled).push((Version::LATEST, failure));
                None
            }
        }
    }

    /// Asks for versions that do not exist before any check wants to know: what ends a session over HTTP may end others. Where
    /// sessions are processes, the first that has a handshake asks.
    async fn ask_for_unknown_versions(&self) {
        if !self.run.starts_processes() && self.run.takes_unknown_versions() {
            for asked in [FUTURE, PAST] {
                // What comes of it is for the checks to judge.
                let _ = self.run.counter_offer(asked).await;
            }
        }
    }

    /// Whether a check is selected that looks at what unknown versions are answered with.
    fn asks_for_unknown_versions(&self) -> bool {
        let wanted = |check: &&crate::Check| {
            check.id.starts_with("server/lifecycle/")
                && check.id.contains("version-")
                && self.options.selection.takes(check)
        };
        self.legacy_versions().next().is_some() && crate::registry().any(|check| wanted(&check))
    }

    fn is_named(&self, version: Version) -> bool {
        self.options.protocols.contains(&version)
    }

    fn is_wanted(&self, version: Version) -> bool {
        self.options.protocols.is_empty() || self.is_named(version)
    }

    /// The legacy revisions to measure, newest first: what an older one says of the newer ones is known by then.
    fn legacy_versions(&self) -> impl Iterator<Item = Version> + '_ {
        Span::LEGACY.versions().rev().filter(|version| self.is_wanted(*version))
    }

    async fn measure_revisions(&self, modern: Option<(Session, Slot)>) {
        let newest = self.is_wanted(Version::LATEST).then(|| self.measure_modern(modern));
        let mut steps: Vec<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = Vec::new();
        steps.extend(newest.map(|step| Box::pin(step) as _));
        steps.push(Box::pin(self.ask_for_unknown_versions()));
        steps.extend(self.legacy_versions().map(|version| Box::pin(self.measure_legacy(version)) as _));
        stream::iter(steps).buffer_unordered(self.run.abreast()).collect::<Vec<()>>().await;
    }

    async fn measure_modern(&self, session: Option<(Session, Slot)>) {
        let version = Version::LATEST;
        match session {
            Some((session, slot)) => {
                let via = via_of(session.transport());
                self.run.note(version, true);
                (self.tell)(Event::Spoken { version, server: named(&session) });
                self.measure_revision(
                    ServerCx::new(Arc::clone(&self.run), version, via).sharing(session, slot),
                )
                .await;
            }
            None if self.is_named(version) => self.measure_named(version).await,
            None => {}
        }
    }

    async fn measure_legacy(&self, version: Version) {
        // One start that nothing came of is waited for in full; the others wait until it has been tried again.
        if let Some(failure) = self.silent_start().filter(|_| !self.is_named(version)) {
            return lock(&self.unsettled).push((version, failure));
        }
        let (settled, slot) = self.settle_in_turn(version).await;
        match settled {
            Settled::Spoken(session) => self.measure_spoken(version, session, slot).await,
            Settled::Unsettled(Failure::BadEndpoint { .. }) => self.measure_bad_endpoint(version).await,
            Settled::Absent(_) | Settled::Unsettled(_) if self.is_named(version) => {
                drop(slot);
                self.measure_named(version).await;
            }
            Settled::Absent(failure) => {
                self.run.note(version, false);
                (self.tell)(Event::Absent { version, why: failure.to_string() });
                lock(&self.absent).push((version, failure));
            }
            Settled::Unsettled(failure) => lock(&self.unsettled).push((version, failure)),
        }
    }

    /// Starts the handshake in the newest legacy revision beside the first contact, which leaves a core idle. A part of the
    /// suite may need two processes of one revision at a time, and then there would be none left for the other.
    fn prefetch_legacy(&self) {
        let version = Version::LATEST_LEGACY;
        let whole = Plan::new(&[version], Via::Pipe, &self.options.selection).is_complete(version, Via::Pipe);
        if !(self.run.starts_processes() && whole && self.is_wanted(version)) {
            return;
        }
        let run = Arc::clone(&self.run);
        lock(&self.prefetched).spawn(async move {
            let slot = run.slot().await;
            (settle(&run.target, version, clients::usual(), run.limits.clone()).await, slot)
        });
    }

    /// The handshake that was started beside the first contact.
    async fn take_prefetched(&self) -> Option<(Settled, Slot)> {
        let mut prefetched = std::mem::take(&mut *lock(&self.prefetched));
        prefetched.join_next().await?.ok()
    }

    /// Whether the target speaks a legacy revision, once one more process may live.
    async fn settle_in_turn(&self, version: Version) -> (Settled, Slot) {
        if version == Version::LATEST_LEGACY
            && let Some(settled) = self.take_prefetched().await
        {
            return settled;
        }
        let slot = self.run.slot().await;
        (self.settle(version).await, slot)
    }

    async fn settle(&self, version: Version) -> Settled {
        let limits = self.run.limits.clone();
        Box::pin(settle(&self.run.target, version, clients::usual(), limits)).await
    }

    async fn measure_spoken(&self, version: Version, session: Session, slot: Slot) {
        self.run.note(version, true);
        (self.tell)(Event::Spoken { version, server: named(&session) });
        let via = via_of(session.transport());
        self.measure_revision(ServerCx::new(Arc::clone(&self.run), version, via).sharing(session, slot))
            .await;
    }

    /// There is a stream of HTTP+SSE that leads nowhere: its checks say what is wrong with it.
    async fn measure_bad_endpoint(&self, version: Version) {
        self.run.note(version, true);
        self.measure_revision(ServerCx::new(Arc::clone(&self.run), version, Via::HttpSse)).await;
    }

    /// Measures a revision that the user named, or that the target offered, whether or not a handshake comes about.
    async fn measure_named(&self, version: Version) {
        let via = match self.run.target {
            Target::Url(_) => Via::StreamableHttp,
            Target::Command(_) | Target::InProcess(_) => Via::Pipe,
        };
        self.measure_revision(ServerCx::new(Arc::clone(&self.run), version, via)).await;
    }

    /// What stood in the way of a revision whose start met silence.
    fn silent_start(&self) -> Option<Failure> {
        let unsettled = lock(&self.unsettled);
        unsettled.iter().map(|(_, failure)| failure).find(|failure| failure.is_timeout()).cloned()
    }

    /// Revisions that were not settled are tried once more, each alone. When that meets silence as well, it is enough.
    async fn settle_again(&self) {
        let unsettled = std::mem::take(&mut *lock(&self.unsettled));
        for (version, earlier) in unsettled {
            if self.silent_again.load(Ordering::Relaxed) {
                self.leave_unsettled(version, earlier);
                continue;
            }
            match self.settle(version).await {
                Settled::Spoken(session) => self.measure_spoken(version, session, None).await,
                Settled::Absent(failure) => {
                    self.run.note(version, false);
                    (self.tell)(Event::Absent { version, why: failure.to_string() });
                    lock(&self.absent).push((version, failure));
                }
                Settled::Unsettled(Failure::BadEndpoint { .. }) => self.measure_bad_endpoint(version).await,
                Settled::Unsettled(failure) => self.leave_unsettled(version, failure),
            }
        }
    }

    fn leave_unsettled(&self, version: Version, failure: Failure) {
        if failure.is_timeout() {
            self.silent_again.store(true, Ordering::Relaxed);
        }
        if self.has_spoken() {
            let why = format!("{failure}; --start-timeout SECONDS waits longer for a start");
            (self.tell)(Event::Unsettled { version, why });
        } else {
            lock(&self.unsettled).push((version, failure));
        }
    }

    /// What the target offered and then did not take up is measured too: its handshake is what is wrong.
    async fn finish_negotiation(&self) {
        for offered in self.run.offered() {
            let refused = lock(&self.absent).iter().any(|(version, _)| *version == offered);
            if refused {
                self.measure_named(offered).await;
            }
        }
    }

    fn has_spoken(&self) -> bool {
        !self.run.spoken().is_empty()
    }

    /// The same run with a target that has shown within `took` what it has to say: no start is waited for longer.
    fn hasten(&self, took: Duration) -> Running<'_> {
        let start = self.run.limits.start.min(took * 2);
        let limits = Limits { start, request: self.run.limits.request.min(start), ..self.run.limits.clone() };
        let run = RunCx::new(self.run.target.clone(), &limits, self.run.calls.clone());
        Running::new(Arc::new(run), self.options, self.tell)
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
            return self.measure_revision(ServerCx::new(Arc::clone(&self.run), version, Via::HttpSse)).await;
        }
        for version in [Version::LATEST_LEGACY, Version::LATEST] {
            self.measure_named(version).await;
        }
    }

    async fn measure_revision(&self, cx: ServerCx) {
        let plan = Plan::new(&[cx.version], cx.via, &self.options.selection);
        (self.tell)(Event::Began { version: cx.version, cases: plan.cases.len() });
        let mut keeping = Keeping { keep: self.options.keep.as_ref(), cx: &cx, sessions: None };
        Box::pin(talk(&cx, &plan, self.options.jobs, self.tell)).await;
        Box::pin(read(&cx, &plan, self.tell)).await;
        if let Some(survey) = Survey::of(&cx).await {
            (self.tell)(Event::Surveyed { version: cx.version, survey });
        }
        cx.patience.remember();
        keeping.sessions = Some(cx.recorders());
        cx.close().await;
    }
}

/// Hands over the sessions of a revision in the end, also when the run is interrupted before.
struct Keeping<'r> {
    keep: Option<&'r SessionSink>,
    cx: &'r ServerCx,
    /// Known once they are about to be closed.
    sessions: Option<Vec<Recorder>>,
}

impl Drop for Keeping<'_> {
    fn drop(&mut self) {
        if let Some(keep) = self.keep {
            let sessions = self.sessions.take().unwrap_or_else(|| self.cx.recorders());
            keep.sessions(self.cx.version, self.cx.via, &sessions);
        }
    }
}

/// How the server calls itself.
fn named(session: &Session) -> ServerName {
    let info = session.server().info.unwrap_or_default();
    let text = |name: &str| info[name].as_str().map(str::to_owned);
    ServerName { name: text("name"), version: text("version") }
}

fn describe(target: &Target, arguments: &str, session: Option<&Session>) -> TargetReport {
    let server = session.map(named).unwrap_or_default();
    TargetReport {
        description: target.describe(),
        arguments: arguments.to_owned(),
        transport: session.map(|session| session.transport().name().to_owned()).unwrap_or_default(),
        speaks: Vec::new(),
        name: server.name,
        version: server.version,
        at: Some(crate::clock::now()),
    }
}

pub(crate) const fn via_of(transport: Transport) -> Via {
    match transport {
        Transport::Stdio | Transport::InProcess => Via::Pipe,
        Transport::StreamableHttp => Via::StreamableHttp,
        Transport::HttpSse => Via::HttpSse,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the target was there and answered, be it nonsense.
const fn is_talkative(failure: &Failure) -> bool {
    match failure {
        Failure::NotHttp { .. }
        | Failure::NotJsonRpc { .. }
        | Failure::Status { .. }
        | Failure::NoResponse { .. }
        | Failure::Refused { .. }
        | Failure::OtherVersion { .. }
        | Failure::BadEndpoint { .. }
        | Failure::TooLarge { .. }
        | Failure::Flooded { .. } => true,
        Failure::Unusable(_)
        | Failure::NotStarted { .. }
        | Failure::Unreachable { .. }
        | Failure::Tls { .. }
        | Failure::Closed { .. }
        | Failure::SessionLost { .. }
        | Failure::TimedOut { .. }
        | Failure::NoEndpoint { .. }
        | Failure::Ours(_) => false,
    }
}

/// How a transport is called in reports.
pub(crate) const fn transport_name(via: Via) -> &'static str {
    match via {
        Via::Pipe => "stdio",
        Via::StreamableHttp => "http",
        Via::HttpSse => "http+sse",
    }
}
