//! What to do about a report: which findings to fix first, what was not tested, and how to get it tested.

use protocol::Version;
use suite::{CaseReport, Outcome, Report};

use crate::findings::{FindingGroup, Findings};
use crate::revisions::{findings_in_words, join_versions};
use crate::tally::{count_in_words, sections_of};

/// How many findings are named.
const MAX_FINDINGS: usize = 5;
/// How many reasons are named.
const MAX_REASONS: usize = 5;

const CALL_OPTIONS: &str = "--allow-calls all calls every tool, --tool NAME calls one";
const TOKEN_OPTION: &str = "--bearer TOKEN";
const TIMEOUT_OPTIONS: &str = "--timeout SECONDS waits longer, --start-timeout SECONDS for the first answer";

/// The digest of a report.
#[derive(Debug)]
pub(crate) struct Digest<'a> {
    /// How many findings there are.
    pub(crate) count: usize,
    /// The same in words, by outcome.
    pub(crate) counted: String,
    /// What to fix first.
    pub(crate) first: Vec<&'a FindingGroup<'a>>,
    /// How many findings follow after those.
    pub(crate) more: usize,
    /// What was not tested.
    pub(crate) untested: Vec<Untested>,
    /// Entries of the baseline that can go.
    pub(crate) unused: Vec<String>,
}

/// Something that was not tested.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Untested {
    /// What, and why.
    pub(crate) what: String,
    /// The option that gets it tested, unless the reason names it.
    pub(crate) how: Option<&'static str>,
}

impl<'a> Digest<'a> {
    /// The digest of `report`.
    pub(crate) fn from_report(report: &Report, findings: &'a Findings<'a>) -> Self {
        let mut first: Vec<_> = findings
            .found
            .iter()
            .filter(|group| matches!(group.case.outcome, Outcome::Failed | Outcome::Warned))
            .collect();
        first.sort_by_key(|group| rank(group));
        let more = first.len().saturating_sub(MAX_FINDINGS);
        first.truncate(MAX_FINDINGS);
        let unused = report.unused_entries.iter().map(|unused| format!("{}: {}", unused.entry, unused.why));
        Self {
            count: findings.found.len(),
            counted: counted_findings(findings),
            first,
            more,
            untested: untested(report, findings),
            unused: unused.collect(),
        }
    }
}

/// Orders findings: by level, then by how many checks they block, then by how many revisions they concern.
fn rank(group: &FindingGroup<'_>) -> impl Ord + use<> {
    use std::cmp::Reverse;
    (Reverse(group.case.level), Reverse(group.consequences.checks.len()), Reverse(group.protocols.len()))
}

fn counted_findings(findings: &Findings<'_>) -> String {
    let outcomes = [Outcome::Broke, Outcome::Failed, Outcome::UnexpectedPass, Outcome::Warned];
    let counts = outcomes.map(|outcome| (outcome, findings.count(outcome)));
    let words: Vec<_> = counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(outcome, count)| count_in_words(outcome, count))
        .collect();
    let mut text = findings_in_words(findings.found.len());
    if !words.is_empty() {
        text.push_str(&format!(": {}", words.join(", ")));
    }
    if !findings.known.is_empty() {
        text.push_str(&format!("; {}", count_in_words(Outcome::KnownFailure, findings.known.len())));
    }
    text
}

fn untested(report: &Report, findings: &Findings<'_>) -> Vec<Untested> {
    let mut untested = Vec::new();
    if let Some(why) = &report.unreached {
        let what = format!("nothing was measured: {why}");
        untested.push(Untested { how: option_for(&what), what });
    }
    if report.interrupted {
        let what = "what had not run when the run was interrupted".to_owned();
        untested.push(Untested { what, how: None });
    }
    untested.extend(unsettled(report));
    untested.extend(blocked(findings));
    untested.extend(calls(report));
    untested.extend(absent_sections(report));
    untested
}

/// Revisions that are unsettled for the same reason are reported together.
fn unsettled(report: &Report) -> Vec<Untested> {
    let mut reasons: Vec<(&str, Vec<Version>)> = Vec::new();
    for one in &report.unsettled {
        match reasons.iter_mut().find(|(why, _)| *why == one.why) {
            Some((_, versions)) => versions.push(one.protocol),
            None => reasons.push((&one.why, vec![one.protocol])),
        }
    }
    let told = |(why, versions): (&str, Vec<Version>)| {
        let what = format!("whether it speaks {}: {why}", join_versions(&versions));
        Untested { how: option_for(&what), what }
    };
    reasons.into_iter().map(told).collect()
}

fn blocked(findings: &Findings<'_>) -> Vec<Untested> {
    let mut untested = Vec::new();
    for group in findings.found.iter().chain(&findings.known) {
        if let Some(told) = group.consequences.in_words() {
            let kind = if group.case.outcome == Outcome::KnownFailure { "the known failure " } else { "" };
            let what = format!("{told}: because of {kind}{}", group.case.check);
            untested.push(Untested { what, how: None });
        }
    }
    for obstacle in &findings.obstacles {
        let what = format!("{}: {}", obstacle.checks(), obstacle.reason);
        untested.push(Untested { how: option_for(obstacle.reason), what });
    }
    let more = untested.len().saturating_sub(MAX_REASONS);
    if more > 0 {
        untested.truncate(MAX_REASONS);
        let noun = if more == 1 { "reason" } else { "reasons" };
        untested.push(Untested { what: format!("… and more, for {more} other {noun}"), how: None });
    }
    untested
}

/// Checks that do not apply only because tools were not called, or because there was no token to send.
fn calls(report: &Report) -> Vec<Untested> {
    let left_alone = checks_where(report, |why| {
        ["may be called", "is not called", "without side effects"].iter().any(|part| why.contains(part))
    });
    let no_token = checks_where(report, |why| why.starts_with("no token was given"));
    let told = |count: usize, why: &str, how| {
        let noun = if count == 1 { "check needs" } else { "checks need" };
        (count > 0).then(|| Untested { what: format!("{count} {noun} {why}"), how: Some(how) })
    };
    let needed = [
        told(left_alone, "calls of tools that do not say that they are read-only", CALL_OPTIONS),
        told(no_token, "a token", TOKEN_OPTION),
    ];
    needed.into_iter().flatten().collect()
}

/// How many checks do not apply in some revision for such a reason.
fn checks_where(report: &Report, is_reason: impl Fn(&str) -> bool) -> usize {
    let fits = |case: &&CaseReport| {
        case.outcome == Outcome::NotApplicable && case.actual.as_deref().is_some_and(&is_reason)
    };
    let mut ids: Vec<_> = report.cases.iter().filter(fits).map(|case| case.check.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

fn absent_sections(report: &Report) -> Option<Untested> {
    let is_absent = |case: &&CaseReport| case.outcome == Outcome::NotApplicable;
    let absent: Vec<_> = sections_of(report)
        .iter()
        .filter(|part| part.cases.iter().all(is_absent))
        .map(|part| part.name.to_owned())
        .collect();
    let what = format!("not applicable: {}", absent.join(", "));
    (!absent.is_empty()).then_some(Untested { what, how: None })
}

/// The option that gets it tested, unless the reason names one itself.
fn option_for(reason: &str) -> Option<&'static str> {
    let has = |parts: &[&str]| parts.iter().any(|part| reason.contains(part));
    if has(&["--"]) {
        None
    } else if has(&["HTTP 401", "a token"]) {
        Some(TOKEN_OPTION)
    } else if has(&["no answer", "not answer", "in time", "silent", "given up", "unanswered"]) {
        Some(TIMEOUT_OPTIONS)
    } else if has(&["may be called", "is not called"]) {
        Some(CALL_OPTIONS)
    } else {
        None
    }
}

/// The revisions of a group, as one text.
pub(crate) fn places(group: &FindingGroup<'_>) -> String {
    join_versions(&group.protocols)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_leads_to_its_option() {
        assert_eq!(option_for("the target gave no answer to ping within 3000 ms"), Some(TIMEOUT_OPTIONS));
        assert_eq!(option_for("the server was silent for 6152 ms and was given up"), Some(TIMEOUT_OPTIONS));
        assert_eq!(option_for("HTTP 401, it asks for a token: give one with --bearer TOKEN"), None);
        assert_eq!(option_for("the answer has no id"), None);
    }
}
