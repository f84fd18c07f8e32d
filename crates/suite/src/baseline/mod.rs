//! A baseline: the list of known failures that people keep with their code.

mod filter;
mod lines;
mod names;
mod official;
mod yaml;

use std::fmt::Write as _;

use protocol::Version;
use thiserror::Error;

use crate::{Outcome, Report};

pub(crate) use filter::BaselineFilter;

/// Failures that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// What is known to fail.
    pub entries: Vec<Entry>,
    /// Entries of another tool's list that no check of ours answers, and why they are left aside.
    pub aside: Vec<String>,
}

/// One line of a baseline. It holds as long as anything that it covers fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As it was written.
    pub text: String,
    /// Ids, aliases, sections or prefixes of ids.
    pub checks: Vec<String>,
    /// The revision; any when not given.
    pub protocol: Option<Version>,
    /// The transport; any when not given.
    pub transport: Option<String>,
}

/// Why a baseline cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {what}")]
pub struct BaselineError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it, and the repair.
    pub what: String,
}

impl Baseline {
    /// Reads a list of ours (`CHECK [REVISION] [TRANSPORT]  # reason`), or the expected failures of the official suite.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        if yaml::is_mapping(text) { official::parse_official(text) } else { lines::parse_lines(text) }
    }

    /// A list of everything that falls short in `report`, one case a line, with the reason.
    pub fn write(report: &Report) -> String {
        let mut out = String::from(
            "# Known failures: CHECK [REVISION] [TRANSPORT]  # reason\n\
             # What is listed does not fail a run; once it passes, the run says so, and the line can go.\n",
        );
        for case in &report.cases {
            if !matches!(case.outcome, Outcome::Failed | Outcome::Warned | Outcome::KnownFailure) {
                continue;
            }
            let reason = case.actual.as_deref().unwrap_or(&case.title);
            let reason: String =
                reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(120).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{} {} {}  # {}", case.check, case.protocol, case.transport, reason.trim());
        }
        out
    }
}

impl Entry {
    fn covers(&self, check: &str, protocol: Version, transport: &str) -> bool {
        self.protocol.is_none_or(|wanted| wanted == protocol)
            && self.transport.as_deref().is_none_or(|wanted| wanted == transport)
            && self.names(check)
    }

    /// Whether it is about `check`, in any revision and over any transport.
    fn names(&self, check: &str) -> bool {
        crate::by_id(check)
            .is_some_and(|check| self.checks.iter().any(|name| crate::plan::matches(check, name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let case = crate::CaseReport {
            check: "server/tools/name-unique".to_owned(),
            subject: None,
            section: "tools".to_owned(),
            title: "names are unique".to_owned(),
            protocol: Version::V2025_11_25,
            transport: "http".to_owned(),
            level: crate::Level::Should,
            basis: crate::Basis::Stated,
            outcome: Outcome::Warned,
            expected: None,
            actual: Some("two tools\nare called `a`".to_owned()),
            because: None,
            known: None,
            frames: Vec::new(),
            why: String::new(),
            fix: String::new(),
            spec: Vec::new(),
            aliases: Vec::new(),
            took_us: 0,
        };
        let text = Baseline::write(&Report { cases: vec![case], ..Report::default() });
        assert!(
            text.ends_with("server/tools/name-unique 2025-11-25 http  # two tools are called `a`\n"),
            "{text}"
        );
        let baseline = Baseline::parse(&text).unwrap();
        assert_eq!(baseline.entries.len(), 1);
        assert!(baseline.entries[0].covers("server/tools/name-unique", Version::V2025_11_25, "http"));
        assert!(!baseline.entries[0].covers("server/tools/name-unique", Version::V2025_11_25, "stdio"));
        assert!(!baseline.entries[0].covers("server/tools/order-stable", Version::V2025_11_25, "http"));
    }
}
