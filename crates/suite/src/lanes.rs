//! Runs the checks of one revision, lane by lane: side by side on the session that all share, one after the other on the one
//! that a check has for itself, and then over all that was said.

use std::time::Instant;

use futures_util::StreamExt as _;
use futures_util::stream;
use protocol::method::Side;
use transport::serve::Via;

use crate::check::{Active, Run};
use crate::run::Tell;
use crate::{Case, CaseReport, Event, Finding, Plan, ServerCx, Verdict, WireCx};

/// The checks that talk to the server, by the lane that they belong to.
#[derive(Default)]
struct Lanes {
    shared: Vec<(Case, Active)>,
    alone: Vec<(Case, Active)>,
    other_client: Vec<(Case, Active)>,
    shared_last: Vec<(Case, Active)>,
    last: Vec<(Case, Active)>,
    /// Whether anybody reads what was said.
    is_read: bool,
}

impl Lanes {
    fn new(plan: &Plan) -> Self {
        let mut lanes = Self::default();
        for case in &plan.cases {
            match case.check.run {
                Run::Server(run) => lanes.shared.push((*case, run)),
                Run::Alone(run) => lanes.alone.push((*case, run)),
                Run::OtherClient(run) => lanes.other_client.push((*case, run)),
                Run::SharedLast(run) => lanes.shared_last.push((*case, run)),
                Run::Last(run) => lanes.last.push((*case, run)),
                Run::Wire(_) => lanes.is_read = true,
            }
        }
        lanes
    }
}

/// The checks that talk to the server. Beside them all that the server has is looked at, if anybody is to read it.
pub(crate) async fn talk(cx: &ServerCx, plan: &Plan, jobs: usize, tell: Tell<'_>) {
    let mut lanes = Lanes::new(plan);
    let explores = lanes.is_read && cx.session().await.is_ok();
    let whole = explores && plan.is_complete(cx.version, cx.via);
    let ends_early = whole && cx.via == Via::Pipe;
    let before_end = if ends_early { std::mem::take(&mut lanes.shared_last) } else { Vec::new() };
    let shared = async {
        let explored = async {
            if explores {
                Box::pin(cx.explore()).await;
            }
        };
        let ((), spoiled) = tokio::join!(explored, side_by_side(cx, lanes.shared, jobs, tell));
        one_at_a_time(cx, spoiled, tell).await;
        // Its process makes room for another one. What is known by now need not be asked again.
        if ends_early {
            one_at_a_time(cx, before_end, tell).await;
            cx.end_shared_session().await;
        }
    };
    let alone = async {
        let jobs = if cx.via == Via::Pipe { 1 } else { jobs };
        if explores || !lanes.alone.is_empty() {
            cx.start_ahead().await;
        }
        if explores {
            Box::pin(cx.ask_as_bare_client()).await;
            Box::pin(cx.ask_as_log_reader()).await;
            Box::pin(cx.send_odd_messages()).await;
        }
        let mut spoiled = side_by_side(cx, lanes.alone, jobs, tell).await;
        if explores {
            Box::pin(cx.ask_as_partial_client()).await;
        }
        spoiled.extend(side_by_side(cx, lanes.other_client, jobs, tell).await);
        spoiled
    };
    let ((), spoiled) = tokio::join!(shared, alone);
    one_at_a_time(cx, spoiled, tell).await;
    one_at_a_time(cx, lanes.last, tell).await;
    one_at_a_time(cx, lanes.shared_last, tell).await;
}

/// How often a case is run while the server ends sessions under its hands.
const TRIES: usize = 4;

/// Runs cases, so many at a time. Those that the end of a session may have spoiled come back without an outcome.
async fn side_by_side(
    cx: &ServerCx,
    cases: Vec<(Case, Active)>,
    jobs: usize,
    tell: Tell<'_>,
) -> Vec<(Case, Active)> {
    let mut running = stream::iter(cases)
        .map(|(case, run)| async move {
            let start = Instant::now();
            let verdict = run(cx).await;
            (case, run, verdict, start.elapsed())
        })
        .buffer_unordered(jobs.max(1));
    let mut spoiled = Vec::new();
    while let Some((case, run, verdict, took)) = running.next().await {
        if is_unclear(&verdict) && cx.is_shared_session_spoiled() {
            spoiled.push((case, run));
        } else {
            tell(Event::Finished(CaseReport::new(&case, &verdict, took)));
        }
    }
    spoiled
}

/// Runs cases one at a time, on a shared session that is opened again whenever the server has ended it: the case that ends
/// it is the one to blame. Over HTTP a session may end at any time, so there it is to blame when that happens each time.
async fn one_at_a_time(cx: &ServerCx, cases: Vec<(Case, Active)>, tell: Tell<'_>) {
    for (case, run) in cases {
        for tries in 1..=TRIES {
            if cx.is_shared_session_spoiled() {
                cx.restart_shared_session().await;
            }
            let (start, lost) = (Instant::now(), cx.lost_sessions());
            let verdict = run(cx).await;
            if tries == TRIES || !is_unclear(&verdict) || cx.lost_sessions() == lost {
                tell(Event::Finished(CaseReport::new(&case, &verdict, start.elapsed())));
                break;
            }
        }
    }
}

/// Whether the end of a session may be what is behind a verdict.
const fn is_unclear(verdict: &Verdict) -> bool {
    matches!(verdict, Err(Finding::Violated(_) | Finding::Blocked(_)))
}

/// The checks that read what was said.
pub(crate) async fn read(cx: &ServerCx, plan: &Plan, tell: Tell<'_>) {
    // Even when no active check was chosen there has to be something to read.
    let session = cx.session().await.map(|_| ());
    let transcripts = cx.transcripts();
    let heard = WireCx::all(cx.version, cx.via, Side::Server, &transcripts);
    for case in &plan.cases {
        if let Run::Wire(judge) = case.check.run {
            let start = Instant::now();
            // What was recorded can be long, and others have to be heard in between.
            tokio::task::yield_now().await;
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
