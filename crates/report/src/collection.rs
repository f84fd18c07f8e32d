//! Reports of several targets, rendered together.

use suite::{Conclusion, Report};

use crate::text::name;

/// What came of several targets, each with a report of its own.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    reports: Vec<Report>,
}

impl Collection {
    /// One report for each target, in the order in which they are given. Runs against the same server that name it in the
    /// same words, such as the built-in one over two transports, are merged; two servers never are.
    pub fn new(reports: impl IntoIterator<Item = Report>) -> Self {
        let mut targets: Vec<Vec<Report>> = Vec::new();
        for report in reports {
            match targets.iter_mut().find(|runs| runs.first().is_some_and(|run| is_same(run, &report))) {
                Some(runs) => runs.push(report),
                None => targets.push(vec![report]),
            }
        }
        let merged = |runs: Vec<Report>| match <[Report; 1]>::try_from(runs) {
            Ok([only]) => only,
            Err(runs) => Report::merge(runs),
        };
        Self { reports: targets.into_iter().map(merged).collect() }
    }

    /// The reports.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// The reports, to be put together with others.
    pub fn into_reports(self) -> Vec<Report> {
        self.reports
    }

    /// The answer for all: not conformant if one target is not, else incomplete if one could not be tested in full.
    pub fn verdict(&self) -> Conclusion {
        let verdicts = self.reports.iter().map(Report::verdict);
        verdicts.reduce(Conclusion::worse).unwrap_or(Conclusion::Incomplete)
    }
}

impl From<Report> for Collection {
    fn from(report: Report) -> Self {
        Self { reports: vec![report] }
    }
}

/// What each target is called: its name, with the command or URL where several have the same.
pub(crate) fn labels(reports: &[Report]) -> Vec<String> {
    let names: Vec<_> = reports.iter().map(name).collect();
    let is_unique = |name: &String| names.iter().filter(|other| *other == name).count() == 1;
    let label = |(report, own): (&Report, &String)| {
        if is_unique(own) { own.clone() } else { format!("{own} · {}", report.target.description) }
    };
    reports.iter().zip(&names).map(label).collect()
}

fn is_same(one: &Report, other: &Report) -> bool {
    let (one, other) = (&one.target, &other.target);
    one.name == other.name && one.version == other.version && one.arguments == other.arguments
}
