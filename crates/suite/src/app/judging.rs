//! Which checks judge an app, and what they say together over all rows.

use std::time::Duration;

use protocol::Version;
use protocol::method::Side;
use transport::Transport;

use super::cx::AppCx;
use super::rows::HostRow;
use crate::check::Run;
use crate::checks::{ANSWERED, UNCHANGED};
use crate::lanes::worse;
use crate::{Applies, Basis, Case, CaseReport, Finding, Level, Plan, Selection, Verdict, WireCx, registry};

/// The revision whose types the messages between View and host are made of.
pub(crate) const BRIDGE: Version = Version::V2025_11_25;

/// The selected checks of an app: those that look at it in a browser, and those that read what a View says.
pub(super) fn plan(selection: &Selection) -> Plan {
    let of_view = registry().filter(|check| match check.applies {
        Applies::ToViews => true,
        Applies::BetweenViewAndHost => check.judges(Side::Client),
        Applies::Everywhere | Applies::Over(_) | Applies::OverProtectedHttp | Applies::ToHosts => false,
    });
    let cases = of_view.filter_map(|check| {
        let level = check.level(BRIDGE).filter(|level| selection.takes_as(check, *level))?;
        Some(Case { check, version: BRIDGE, transport: Transport::Stdio, level })
    });
    Plan { cases: cases.collect(), unreported: Vec::new() }
}

/// The result of a case. If the user gave reference pictures, an app that looks different is a failure.
pub(super) fn report_case(
    case: &Case,
    verdict: &Verdict,
    took: Duration,
    has_references: bool,
) -> CaseReport {
    if case.check.id != UNCHANGED.id || !has_references {
        return CaseReport::new(case, verdict, took);
    }
    let case = Case { level: Level::Must, ..*case };
    CaseReport { basis: Basis::Requested, ..CaseReport::new(&case, verdict, took) }
}

/// Whether a check of the plan looks at `row`. The passive checks read every row.
pub(super) fn needs_row(plan: &Plan, row: &HostRow) -> bool {
    plan.cases.iter().any(|case| match case.check.run {
        Run::App(rows, _) | Run::AppInTime(rows, _) => rows.contains(&row.name),
        ref other => matches!(other, Run::Wire(..)),
    })
}

/// The rows in which something did not come in time that a check of the plan finds fault with.
pub(super) fn silent_rows(plan: &Plan, cx: &AppCx<'_>) -> Vec<&'static str> {
    let mut found = Vec::new();
    for case in &plan.cases {
        let Run::AppInTime(rows, judge) = case.check.run else { continue };
        if !matches!(judge(cx), Err(Finding::Violated(_))) {
            continue;
        }
        // Where only the handshake is missing, the rows that have it are not in doubt.
        let has_handshake = |row: &str| cx.row(row).is_some_and(|viewing| viewing.initialized.is_some());
        let of_handshake = rows.iter().any(|row| !has_handshake(row) && cx.row(row).is_some());
        found.extend(rows.iter().copied().filter(|row| !of_handshake || !has_handshake(row)));
    }
    found
}

/// What a check says about an app; none when it is not one of apps.
pub(super) fn verdict_of(case: &Case, cx: &AppCx<'_>) -> Option<Verdict> {
    match case.check.run {
        Run::App(_, judge) | Run::AppInTime(_, judge) => Some(judge(cx)),
        Run::Wire(_, judge) => Some(judge_all_rows(case.check.id, judge, cx)),
        Run::Server(_)
        | Run::Alone(_)
        | Run::OtherClient(_)
        | Run::SharedLast(_)
        | Run::Last(_)
        | Run::CounterOffer(_)
        | Run::Malformed(_)
        | Run::Host(_) => None,
    }
}

/// What a passive check says about the messages of all rows. A row in which the View said nothing shows nothing.
fn judge_all_rows(id: &str, judge: fn(&WireCx<'_>) -> Verdict, cx: &AppCx<'_>) -> Verdict {
    let mut verdict = Err(Finding::blocked("the View said nothing"));
    // The answers to requests that a row makes on purpose have checks of their own.
    let leaves_out = |row: &HostRow| id == ANSWERED.id && row.provokes_answers;
    let read = cx.viewings.iter().filter(|viewing| !leaves_out(viewing.row));
    for viewing in read.filter(|viewing| viewing.messages_of_view().next().is_some()) {
        let wire = WireCx::new(BRIDGE, Transport::Stdio, Side::Client, &viewing.transcript);
        let one = judge(&wire).map_err(|finding| name_row(finding, viewing.row.name));
        verdict = worse(verdict, one);
    }
    verdict
}

/// A violation that says in which row it was.
fn name_row(finding: Finding, row: &str) -> Finding {
    match finding {
        Finding::Violated(mut evidence) => {
            evidence.actual = format!("{} (host: {row})", evidence.actual);
            Finding::Violated(evidence)
        }
        other @ (Finding::Blocked(_) | Finding::NotApplicable(_) | Finding::Broke(_)) => other,
    }
}
