//! What a run that was interrupted has to say of all that it did not get to.

use std::time::Duration;

use protocol::Version;
use suite::{Case, CaseReport, Event, Finding, Options, Plan, Report, TargetReport};
use transport::client::Target;
use transport::serve::Via;

use crate::target::Subject;

/// Why a check has no verdict.
const WHY: &str = "the run was interrupted before this check had ended";

/// The events that complete `report`, whose run has not ended: every check that was planned and has no outcome is blocked.
pub(super) fn remaining_events(
    report: &Report,
    subject: &Subject,
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
        events.push(Event::Unreached {
            target,
            why: "the run was interrupted before the target had answered".into(),
        });
    } else {
        events.extend(planned(report, &subject.target, options).filter(|case| !is_done(report, case)).map(
            |case| Event::Finished(CaseReport::new(&case, &Err(Finding::blocked(WHY)), Duration::ZERO)),
        ));
    }
    events.extend([Event::Interrupted, Event::Ended { took }]);
    events
}

/// All cases of the run, as far as they can be known.
fn planned<'a>(
    report: &'a Report,
    target: &'a Target,
    options: &'a Options,
) -> impl Iterator<Item = Case> + 'a {
    let versions = if options.protocols.is_empty() { &report.target.speaks } else { &options.protocols };
    versions.iter().flat_map(move |version| {
        Plan::new(&[*version], via_of(report, *version, target), &options.selection).cases
    })
}

/// The transport of a revision: that of its cases, else the usual one of the target.
fn via_of(report: &Report, version: Version, target: &Target) -> Via {
    let mut of_version = report.cases.iter().filter(|case| case.protocol == version);
    match (target, of_version.any(|case| case.transport == "http+sse")) {
        (Target::Url(_), true) => Via::HttpSse,
        (Target::Url(_), false) => Via::StreamableHttp,
        (Target::Command(_) | Target::InProcess(_), _) => Via::Pipe,
    }
}

fn is_done(report: &Report, case: &Case) -> bool {
    report.cases.iter().any(|done| done.check == case.check.id && done.protocol == case.version)
}
