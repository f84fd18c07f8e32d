//! Counts in words, and the reports of a section.

use suite::{CaseReport, Conclusion, Outcome, Report};

/// A part of the protocol, with its cases.
#[derive(Debug)]
pub(crate) struct ReportSection<'a> {
    /// The section.
    pub(crate) name: &'a str,
    /// Its cases, in the order of the report.
    pub(crate) cases: Vec<&'a CaseReport>,
}

/// The sections in the order in which they occur.
pub(crate) fn sections_of(report: &Report) -> Vec<ReportSection<'_>> {
    let mut parts: Vec<ReportSection<'_>> = Vec::new();
    for case in &report.cases {
        match parts.iter_mut().find(|part| part.name == case.section) {
            Some(part) => part.cases.push(case),
            None => parts.push(ReportSection { name: &case.section, cases: vec![case] }),
        }
    }
    parts
}

impl ReportSection<'_> {
    /// Why cases of the section do not apply, if there is one reason for all.
    pub(crate) fn reason(&self) -> Option<&str> {
        let mut reasons: Vec<_> = self
            .cases
            .iter()
            .filter(|case| case.outcome == Outcome::NotApplicable)
            .filter_map(|case| case.actual.as_deref())
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        match reasons[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// `count` cases of that outcome, in words.
pub(crate) fn count_in_words(outcome: Outcome, count: usize) -> String {
    match outcome {
        Outcome::Warned | Outcome::KnownFailure if count != 1 => format!("{count} {outcome}s"),
        Outcome::UnexpectedPass if count != 1 => format!("{count} unexpected passes"),
        _ => format!("{count} {outcome}"),
    }
}

/// All counts in one line.
pub(crate) fn summary(report: &Report) -> String {
    let counts: Vec<_> =
        report.counts.listed().map(|(outcome, count)| count_in_words(outcome, count)).collect();
    if counts.is_empty() { "nothing was run".to_owned() } else { counts.join(", ") }
}

/// The verdict in words.
pub(crate) const fn verdict(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Conformant => "conformant",
        Conclusion::NotConformant => "not conformant",
        Conclusion::Incomplete => "could not be tested in full",
    }
}
