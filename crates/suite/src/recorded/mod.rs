//! Judges recorded sessions, with the checks that only read.

mod facts;

use std::sync::Arc;
use std::time::Instant;

use protocol::Version;
use protocol::method::Side;
use transport::Transport;
use wire::recording::{Medium, RecordedSession};
use wire::{Direction, What};

use crate::baseline::BaselineFilter;
use crate::check::Run;
use crate::failed_checks::FailedChecks;
use crate::lanes::{cases_in_reading_order, worse_record};
use crate::{Case, CaseReport, Event, Finding, Options, Plan, Report, TargetReport, Verdict, WireCx};

/// Recorded sessions, and how to name them.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// What is judged, for humans: the files.
    pub description: String,
    /// The arguments that name it on the command line.
    pub arguments: String,
    /// The sessions.
    pub sessions: Vec<RecordedSession>,
}

/// The result of judging recorded sessions.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What was found.
    pub report: Report,
    /// Sessions that could not be judged, and why.
    pub skipped: Vec<String>,
}

/// The revision whose types the messages between View and host are made of.
const BRIDGE: Version = Version::V2025_11_25;

/// Sessions of one revision over one transport.
#[derive(Debug)]
struct Group<'t> {
    version: Version,
    /// None for what View and host say to each other.
    transport: Option<Transport>,
    sessions: Vec<&'t RecordedSession>,
}

/// Judges the messages that `sides` sent. A session is judged by the revision that it is in; where the record does not
/// tell, by those of `options`, which otherwise choose among the sessions.
pub fn judge(recorded: &Recorded, sides: &[Side], options: &Options) -> Judged {
    let start = Instant::now();
    let mut skipped = Vec::new();
    let groups = group_sessions(&recorded.sessions, &options.protocols, &mut skipped);
    let mut report = Report::default();
    let mut filter = BaselineFilter::new(&options.baseline);
    let mut emit = |event| filter.take(event).iter().for_each(|event| report.add(event));
    emit(Event::Reached(describe(recorded, &groups)));
    for group in &groups {
        let plan = match group.transport {
            Some(transport) => Plan::new(&[group.version], transport, &options.selection),
            None => Plan::of_bridge(&options.selection),
        };
        let failed = Arc::new(FailedChecks::default());
        for case in cases_in_reading_order(&plan) {
            let began = Instant::now();
            let Some(verdict) = group.judge(case, sides, recorded.sessions.len() > 1, &failed) else {
                continue;
            };
            // Secrets in files are already removed.
            let report = CaseReport::new(case, &verdict, began.elapsed()).redacted(str::to_owned);
            let event = Event::Finished(report);
            failed.note(&event);
            emit(event);
        }
    }
    emit(Event::Ended { took: start.elapsed() });
    Judged { report, skipped }
}

impl Group<'_> {
    /// What the sessions say about one check; `None` when it does not judge by reading, or none of `sides`.
    fn judge(&self, case: &Case, sides: &[Side], many: bool, failed: &Arc<FailedChecks>) -> Option<Verdict> {
        let Run::Wire(_, judge) = case.check.run else { return None };
        let suits = |side: &Side| case.check.judges(*side);
        let mut verdict: Option<Verdict> = None;
        for side in sides.iter().copied().filter(suits) {
            let mut of_side = Err(Finding::blocked(match side {
                Side::Server => "no message of the server is in the record",
                Side::Client => "no message of the client is in the record",
            }));
            let sessions: Vec<_> =
                self.sessions.iter().filter(|session| has_messages_of(session, side)).collect();
            let transcripts = sessions.iter().map(|session| &session.transcript);
            let mut heard = WireCx::all(self.version, case.transport, side, transcripts);
            heard.iter_mut().for_each(|session| session.failed = Arc::clone(failed));
            for (session, cx) in sessions.into_iter().zip(&heard) {
                let one = cx
                    .judge(judge)
                    .map_err(|finding| if many { name_session(finding, session) } else { finding });
                of_side = worse_record(of_side, one);
            }
            verdict = Some(verdict.map_or(of_side.clone(), |before| worse_record(before, of_side)));
        }
        verdict
    }
}

/// A violation that says in which session it was.
fn name_session(finding: Finding, session: &RecordedSession) -> Finding {
    match finding {
        Finding::Violated(mut evidence) => {
            evidence.actual = format!("{} (session {})", evidence.actual, session.name);
            Finding::Violated(evidence)
        }
        other @ (Finding::Blocked(_) | Finding::NotApplicable(_) | Finding::Broke(_)) => other,
    }
}

fn has_messages_of(session: &RecordedSession, side: Side) -> bool {
    let direction = match side {
        Side::Server => Direction::ToClient,
        Side::Client => Direction::ToServer,
    };
    let said = |what| matches!(what, What::Message | What::Noise);
    session.transcript.entries.iter().any(|entry| entry.direction == direction && said(entry.what))
}

fn group_sessions<'t>(
    sessions: &'t [RecordedSession],
    wanted: &[Version],
    skipped: &mut Vec<String>,
) -> Vec<Group<'t>> {
    let mut groups: Vec<Group<'t>> = Vec::new();
    // An empty session is neither evidence nor an obstacle.
    for session in sessions
        .iter()
        .filter(|session| has_messages_of(session, Side::Server) || has_messages_of(session, Side::Client))
    {
        if session.dropped > 0 {
            let why = "its beginning was not kept, so what follows cannot be judged";
            skipped.push(format!("session {}: {why}", session.name));
            continue;
        }
        let transport = find_transport(session);
        let versions = match facts::version(session) {
            // The bridge has one revision, whatever the server's is.
            _ if transport.is_none() => vec![BRIDGE],
            Ok(version) if wanted.is_empty() || wanted.contains(&version) => vec![version],
            Ok(version) => {
                skipped.push(format!("session {} is in {version}, which was not asked for", session.name));
                continue;
            }
            Err(_) if !wanted.is_empty() => wanted.to_vec(),
            Err(why) => {
                skipped.push(format!("session {} {why}; --protocol says what to judge it by", session.name));
                continue;
            }
        };
        for version in versions {
            match groups.iter_mut().find(|group| group.version == version && group.transport == transport) {
                Some(group) => group.sessions.push(session),
                None => groups.push(Group { version, transport, sessions: vec![session] }),
            }
        }
    }
    groups
}

/// The transport, which is none for the bridge. Where the record does not name it, heads of HTTP tell.
fn find_transport(session: &RecordedSession) -> Option<Transport> {
    match session.medium {
        Some(medium) => Transport::ALL.into_iter().find(|transport| transport.medium() == medium),
        None if session.transcript.entries.iter().any(|e| e.what == What::Head) => {
            Some(Transport::StreamableHttp)
        }
        None => Some(Transport::Stdio),
    }
}

fn describe(recorded: &Recorded, groups: &[Group<'_>]) -> TargetReport {
    let mut speaks: Vec<_> = groups.iter().map(|group| group.version).collect();
    speaks.sort_unstable();
    speaks.dedup();
    let name = |transport: Option<Transport>| transport.map_or(Medium::PostMessage.as_str(), Transport::name);
    let mut transports: Vec<_> = groups.iter().map(|group| name(group.transport)).collect();
    transports.sort_unstable();
    transports.dedup();
    let info =
        groups.iter().flat_map(|group| &group.sessions).find_map(|session| facts::server_info(session));
    let text = |name: &str| info.as_ref().and_then(|info| info[name].as_str()).map(str::to_owned);
    TargetReport {
        description: recorded.description.clone(),
        arguments: recorded.arguments.clone(),
        transport: transports.join(", "),
        speaks,
        name: text("name"),
        version: text("version"),
        at: Some(crate::clock::now()),
    }
}
