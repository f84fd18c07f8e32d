//! JUnit XML: a suite for every revision and transport, a test case for every check.

mod escape;
mod tally;
mod test_case;

use std::fmt::{self, Write as _};

use suite::{Causes, Outcome, Report, RevisionReport};

use self::escape::escape_attribute;
use self::tally::TestTally;
use self::test_case::TestCase;
use crate::Collection;
use crate::collection::labels;
use crate::text;

/// The report as JUnit XML.
///
/// JUnit has no warnings, so a warning is a passed test with a note in its output. What could not be tested is an error, so
/// that an incomplete run is not green. What does not apply, is known to fail, or is blocked by a known failure is skipped,
/// with the reason.
pub fn render(report: &Report) -> String {
    render_suites(std::slice::from_ref(report))
}

/// The reports of several targets in one document.
pub fn render_all(collection: &Collection) -> String {
    render_suites(collection.reports())
}

fn render_suites(reports: &[Report]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, reports);
    out
}

fn write(out: &mut String, reports: &[Report]) -> fmt::Result {
    let mut tally = TestTally::default();
    let mut suites = String::new();
    for (report, label) in reports.iter().zip(labels(reports)) {
        let prefix = if reports.len() > 1 { format!("{label} ") } else { String::new() };
        tally = tally.plus(write_report(&mut suites, report, &prefix)?);
    }
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let took = seconds(reports.iter().map(|report| report.took_ms * 1000).sum());
    writeln!(out, r#"<testsuites name="yardstick" {tally} time="{took}">"#)?;
    out.push_str(&suites);
    writeln!(out, "</testsuites>")
}

/// A suite for every revision and transport, and one for what made the run incomplete.
fn write_report(out: &mut String, report: &Report, prefix: &str) -> Result<TestTally, fmt::Error> {
    let causes = Causes::new(report);
    let mut total = TestTally::default();
    for revision in report.revisions() {
        let of_it: Vec<_> = report.cases.iter().filter(|case| case.protocol == revision.protocol).collect();
        let mut transports: Vec<_> = of_it.iter().map(|case| case.transport.as_str()).collect();
        transports.sort_unstable();
        transports.dedup();
        for transport in transports {
            let cases: Vec<_> = of_it.iter().filter(|case| case.transport == transport).copied().collect();
            let tests: Vec<_> = cases.into_iter().map(|case| TestCase::from_case(case, &causes)).collect();
            let name = format!("{prefix}{} {transport}", revision.protocol);
            total = total.plus(suite(out, report, &name, Some(&revision), &tests)?);
        }
    }
    let gaps: Vec<_> = gaps(report).into_iter().map(|(name, why)| TestCase::gap(name, &why)).collect();
    if !gaps.is_empty() {
        total = total.plus(suite(out, report, &format!("{prefix}yardstick"), None, &gaps)?);
    }
    Ok(total)
}

/// What made the run incomplete, with the reason.
fn gaps(report: &Report) -> Vec<(String, String)> {
    let mut gaps = Vec::new();
    if let Some(why) = &report.unreached {
        gaps.push(("the target is reached".to_owned(), format!("nothing was measured: {why}")));
    }
    let verdicts = report.counts.listed().filter(|(outcome, _)| *outcome != Outcome::NotApplicable);
    if verdicts.count() == 0 && report.unreached.is_none() {
        gaps.push(("a check has a verdict".to_owned(), "nothing was tested".to_owned()));
    }
    for one in &report.unsettled {
        gaps.push((format!("{} is settled", one.protocol), one.why.clone()));
    }
    if report.interrupted {
        let why = "the run was interrupted, and what had not run by then was not tested";
        gaps.push(("the run is complete".to_owned(), why.to_owned()));
    }
    gaps
}

fn suite(
    out: &mut String,
    report: &Report,
    name: &str,
    revision: Option<&RevisionReport>,
    tests: &[TestCase<'_>],
) -> Result<TestTally, fmt::Error> {
    let tally = tests.iter().fold(TestTally::default(), |tally, test| tally.with(test.kind));
    let took = seconds(tests.iter().map(|test| test.took_us).sum());
    let target = &report.target;
    let at = target
        .at
        .as_deref()
        .map(|at| format!(r#" timestamp="{}""#, escape_attribute(at.trim_end_matches('Z'))));
    let (name, at) = (escape_attribute(name), at.unwrap_or_default());
    writeln!(out, r#"  <testsuite name="{name}" {tally} time="{took}"{at}>"#)?;
    let speaks = crate::revisions::join_versions(&target.speaks);
    let server = text::name(report);
    let verdict = revision.map(|revision| crate::tally::verdict(revision.verdict));
    let properties =
        [("target", target.description.as_str()), ("server", &server), ("speaks", &speaks)].into_iter();
    writeln!(out, "    <properties>")?;
    for (name, value) in properties.chain(verdict.map(|verdict| ("verdict", verdict))) {
        writeln!(out, r#"      <property name="{name}" value="{}"/>"#, escape_attribute(value))?;
    }
    writeln!(out, "    </properties>")?;
    for test in tests {
        let (name, class, took) =
            (escape_attribute(&test.name), escape_attribute(test.class), seconds(test.took_us));
        write!(out, r#"    <testcase name="{name}" classname="{class}" time="{took}""#)?;
        match test.inside.as_str() {
            "" => writeln!(out, "/>")?,
            inside => writeln!(out, ">\n      {inside}\n    </testcase>")?,
        }
    }
    writeln!(out, "  </testsuite>")?;
    Ok(tally)
}

/// Microseconds as seconds with three digits behind the point.
fn seconds(microseconds: u64) -> String {
    let milliseconds = microseconds / 1000;
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}
