//! What an interrupted run reports about everything that it did not get to.

use std::collections::BTreeSet;
use std::time::Duration;

use protocol::Version;
use suite::{Case, CaseReport, Event, Finding, Options, Plan, Report, TargetReport};
use transport::Transport;
use transport::client::Target;

use crate::target::TargetUnderTest;

/// Why a target, a revision or a check has no verdict.
const WHY_UNREACHED: &str = "the run was interrupted before the target had answered";
const WHY_UNSETTLED: &str = "the run was interrupted before that was found out";
const WHY_BLOCKED: &str = "the run was interrupted before this check had ended";

/// The events that complete `report`, whose run has not ended. Every check that was planned and has no outcome is blocked.
/// Every revision that was neither spoken nor said to be `absent` is not settled.
pub(super) fn remaining_events(
    report: &Report,
    absent: &[Version],
    subject: &TargetUnderTest,
    options: &Options,
    took: Duration,
) -> Vec<Event> {
    let mut events = Vec::new();
    if report.target == TargetReport::default() {
        let target = TargetReport {
            description: subject.target.describe(),
            arguments: subject.arguments.clone(),
            ..TargetReport::default()
        };
        events.push(Event::Unreached { target, why: WHY_UNREACHED.to_owned() });
    } else {
        let measured = measured_versions(report, options);
        let is_open = |version: &Version| !measured.contains(version) && !absent.contains(version);
        if options.protocols.is_empty() {
            let open = Version::ALL.into_iter().filter(is_open);
            events.extend(open.map(|version| Event::Unsettled { version, why: WHY_UNSETTLED.to_owned() }));
        }
        let planned = measured.iter().flat_map(|version| {
            Plan::new(&[*version], find_transport(report, *version, &subject.target), &options.selection)
                .cases
        });
        events.extend(planned.filter(|case| !is_done(report, case)).map(|case| {
            Event::Finished(CaseReport::new(&case, &Err(Finding::blocked(WHY_BLOCKED)), Duration::ZERO))
        }));
    }
    events.extend([Event::Interrupted, Event::Ended { took }]);
    events
}

/// The revisions that were being measured or would have been, as far as that is known.
fn measured_versions(report: &Report, options: &Options) -> BTreeSet<Version> {
    let begun = report.planned.iter().map(|planned| planned.protocol);
    begun.chain(report.target.speaks.iter().chain(&options.protocols).copied()).collect()
}

/// The transport of a revision: that of its cases, else the usual one of the target.
fn find_transport(report: &Report, version: Version, target: &Target) -> Transport {
    let mut of_version = report.cases.iter().filter(|case| case.protocol == version);
    let known =
        of_version.find_map(|case| Transport::ALL.into_iter().find(|one| one.name() == case.transport));
    known.unwrap_or_else(|| target.usual_transport())
}

fn is_done(report: &Report, case: &Case) -> bool {
    report.cases.iter().any(|done| done.check == case.check.id && done.protocol == case.version)
}
