//! JUnit XML: a suite for every revision and transport, a test case for every check.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use suite::{CaseReport, Causes, Outcome, Party, Report, RevisionReport};

use crate::Collection;
use crate::text::{self, visible, visible_lines};

/// The report as JUnit XML.
///
/// JUnit knows no warnings: a recommendation that is not followed passes and says so in its output. What could not be
/// tested is an error, so that no run looks green that is not. What does not apply or is known to fail is skipped, with
/// the reason, and so is what a known failure blocks.
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
    let mut tally = Tally::default();
    let mut suites = String::new();
    for report in reports {
        let prefix = if reports.len() > 1 { format!("{} ", text::name(report)) } else { String::new() };
        tally = tally.plus(write_report(&mut suites, report, &prefix)?);
    }
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let took = seconds(reports.iter().map(|report| report.took_ms * 1000).sum());
    writeln!(out, r#"<testsuites name="yardstick" {tally} time="{took}">"#)?;
    out.push_str(&suites);
    writeln!(out, "</testsuites>")
}

/// A suite for every revision and transport, and one for what kept the run from being whole.
fn write_report(out: &mut String, report: &Report, prefix: &str) -> Result<Tally, fmt::Error> {
    let causes = Causes::new(report);
    let mut total = Tally::default();
    for revision in report.revisions() {
        let of_it: Vec<_> = report.cases.iter().filter(|case| case.protocol == revision.protocol).collect();
        let mut transports: Vec<_> = of_it.iter().map(|case| case.transport.as_str()).collect();
        transports.sort_unstable();
        transports.dedup();
        for transport in transports {
            let cases: Vec<_> = of_it.iter().filter(|case| case.transport == transport).copied().collect();
            let tests: Vec<_> = cases.into_iter().map(|case| Test::of(case, &causes)).collect();
            let name = format!("{prefix}{} {transport}", revision.protocol);
            total = total.plus(suite(out, report, &name, Some(&revision), &tests)?);
        }
    }
    let gaps: Vec<_> = gaps(report).into_iter().map(|(name, why)| Test::gap(name, &why)).collect();
    if !gaps.is_empty() {
        total = total.plus(suite(out, report, &format!("{prefix}yardstick"), None, &gaps)?);
    }
    Ok(total)
}

/// What kept the run from being whole, with the reason.
fn gaps(report: &Report) -> Vec<(String, String)> {
    let mut gaps = Vec::new();
    if let Some(why) = &report.unreached {
        gaps.push(("the target is reached".to_owned(), format!("nothing was measured: {why}")));
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

/// A test case.
struct Test<'a> {
    name: Cow<'a, str>,
    class: &'a str,
    took_us: u64,
    kind: Kind,
    inside: String,
}

/// What JUnit makes of an outcome.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Passed,
    Failed,
    Error,
    Skipped,
}

fn suite(
    out: &mut String,
    report: &Report,
    name: &str,
    revision: Option<&RevisionReport>,
    tests: &[Test<'_>],
) -> Result<Tally, fmt::Error> {
    let tally = tests.iter().fold(Tally::default(), |tally, test| tally.with(test.kind));
    let took = seconds(tests.iter().map(|test| test.took_us).sum());
    let target = &report.target;
    let at = target.at.as_deref().map(|at| format!(r#" timestamp="{}""#, escaped(at.trim_end_matches('Z'))));
    let (name, at) = (escaped(name), at.unwrap_or_default());
    writeln!(out, r#"  <testsuite name="{name}" {tally} time="{took}"{at}>"#)?;
    let speaks = crate::revisions::listed(&target.speaks);
    let server = text::name(report);
    let verdict = revision.map(|revision| crate::tally::verdict(revision.verdict));
    let properties =
        [("target", target.description.as_str()), ("server", &server), ("speaks", &speaks)].into_iter();
    writeln!(out, "    <properties>")?;
    for (name, value) in properties.chain(verdict.map(|verdict| ("verdict", verdict))) {
        writeln!(out, r#"      <property name="{name}" value="{}"/>"#, escaped(value))?;
    }
    writeln!(out, "    </properties>")?;
    for test in tests {
        let (name, class, took) = (escaped(&test.name), escaped(test.class), seconds(test.took_us));
        write!(out, r#"    <testcase name="{name}" classname="{class}" time="{took}""#)?;
        match test.inside.as_str() {
            "" => writeln!(out, "/>")?,
            inside => writeln!(out, ">\n      {inside}\n    </testcase>")?,
        }
    }
    writeln!(out, "  </testsuite>")?;
    Ok(tally)
}

impl<'a> Test<'a> {
    fn of(case: &'a CaseReport, causes: &Causes<'_>) -> Self {
        let said = escaped(case.actual.as_deref().unwrap_or(&case.title));
        let strength = case.strength();
        let (kind, inside) = match case.outcome {
            Outcome::Passed => (Kind::Passed, String::new()),
            Outcome::Failed => {
                let inside =
                    format!("<failure message=\"{said}\" type=\"{strength}\">{}</failure>", body(case));
                (Kind::Failed, inside)
            }
            Outcome::UnexpectedPass => {
                let said = "it passes, though the baseline says that it fails";
                (Kind::Failed, format!("<failure message=\"{said}\" type=\"unexpected pass\"/>"))
            }
            Outcome::Broke => (Kind::Error, format!("<error message=\"{said}\" type=\"broke\"/>")),
            Outcome::Blocked => blocked(case, &said, causes),
            Outcome::NotApplicable => {
                (Kind::Skipped, format!("<skipped message=\"not applicable: {said}\"/>"))
            }
            Outcome::KnownFailure => (Kind::Skipped, format!("<skipped message=\"known failure: {said}\"/>")),
            Outcome::Warned => {
                let inside = format!("<system-out>warning ({strength})\n{}</system-out>", body(case));
                (Kind::Passed, inside)
            }
        };
        Self { name: Cow::Borrowed(&case.check), class: &case.section, took_us: case.took_us, kind, inside }
    }

    fn gap(name: String, why: &str) -> Self {
        let inside = format!("<error message=\"{}\" type=\"not tested\"/>", escaped(why));
        Self { name: Cow::Owned(name), class: "yardstick", took_us: 0, kind: Kind::Error, inside }
    }
}

/// What a finding explains says which; what a known failure explains is borne with it.
fn blocked(case: &CaseReport, said: &str, causes: &Causes<'_>) -> (Kind, String) {
    let because = causes.find(case).map(|cause| format!(" (because of {})", escaped(&cause.check)));
    let message = format!("blocked: {said}{}", because.unwrap_or_default());
    if causes.is_excused(case) {
        return (Kind::Skipped, format!("<skipped message=\"{message}\"/>"));
    }
    (Kind::Error, format!("<error message=\"{message}\" type=\"blocked\"/>"))
}

/// The evidence, as text.
fn body(case: &CaseReport) -> String {
    let mut text = format!("{}\n", case.title);
    let notes = [("expected", case.expected.as_deref()), ("actual", case.actual.as_deref())];
    for (name, note) in notes.into_iter().filter_map(|(name, note)| Some((name, note?))) {
        text.push_str(&format!("{name}: {note}\n"));
    }
    for frame in &case.frames {
        let arrow = match frame.from {
            Party::Client => "→",
            Party::Server => "←",
        };
        text.push_str(&format!("{arrow} {}\n", text::message(frame)));
    }
    if let Some(known) = &case.known {
        text.push_str(&format!("known: {known}\n"));
    }
    text.push_str(&format!("why: {}\nfix: {}\n", case.why, case.fix));
    for url in &case.spec {
        text.push_str(&format!("spec: {url}\n"));
    }
    escape(&visible_lines(&text))
}

/// The counts that JUnit has.
#[derive(Clone, Copy, Default)]
struct Tally {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Tally {
    const fn with(self, kind: Kind) -> Self {
        let mut tally = Self { tests: self.tests + 1, ..self };
        match kind {
            Kind::Passed => {}
            Kind::Failed => tally.failures += 1,
            Kind::Error => tally.errors += 1,
            Kind::Skipped => tally.skipped += 1,
        }
        tally
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            tests: self.tests + other.tests,
            failures: self.failures + other.failures,
            errors: self.errors + other.errors,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tests, failures, errors, skipped } = self;
        write!(f, r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#)
    }
}

/// For an attribute: on one line, without what XML cannot carry.
fn escaped(text: &str) -> String {
    escape(&visible(text))
}

/// Control characters are gone by now; what is left that XML 1.0 has no place for are two noncharacters.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// Microseconds as seconds with three digits behind the point.
fn seconds(microseconds: u64) -> String {
    let milliseconds = microseconds / 1000;
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}
