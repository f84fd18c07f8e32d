//! Runs the checks of one revision, lane by lane: side by side on the session that all share, one after the other on the one
//! that a check has for itself, and then over all recorded messages.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream;
use protocol::method::Side;
use transport::Transport;

use crate::check::{Active, Run};
use crate::checks::SCHEMA;
use crate::failed_checks::FailedChecks;
use crate::run::Emit;
use crate::{Case, CaseReport, Event, Evidence, Finding, Obstacle, Plan, ServerCx, Verdict, WireCx};

/// Cases, each with what runs it.
type Cases = Vec<(Case, Active)>;

/// The checks that talk to the server, by the lane that they belong to.
#[derive(Default)]
struct Lanes {
    shared: Cases,
    alone: Cases,
    malformed: Cases,
    other_client: Cases,
    shared_last: Cases,
    last: Cases,
    /// Whether a check reads the record.
    is_read: bool,
}

impl Lanes {
    fn new(plan: &Plan) -> Self {
        let is_read = plan.cases.iter().any(|case| case.check.is_passive());
        let mut lanes = Self { is_read, ..Self::default() };
        for case in plan.active() {
            match case.check.run {
                Run::Server(run) => lanes.shared.push((*case, run)),
                Run::Alone(run) | Run::CounterOffer(run) => lanes.alone.push((*case, run)),
                Run::Malformed(run) if case.transport == Transport::Stdio => lanes.alone.push((*case, run)),
                Run::Malformed(run) => lanes.malformed.push((*case, run)),
                Run::OtherClient(run) => lanes.other_client.push((*case, run)),
                Run::SharedLast(run) => lanes.shared_last.push((*case, run)),
                Run::Last(run) => lanes.last.push((*case, run)),
                // It reads what the others said.
                Run::Wire(..) => {}
                // No server is planned for these.
                Run::App(..) | Run::AppInTime(..) | Run::Host(_) => {}
            }
        }
        lanes
    }
}

/// The checks that talk to the server. Beside them all that the server has is looked at, if anybody is to read it.
pub(crate) async fn talk_to_server(cx: &ServerCx, plan: &Plan, jobs: usize, emit: Emit<'_>) {
    let unreported: HashSet<&str> = plan.unreported.iter().map(|case| case.check.id).collect();
    let emit_selected = |event: Event| {
        let is_unreported =
            matches!(&event, Event::Finished(case) if unreported.contains(case.check.as_str()));
        if !is_unreported {
            emit(event);
        }
    };
    talk_in_lanes(cx, plan, jobs, &emit_selected).await;
}

async fn talk_in_lanes(cx: &ServerCx, plan: &Plan, jobs: usize, emit: Emit<'_>) {
    let mut lanes = Lanes::new(plan);
    let explores = lanes.is_read && cx.session().await.is_ok();
    let whole = explores && plan.says_everything(cx.version, cx.transport);
    let ends_early = whole && cx.transport == Transport::Stdio;
    let before_end = if ends_early { std::mem::take(&mut lanes.shared_last) } else { Vec::new() };
    let shared = run_shared(cx, std::mem::take(&mut lanes.shared), explores, jobs, emit);
    let end_shared = async {
        if !ends_early || cx.run().server_end.has_come() {
            return;
        }
        run_in_sequence(cx, before_end, emit).await;
        // Its process makes room for another one. Known facts are not asked for again.
        if !cx.pool.is_shared_reused() {
            cx.pool.end_shared().await;
        }
    };
    let (alone, other_client) = (std::mem::take(&mut lanes.alone), std::mem::take(&mut lanes.other_client));
    let alone = run_alone(cx, (alone, other_client), explores, jobs, emit);
    let mut spoiled;
    if ends_early && cx.may_reuse_shared_session() {
        spoiled = shared.await;
        if Box::pin(cx.reuse_shared_session()).await {
            spoiled.extend(alone.await);
            end_shared.await;
        } else {
            end_shared.await;
            spoiled.extend(alone.await);
        }
    } else {
        let shared = async {
            let spoiled = shared.await;
            end_shared.await;
            spoiled
        };
        let more;
        (spoiled, more) = tokio::join!(shared, alone);
        spoiled.extend(more);
    }
    report_server_end(cx, plan, &mut spoiled, emit);
    run_in_sequence(cx, spoiled, emit).await;
    run_in_sequence(cx, lanes.malformed, emit).await;
    run_in_sequence(cx, lanes.last, emit).await;
    run_in_sequence(cx, lanes.shared_last, emit).await;
}

/// The lane of the shared session. Returns what the end of the server has spoiled.
async fn run_shared(cx: &ServerCx, cases: Cases, explores: bool, jobs: usize, emit: Emit<'_>) -> Cases {
    let explored = async {
        if explores {
            Box::pin(cx.run_sweep()).await;
            Box::pin(cx.ask_with_one_capability()).await;
        }
    };
    let ((), spoiled) = tokio::join!(explored, run_in_parallel(cx, cases, jobs, emit));
    if cx.run().server_end.has_come() {
        return spoiled;
    }
    run_in_sequence(cx, spoiled, emit).await;
    Vec::new()
}

/// The lane of the session that a check has for itself, and then of other clients. Returns what the end of a session may have
/// spoiled.
async fn run_alone(
    cx: &ServerCx,
    (alone, other_client): (Cases, Cases),
    explores: bool,
    jobs: usize,
    emit: Emit<'_>,
) -> Cases {
    let jobs = if cx.transport == Transport::Stdio { 1 } else { jobs };
    if explores || !alone.is_empty() {
        cx.start_exclusive().await;
    }
    if explores {
        Box::pin(cx.ask_as_bare_client()).await;
        Box::pin(cx.ask_as_log_reader()).await;
        Box::pin(cx.send_unusual_messages()).await;
    }
    let mut spoiled = run_in_parallel(cx, alone, jobs, emit).await;
    if explores {
        Box::pin(cx.listen_while_calling()).await;
        Box::pin(cx.ask_as_partial_client()).await;
    }
    spoiled.extend(run_in_parallel(cx, other_client, jobs, emit).await);
    spoiled
}

/// How often a case is run while the server ends sessions under its hands.
const MAX_TRIES: usize = 6;

/// Runs cases, so many at a time. Those that the end of a session may have spoiled come back without an outcome.
async fn run_in_parallel(cx: &ServerCx, cases: Cases, jobs: usize, emit: Emit<'_>) -> Cases {
    let mut running = stream::iter(cases)
        .map(|(case, run)| async move {
            let start = Instant::now();
            let verdict = run(cx).await;
            (case, run, verdict, start.elapsed())
        })
        .buffer_unordered(jobs.max(1));
    let mut spoiled = Vec::new();
    while let Some((case, run, verdict, took)) = running.next().await {
        if is_unclear(&verdict) {
            cx.connector().notice_lost().await;
        }
        if let Err(finding) = &verdict
            && is_unclear(&verdict)
            && cx.connector().is_server_gone().await
        {
            cx.run().server_end.suspect(&case, finding.clone());
            spoiled.push((case, run));
        } else if is_unclear(&verdict)
            && let Some(obstacle) = cx.connector().unprovoked_end().await
        {
            emit(Event::Finished(CaseReport::new(&case, &Err(obstacle), took)));
        } else if is_unclear(&verdict) && cx.pool.is_shared_spoiled() {
            spoiled.push((case, run));
        } else {
            emit(Event::Finished(CaseReport::new(&case, &verdict, took)));
        }
    }
    spoiled
}

/// Runs cases one at a time, on a shared session that is opened again whenever the server has ended it: the case that ends
/// it is the one to blame. Over HTTP a session may end at any time, so there it is to blame when that happens each time.
async fn run_in_sequence(cx: &ServerCx, cases: Cases, emit: Emit<'_>) {
    for (case, run) in cases {
        let run_cx = cx.run();
        let obstacle = run_cx.server_end.obstacle(cx.version).or_else(|| run_cx.unprovoked_end.obstacle());
        if let Some(obstacle) = obstacle {
            emit(Event::Finished(CaseReport::new(&case, &Err(obstacle), Duration::ZERO)));
            continue;
        }
        for tries in 1..=MAX_TRIES {
            if cx.pool.is_shared_spoiled() {
                cx.restart_shared_session().await;
            }
            let (start, lost) = (Instant::now(), cx.connector().count_lost());
            let mut verdict = run(cx).await;
            if is_unclear(&verdict) {
                cx.connector().notice_lost().await;
            }
            if cx.connector().is_server_gone().await {
                cx.run().server_end.note(&case);
                verdict = Err(server_end_finding(cx, verdict.err(), 1));
                emit(Event::Finished(CaseReport::new(&case, &verdict, start.elapsed())));
                break;
            }
            if is_unclear(&verdict)
                && let Some(obstacle) = cx.connector().unprovoked_end().await
            {
                verdict = Err(obstacle);
            }
            if tries == MAX_TRIES || !is_unclear(&verdict) || cx.connector().count_lost() == lost {
                emit(Event::Finished(CaseReport::new(&case, &verdict, start.elapsed())));
                break;
            }
        }
    }
}

/// How many of the requests are shown that were under way at the end of the server.
const MAX_SHOWN_REQUESTS: usize = 4;

/// Tells of the end of a server that ended while many cases were under way. One of them tells it, with the requests that had no
/// answer; which of these ended the server cannot be known.
fn report_server_end(cx: &ServerCx, plan: &Plan, spoiled: &mut Cases, emit: Emit<'_>) {
    let suspects = cx.run().server_end.take_suspects();
    let position = |case: &Case| plan.cases.iter().position(|planned| planned.check.id == case.check.id);
    // A case that met a refused connection is blocked. One whose request was broken off is violated.
    let rank = |(case, finding): &(Case, Finding)| (!matches!(finding, Finding::Violated(_)), position(case));
    let Some((case, finding)) = suspects.into_iter().min_by_key(rank) else { return };
    cx.run().server_end.note(&case);
    spoiled.retain(|(spoiled, _)| spoiled.check.id != case.check.id);
    let verdict = Err(server_end_finding(cx, Some(finding), MAX_SHOWN_REQUESTS));
    emit(Event::Finished(CaseReport::new(&case, &verdict, Duration::ZERO)));
}

/// The end of the server as a finding, with the latest requests, `most` of them, that had no answer.
fn server_end_finding(cx: &ServerCx, found: Option<Finding>, most: usize) -> Finding {
    let mut requests = cx.connector().requests_without_response();
    requests.truncate(most);
    let actual = match requests.len() {
        0 | 1 => "the server ended: it takes no connections any more",
        _ => "the server ended while these requests were under way: it takes no connections any more",
    };
    let mut evidence = Evidence::new("the server goes on answering", actual);
    if let (true, Some(Finding::Violated(found))) = (requests.is_empty(), found) {
        requests = found.frames;
    }
    evidence.frames = requests;
    Finding::Violated(Box::new(evidence))
}

/// Whether the end of a session may have caused a verdict.
const fn is_unclear(verdict: &Verdict) -> bool {
    matches!(verdict, Err(Finding::Violated(_) | Finding::Blocked(_)))
}

/// Runs the checks that only read records. `failed` has what the others found, and what these find is added to it.
pub(crate) async fn read_transcripts(cx: &ServerCx, plan: &Plan, failed: &Arc<FailedChecks>, emit: Emit<'_>) {
    // Even when no active check was chosen there has to be something to read.
    let session = cx.session().await.map(|_| ());
    let transcripts = cx.transcripts();
    let mut heard = WireCx::all(cx.version, cx.transport, Side::Server, &transcripts);
    heard.iter_mut().for_each(|session| session.failed = Arc::clone(failed));
    for case in cases_in_reading_order(plan) {
        if let Run::Wire(_, judge) = case.check.run {
            let start = Instant::now();
            // Records can be long, so other tasks get a turn in between.
            tokio::task::yield_now().await;
            let verdict = judge_all(judge, &heard).and(session.clone());
            emit(Event::Finished(CaseReport::new(case, &verdict, start.elapsed())));
        }
    }
}

/// The cases of a plan. The check that overlaps with others comes after them, so that it knows what they found.
pub(crate) fn cases_in_reading_order(plan: &Plan) -> impl Iterator<Item = &Case> {
    let is_last = |case: &&Case| case.check.id == SCHEMA.id;
    plan.cases.iter().filter(move |case| !is_last(case)).chain(plan.cases.iter().filter(is_last))
}

/// The first violation in any session; whether there was one that worked is the caller's to say.
fn judge_all(judge: fn(&WireCx<'_>) -> Verdict, heard: &[WireCx<'_>]) -> Verdict {
    let mut verdict = Err(Finding::blocked("no connection came about"));
    for session in heard {
        verdict = worse_record(verdict, session.judge(judge));
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

/// The same for records: a flaw that another check has told of is not passed because another session is without it.
pub(crate) fn worse_record(before: Verdict, now: Verdict) -> Verdict {
    let is_told =
        |verdict: &Verdict| matches!(verdict, Err(Finding::Blocked(Obstacle { because: Some(_), .. })));
    let fails = |verdict: &Verdict| matches!(verdict, Err(Finding::Violated(_) | Finding::Broke(_)));
    match (is_told(&before), is_told(&now)) {
        (true, _) if !fails(&now) => before,
        (_, true) if !fails(&before) => now,
        (_, _) => worse(before, now),
    }
}
