//! Groups cases so that each finding is reported once: the same finding in several revisions is one, and what it blocks
//! belongs to it.

use protocol::Version;
use suite::{Basis, CaseReport, Causes, Outcome, Report};

use crate::normalize::without_numbers;

/// The outcomes that a reader has to look at, worst first.
const ATTENTION: [Outcome; 4] = [Outcome::Broke, Outcome::Failed, Outcome::UnexpectedPass, Outcome::Warned];

/// Cases of one check with the same outcome and reason, in one or more revisions and transports.
#[derive(Debug)]
pub(crate) struct FindingGroup<'a> {
    /// The first case, which represents all of them.
    pub(crate) case: &'a CaseReport,
    /// The revisions, oldest first.
    pub(crate) protocols: Vec<Version>,
    /// The apps, in the order in which they occur; none where a server was measured.
    subjects: Vec<&'a str>,
    /// The transports, in the order in which they occur.
    pub(crate) transports: Vec<&'a str>,
    /// The clearest basis in the specification among the revisions.
    basis: Basis,
    /// What could not be tested because of it.
    pub(crate) consequences: Consequences<'a>,
}

/// Checks that could not be tested because of a finding.
#[derive(Debug, Default)]
pub(crate) struct Consequences<'a> {
    /// Their ids, each once.
    pub(crate) checks: Vec<&'a str>,
    /// Their sections, each once.
    pub(crate) sections: Vec<&'a str>,
}

/// Checks that could not be tested for one and the same reason, which no finding explains.
#[derive(Debug)]
pub(crate) struct ObstacleGroup<'a> {
    /// Why they could not be tested.
    pub(crate) reason: &'a str,
    /// The checks.
    pub(crate) groups: Vec<FindingGroup<'a>>,
}

/// All that a reader has to look at.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    /// The findings, worst first.
    pub(crate) found: Vec<FindingGroup<'a>>,
    /// What fails, as the baseline says it does.
    pub(crate) known: Vec<FindingGroup<'a>>,
    /// What could not be tested, by reason.
    pub(crate) obstacles: Vec<ObstacleGroup<'a>>,
}

impl<'a> Findings<'a> {
    /// The findings of `report`.
    pub(crate) fn from_report(report: &'a Report) -> Self {
        let with = |outcome| group_cases(report.cases.iter().filter(move |case| case.outcome == outcome));
        let mut found: Vec<_> = ATTENTION.into_iter().flat_map(with).collect();
        let mut known = with(Outcome::KnownFailure);
        let causes = Causes::new(report);
        let mut alone = Vec::new();
        for case in report.cases.iter().filter(|case| case.outcome == Outcome::Blocked) {
            let cause = causes.find(case);
            let group =
                cause.and_then(|cause| found.iter_mut().chain(&mut known).find(|group| group.holds(cause)));
            match group {
                Some(group) => group.consequences.add(case),
                None => alone.push(case),
            }
        }
        Self { found, known, obstacles: group_by_reason(alone) }
    }

    /// The reason why most cases could not be tested, if the report has nothing else to say.
    pub(crate) fn only_obstacle(&self, report: &Report) -> Option<&ObstacleGroup<'a>> {
        let [only] = &self.obstacles[..] else { return None };
        let blocked = report.cases.iter().filter(|case| case.outcome == Outcome::Blocked).count();
        let is_all = self.found.is_empty()
            && self.known.is_empty()
            && report.unsettled.is_empty()
            && !report.interrupted
            && report.unused_entries.is_empty();
        (is_all && only.groups.len() > 1 && blocked * 2 > report.cases.len()).then_some(only)
    }

    /// How many findings are about the target: not what could not be tested, and not what is known.
    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        self.found.iter().filter(|group| group.case.outcome == outcome).count()
    }
}

impl FindingGroup<'_> {
    /// The revisions as text; of apps, which all have one revision, the names of their tools.
    pub(crate) fn protocols(&self) -> Vec<String> {
        if self.subjects.is_empty() {
            return self.protocols.iter().map(ToString::to_string).collect();
        }
        self.subjects.iter().map(|subject| plain_name(subject)).collect()
    }

    /// How strongly it binds, in a word.
    pub(crate) const fn strength(&self) -> &'static str {
        self.case.level.word(self.basis)
    }

    /// What that word stands for, where it is not a keyword.
    pub(crate) const fn meaning(&self) -> Option<&'static str> {
        self.case.level.meaning(self.basis)
    }

    fn holds(&self, case: &CaseReport) -> bool {
        are_alike(self.case, case)
    }
}

impl<'a> Consequences<'a> {
    fn add(&mut self, case: &'a CaseReport) {
        for (list, word) in [(&mut self.checks, case.check.as_str()), (&mut self.sections, &case.section)] {
            if !list.contains(&word) {
                list.push(word);
            }
        }
    }

    /// The checks in words; `None` when there are none.
    pub(crate) fn in_words(&self) -> Option<String> {
        let count = self.checks.len();
        let noun = if count == 1 { "check" } else { "checks" };
        (count > 0).then(|| format!("{count} {noun} of {}", self.sections.join(", ")))
    }
}

impl ObstacleGroup<'_> {
    /// How many checks.
    pub(crate) fn checks(&self) -> String {
        match self.groups.len() {
            1 => "1 check".to_owned(),
            count => format!("{count} checks"),
        }
    }
}

/// The name of a tool as every format can show it. Servers choose names, and this one stands beside our own words.
pub(crate) fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_./:".contains(c) { c } else { '_' };
    name.chars().take(80).map(plain).collect()
}

/// Groups cases that are alike, in the order of their first case.
pub(crate) fn group_cases<'a>(cases: impl Iterator<Item = &'a CaseReport>) -> Vec<FindingGroup<'a>> {
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    for case in cases {
        match groups.iter_mut().find(|group| are_alike(group.case, case)) {
            Some(group) => {
                group.protocols.push(case.protocol);
                group.subjects.extend(case.subject.as_deref());
                group.basis = group.basis.min(case.basis);
                if !group.transports.contains(&case.transport.as_str()) {
                    group.transports.push(&case.transport);
                }
            }
            None => groups.push(FindingGroup {
                case,
                protocols: vec![case.protocol],
                subjects: case.subject.as_deref().into_iter().collect(),
                transports: vec![&case.transport],
                basis: case.basis,
                consequences: Consequences::default(),
            }),
        }
    }
    for group in &mut groups {
        group.protocols.sort_unstable();
        group.protocols.dedup();
    }
    groups
}

/// Groups blocked cases by the reason.
fn group_by_reason(cases: Vec<&CaseReport>) -> Vec<ObstacleGroup<'_>> {
    let mut reasons: Vec<(String, &str, Vec<&CaseReport>)> = Vec::new();
    for case in cases {
        let reason = case.actual.as_deref().unwrap_or("no reason given");
        let key = without_numbers(reason);
        match reasons.iter_mut().find(|(known, ..)| *known == key) {
            Some((.., alike)) => alike.push(case),
            None => reasons.push((key, reason, vec![case])),
        }
    }
    let obstacle =
        |(_, reason, cases): (String, _, Vec<_>)| ObstacleGroup { reason, groups: group_by_check(&cases) };
    let mut obstacles: Vec<_> = reasons.into_iter().map(obstacle).collect();
    obstacles.sort_by_key(|obstacle| std::cmp::Reverse(obstacle.groups.len()));
    obstacles
}

fn group_by_check<'a>(cases: &[&'a CaseReport]) -> Vec<FindingGroup<'a>> {
    let mut ids: Vec<&str> = Vec::new();
    for case in cases {
        if !ids.contains(&case.check.as_str()) {
            ids.push(&case.check);
        }
    }
    let of = |id| group_cases(cases.iter().copied().filter(move |case| case.check == id)).into_iter().next();
    ids.into_iter().filter_map(of).collect()
}

/// Whether two cases have the same check, outcome and reason. Ids and other numbers may differ.
fn are_alike(one: &CaseReport, other: &CaseReport) -> bool {
    let same = |one: &Option<String>, other: &Option<String>| {
        one == other || one.as_deref().map(without_numbers) == other.as_deref().map(without_numbers)
    };
    one.check == other.check
        && one.outcome == other.outcome
        && one.level == other.level
        && same(&one.expected, &other.expected)
        && same(&one.actual, &other.actual)
}
