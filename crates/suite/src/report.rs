//! The result of a run: the fold of its events.

use std::time::Duration;

use protocol::Version;
use serde::{Deserialize, Serialize};
use wire::recording::Medium;

use crate::{
    Applies, Basis, Case, Counts, Event, Evidence, Excerpt, Finding, Level, Obstacle, Outcome, Survey,
    ViewedApp, sdk_defects,
};

/// The result of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// What was measured.
    pub target: TargetReport,
    /// Every case; once the run has ended, in the order of the registry.
    pub cases: Vec<CaseReport>,
    /// How many came out how.
    pub counts: Counts,
    /// How much the target offers, in the newest revision that tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<Survey>,
    /// The apps that were shown, row by row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub viewed: Vec<ViewedApp>,
    /// Revisions of which it could not be found out whether the target speaks them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsettled: Vec<Unsettled>,
    /// Why nothing was measured, when the target could not be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreached: Option<String>,
    /// Entries of the baseline that have no effect on what was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused_entries: Vec<UnusedEntry>,
    /// Whether the run was ended from outside before all checks had run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Of a run that was ended from outside, how many cases each revision should have had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub planned: Vec<Planned>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// A revision of which it could not be found out whether the target speaks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsettled {
    /// The revision.
    pub protocol: Version,
    /// What stood in the way, and which option helps.
    pub why: String,
}

/// How many cases a revision should have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The revision.
    pub protocol: Version,
    /// How many.
    pub cases: usize,
}

/// An entry of the baseline that has no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusedEntry {
    /// As it was written.
    pub entry: String,
    /// Why it has none.
    pub why: String,
}

/// What was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetReport {
    /// The command or URL, without secrets.
    pub description: String,
    /// The arguments that name it on the command line.
    pub arguments: String,
    /// `stdio`, `http`, `http+sse` or `in-process`.
    pub transport: String,
    /// The revisions that it speaks.
    pub speaks: Vec<Version>,
    /// What it calls itself.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// When the run began, as in RFC 3339, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// The result of one case.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseReport {
    /// The check.
    pub check: String,
    /// The tool whose app it is about; none where a server is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The part of the protocol.
    pub section: String,
    /// What holds when it passes.
    pub title: String,
    /// The revision.
    pub protocol: Version,
    /// The transport.
    pub transport: String,
    /// How strongly it binds.
    pub level: Level,
    /// How the specification says so: with a keyword, or by defining it.
    #[serde(default)]
    pub basis: Basis,
    /// The outcome.
    pub outcome: Outcome,
    /// What the specification asks for, when it was not met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there instead, or why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// The check whose finding stood in the way, when this one could not be tested because of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The SDK that is known to have this defect, when the target seems to be made with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// The messages that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Excerpt>,
    /// Why it matters.
    pub why: String,
    /// How to mend it.
    pub fix: String,
    /// Where the specification says so.
    pub spec: Vec<String>,
    /// Ids of older catalogues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// How long it took, in microseconds.
    pub took_us: u64,
}

impl Report {
    /// Takes in one event.
    pub fn add(&mut self, event: &Event) {
        match event {
            Event::Reached(target) => self.target = target.clone(),
            Event::Unreached { target, why } => {
                self.target = target.clone();
                self.unreached = Some(why.clone());
            }
            Event::Spoken { version, server } => {
                // In the legacy era the server is known by its first handshake, and not when it is reached.
                if self.target.name.is_none() {
                    self.target.name.clone_from(&server.name);
                    self.target.version.clone_from(&server.version);
                }
                self.target.speaks.push(*version);
                self.target.speaks.sort_unstable();
                self.target.speaks.dedup();
            }
            Event::Absent { .. } => {}
            Event::Began { version, cases } => {
                self.planned.push(Planned { protocol: *version, cases: *cases });
            }
            Event::Unsettled { version, why } => {
                self.unsettled.push(Unsettled { protocol: *version, why: why.clone() });
            }
            Event::UnusedEntry { entry, why } => {
                self.unused_entries.push(UnusedEntry { entry: entry.clone(), why: why.clone() });
            }
            Event::Interrupted => self.interrupted = true,
            Event::Viewed(app) => self.viewed.push(app.clone()),
            Event::Surveyed { survey, .. } => self.survey = Some(*survey),
            Event::Finished(case) => {
                self.counts.add(case.outcome);
                self.cases.push(case.clone());
            }
            Event::Ended { took } => {
                self.took_ms = millis(*took);
                if !self.interrupted {
                    self.planned.clear();
                }
                self.sort();
                sdk_defects::name(&mut self.cases);
            }
        }
    }

    /// One report of several runs against the same thing, which went on side by side.
    pub fn merge(reports: impl IntoIterator<Item = Self>) -> Self {
        let mut merged = Self::default();
        let mut transports: Vec<String> = Vec::new();
        for (run, report) in reports.into_iter().enumerate() {
            merged.counts = merged.counts.plus(report.counts);
            merged.took_ms = merged.took_ms.max(report.took_ms);
            merged.cases.extend(report.cases);
            merged.survey = report.survey.or(merged.survey);
            merged.viewed.extend(report.viewed);
            merged.unsettled.extend(report.unsettled);
            merged.unreached = merged.unreached.or(report.unreached);
            merged.interrupted |= report.interrupted;
            merged.planned.extend(report.planned);
            // An entry for one of the transports has nothing to do with the others.
            match run {
                0 => merged.unused_entries = report.unused_entries,
                _ => merged
                    .unused_entries
                    .retain(|unused| report.unused_entries.iter().any(|other| other.entry == unused.entry)),
            }
            transports.push(report.target.transport.clone());
            if run == 0 {
                merged.target = report.target;
            }
        }
        merged.target.transport = transports.join(", ");
        merged.sort();
        sdk_defects::name(&mut merged.cases);
        merged
    }

    /// In the order of the registry, of the revisions and of the apps.
    fn sort(&mut self) {
        let order: std::collections::HashMap<_, _> =
            crate::registry().enumerate().map(|(at, check)| (check.id, at)).collect();
        self.cases.sort_by_key(|case| {
            let place = order.get(case.check.as_str()).copied();
            (place, case.protocol, case.transport.clone(), case.subject.clone())
        });
        let row = |app: &ViewedApp| crate::ROWS.iter().position(|row| row.name == app.row);
        self.viewed.sort_by(|one, other| one.subject.cmp(&other.subject).then(row(one).cmp(&row(other))));
    }
}

impl TargetReport {
    /// Passes every text through `hide`, which takes secrets out: a server may call itself by one.
    #[must_use]
    pub fn redacted(mut self, hide: impl Fn(&str) -> String) -> Self {
        self.description = hide(&self.description);
        self.arguments = hide(&self.arguments);
        self.name = self.name.map(|name| hide(&name));
        self.version = self.version.map(|version| hide(&version));
        self
    }
}

impl CaseReport {
    /// The result of `case`.
    pub fn new(case: &Case, verdict: &crate::Verdict, took: Duration) -> Self {
        let check = case.check;
        let (expected, actual, frames) = match verdict {
            Ok(()) => (None, None, Vec::new()),
            Err(Finding::Violated(evidence)) => {
                let Evidence { expected, actual, frames } = evidence.as_ref().clone();
                (Some(expected), Some(actual), frames)
            }
            Err(
                Finding::Blocked(Obstacle { why, .. }) | Finding::NotApplicable(why) | Finding::Broke(why),
            ) => (None, Some(why.clone()), Vec::new()),
        };
        let because = match verdict {
            Err(Finding::Blocked(obstacle)) => obstacle.because.map(str::to_owned),
            Ok(()) | Err(Finding::Violated(_) | Finding::NotApplicable(_) | Finding::Broke(_)) => None,
        };
        Self {
            check: check.id.to_owned(),
            subject: None,
            section: check.section().to_string(),
            title: check.title.to_owned(),
            protocol: case.version,
            transport: transport_of(case).to_owned(),
            level: case.level,
            basis: check.basis_over(case.version, case.transport),
            outcome: Outcome::from_verdict(case.level, verdict),
            expected,
            actual,
            because,
            known: None,
            frames,
            why: check.why.to_owned(),
            fix: check.fix.to_owned(),
            spec: check.cites_over(case.version, case.transport).map(|cite| cite.url(case.version)).collect(),
            aliases: check.aliases.iter().map(|a| (*a).to_owned()).collect(),
            took_us: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        }
    }
}

impl CaseReport {
    /// The same about the app of one tool.
    #[must_use]
    pub fn about_app(mut self, tool: &str) -> Self {
        self.subject = Some(tool.to_owned());
        self
    }

    /// How strongly it binds, in a word.
    pub const fn strength(&self) -> &'static str {
        self.level.word(self.basis)
    }

    /// Passes every text that came from the wire through `hide`, which takes secrets out. Only then is it cut, so that no
    /// half of a secret is left.
    #[must_use]
    pub fn redacted(mut self, hide: impl Fn(&str) -> String) -> Self {
        self.expected = self.expected.map(|text| hide(&text));
        self.actual = self.actual.map(|text| hide(&text));
        let texts = [self.actual.as_deref(), self.expected.as_deref()];
        let texts: Vec<_> = texts.into_iter().flatten().collect();
        for frame in &mut self.frames {
            frame.text = hide(&frame.text);
            frame.head.iter_mut().for_each(|line| *line = hide(line));
            *frame = frame.clone().around(&texts);
        }
        self
    }
}

/// The transport in the words of a recording. What View and host say to each other goes over none of a server's.
fn transport_of(case: &Case) -> &'static str {
    match case.check.applies {
        Applies::BetweenViewAndHost | Applies::ToViews | Applies::ToHosts => Medium::PostMessage.as_str(),
        Applies::Everywhere | Applies::Over(_) | Applies::OverProtectedHttp => case.transport.name(),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
