//! Runs a plan, and tells what happens.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use protocol::Version;
use protocol::method::Side;
use transport::client::{self, Discovery, Failure, Limits, Server, Spoken, Target, Transport};
use transport::serve::Via;

use crate::baseline::{Baseline, Ledger};
use crate::check::{Active, Run};
use crate::{
    Calls, Case, CaseReport, Event, Finding, Keep, Patience, Plan, Report, Selection, ServerCx, Survey,
    TargetReport, Verdict, WireCx,
};

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
    pub keep: Option<Keep>,
    /// What is known to fail.
    pub baseline: Baseline,
    /// Which tools are called, and with what.
    pub calls: Calls,
    /// How long the target may be silent in all, where answers are due, before it is given up.
    pub silence: Duration,
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
            silence: Duration::from_secs(6),
        }
    }
}

/// Measures `target`. Every event goes to `emit` as it happens; the report is their fold.
///
/// `arguments` are those that name the target on the command line, for the reproduction of findings.
pub async fn run(
    target: &Target,
    arguments: &str,
    options: &Options,
    mut emit: impl FnMut(&Event),
) -> Result<Report, Failure> {
    let start = Instant::now();
    let mut report = Report::default();
    let mut ledger = Ledger::new(&options.baseline);
    let mut tell = |event: Event| {
        let event = match event {
            Event::Finished(case) => Event::Finished(case.redacted(|text| target.redact(text).into_owned())),
            Event::Unreached { target: report, why } => {
                Event::Unreached { target: report, why: target.redact(&why).into_owned() }
            }
            other => other,
        };
        for event in ledger.take(event) {
            report.add(&event);
            emit(&event);
        }
    };
    let found = match Box::pin(client::probe(target, options.limits.clone())).await {
        Ok(found) => found,
        // It is there and it answers, but nothing that makes sense: the checks will say what is wrong with it.
        Err(failure) if is_talkative(&failure) => {
            // Enough is left to show what it is that it says.
            nothing_found(&failure, start.elapsed().min(options.silence / 2))
        }
        Err(failure) => {
            let target = describe(target, arguments, &Discovery::default());
            tell(Event::Unreached { target, why: failure.to_string() });
            tell(Event::Ended { took: start.elapsed() });
            return Err(failure);
        }
    };
    tell(Event::Reached(describe(target, arguments, &found)));
    let patience = Arc::new(Patience::new(options.silence, found.silent));
    let limits = warmed_up(&options.limits, &found);
    for version in protocols_of(options, &found) {
        let via = via_of(target, &found, version);
        patience.another_revision();
        let plan = Plan::new(&[version], via, &options.selection);
        tell(Event::Began { version, cases: plan.cases.len() });
        let cx = ServerCx::new(target.clone(), version, via, limits.clone(), patience.clone())
            .calling(options.calls.clone());
        Box::pin(active(&cx, &plan, options.jobs, &mut tell)).await;
        Box::pin(passive(&cx, &plan, &mut tell)).await;
        if let Some(survey) = Survey::of(&cx).await {
            tell(Event::Surveyed { version, survey });
        }
        let sessions = cx.recorders();
        cx.close().await;
        if let Some(keep) = &options.keep {
            keep.sessions(version, via, &sessions);
        }
    }
    tell(Event::Ended { took: start.elapsed() });
    Ok(report)
}

/// The revisions that are measured: those that were named, else those that were found, else the newest of each era.
pub(crate) fn protocols_of(options: &Options, found: &Discovery) -> Vec<Version> {
    let named = if options.protocols.is_empty() { found.versions() } else { options.protocols.clone() };
    if named.is_empty() { vec![Version::LATEST_LEGACY, Version::LATEST] } else { named }
}

/// The checks that talk to the server, those that could disturb the others at the end. Beside them all that the server has
/// is looked at, if anybody is to read it.
async fn active(cx: &ServerCx, plan: &Plan, jobs: usize, tell: &mut impl FnMut(Event)) {
    let mut first = Vec::new();
    let mut last = Vec::new();
    for case in &plan.cases {
        match case.check.run {
            Run::Server(run) => first.push((*case, run)),
            Run::Ending(run) => last.push((*case, run)),
            Run::Wire(_) => {}
        }
    }
    let explored = async {
        if plan.cases.iter().any(|case| matches!(case.check.run, Run::Wire(_))) && cx.session().await.is_ok()
        {
            cx.explore().await;
        }
    };
    tokio::join!(explored, side_by_side(cx, first, jobs, tell));
    side_by_side(cx, last, 1, tell).await;
}

async fn side_by_side(cx: &ServerCx, cases: Vec<(Case, Active)>, jobs: usize, tell: &mut impl FnMut(Event)) {
    let mut running = stream::iter(cases)
        .map(|(case, run)| async move {
            let start = Instant::now();
            let verdict = run(cx).await;
            CaseReport::new(&case, &verdict, start.elapsed())
        })
        .buffer_unordered(jobs.max(1));
    while let Some(report) = running.next().await {
        tell(Event::Finished(report));
    }
}

/// The checks that read what was said.
async fn passive(cx: &ServerCx, plan: &Plan, tell: &mut impl FnMut(Event)) {
    // Even when no active check was chosen there has to be something to read.
    let session = cx.session().await.map(|_| ());
    let transcripts = cx.transcripts();
    let heard = WireCx::all(cx.version, cx.via, Side::Server, &transcripts);
    for case in &plan.cases {
        if let Run::Wire(judge) = case.check.run {
            let start = Instant::now();
            let verdict = judge_all(judge, &heard).and(session.clone());
            tell(Event::Finished(CaseReport::new(case, &verdict, start.elapsed())));
        }
    }
}

/// The first violation in any session; whether there was one that worked is the caller's to say.
fn judge_all(judge: fn(&WireCx<'_>) -> Verdict, heard: &[WireCx<'_>]) -> Verdict {
    let mut verdict = Err(Finding::blocked("no connection came about"));
    for session in heard {
        verdict = worse(verdict, judge(session));
        if matches!(verdict, Err(Finding::Violated(_) | Finding::Broke(_))) {
            break;
        }
    }
    verdict
}

/// What two sessions say together: a violation in either counts, and what one of them shows is shown.
pub(crate) fn worse(before: Verdict, now: Verdict) -> Verdict {
    match (before, now) {
        (violated @ Err(Finding::Violated(_) | Finding::Broke(_)), _)
        | (_, violated @ Err(Finding::Violated(_) | Finding::Broke(_))) => violated,
        (Ok(()), _) | (_, Ok(())) => Ok(()),
        (Err(_), other) => other,
    }
}

/// What is known of a target that answered nothing that makes sense.
fn nothing_found(failure: &Failure, silent: Duration) -> Discovery {
    let old = matches!(failure, Failure::BadEndpoint { .. });
    let spoken =
        Spoken { version: Version::V2024_11_05, transport: Transport::HttpSse, server: Server::default() };
    Discovery {
        spoken: if old { vec![spoken] } else { Vec::new() },
        notes: vec![failure.to_string()],
        silent,
        ..Discovery::default()
    }
}

/// The limits for a target that has answered once: it will not need the time of a first start again.
fn warmed_up(limits: &Limits, found: &Discovery) -> Limits {
    let start = limits.start.min(limits.request.max(found.took * 3));
    Limits { start, ..limits.clone() }
}

fn describe(target: &Target, arguments: &str, found: &Discovery) -> TargetReport {
    let newest = found.spoken.last();
    let info = newest.and_then(|spoken| spoken.server.info.clone()).unwrap_or_default();
    let text = |name: &str| info[name].as_str().map(str::to_owned);
    TargetReport {
        description: target.describe(),
        arguments: arguments.to_owned(),
        transport: newest.map(|spoken| spoken.transport.name().to_owned()).unwrap_or_default(),
        speaks: found.versions(),
        name: text("name"),
        version: text("version"),
        at: Some(crate::clock::now()),
    }
}

/// The wire on which a revision was found; for one that was not, that of the others.
pub(crate) fn via_of(target: &Target, found: &Discovery, version: Version) -> Via {
    let spoken = found.find(version).or(found.spoken.last());
    match (spoken.map(|spoken| spoken.transport), target) {
        (Some(Transport::StreamableHttp), _) | (None, Target::Url(_)) => Via::StreamableHttp,
        (Some(Transport::HttpSse), _) => Via::HttpSse,
        (Some(Transport::Stdio | Transport::InProcess), _)
        | (None, Target::Command(_) | Target::InProcess(_)) => Via::Pipe,
    }
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
        | Failure::TooLarge { .. } => true,
        Failure::Unusable(_)
        | Failure::NotStarted { .. }
        | Failure::Unreachable { .. }
        | Failure::Tls { .. }
        | Failure::Closed { .. }
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
