//! JUnit XML: a suite for every revision and transport, a test case for every check.

use std::fmt::{self, Write as _};

use suite::{CaseReport, Counts, Outcome, Party, Report};

use crate::text::{self, visible, visible_lines};

/// The report as JUnit XML.
///
/// JUnit knows no warnings: a recommendation that is not followed passes and says so in its output. What could not be
/// tested, does not apply or is known to fail is skipped, with the reason.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> fmt::Result {
    let tally = Tally::of(report.counts);
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let took = seconds(report.took_ms * 1000);
    writeln!(out, r#"<testsuites name="yardstick" {tally} time="{took}">"#)?;
    let mut suites: Vec<_> =
        report.cases.iter().map(|case| (case.protocol, case.transport.as_str())).collect();
    suites.sort_unstable();
    suites.dedup();
    for (protocol, transport) in suites {
        let cases = report
            .cases
            .iter()
            .filter(|case| (case.protocol, case.transport.as_str()) == (protocol, transport));
        suite(out, report, &format!("{protocol} {transport}"), &cases.collect::<Vec<_>>())?;
    }
    writeln!(out, "</testsuites>")
}

fn suite(out: &mut String, report: &Report, name: &str, cases: &[&CaseReport]) -> fmt::Result {
    let tally = Tally::of(Counts::of(cases.iter().map(|case| case.outcome)));
    let took = seconds(cases.iter().map(|case| case.took_us).sum());
    let at = report
        .target
        .at
        .as_deref()
        .map(|at| format!(r#" timestamp="{}""#, escaped(at.trim_end_matches('Z'))));
    writeln!(
        out,
        r#"  <testsuite name="{}" {tally} time="{took}"{}>"#,
        escaped(name),
        at.unwrap_or_default()
    )?;
    let target = &report.target;
    let speaks: Vec<_> = target.speaks.iter().map(ToString::to_string).collect();
    writeln!(out, "    <properties>")?;
    for (name, value) in [
        ("target", target.description.as_str()),
        ("server", &text::name(report)),
        ("speaks", &speaks.join(", ")),
    ] {
        writeln!(out, r#"      <property name="{name}" value="{}"/>"#, escaped(value))?;
    }
    writeln!(out, "    </properties>")?;
    for case in cases {
        test(out, case)?;
    }
    writeln!(out, "  </testsuite>")
}

fn test(out: &mut String, case: &CaseReport) -> fmt::Result {
    let (name, class, took) = (escaped(&case.check), escaped(&case.section), seconds(case.took_us));
    write!(out, r#"    <testcase name="{name}" classname="{class}" time="{took}""#)?;
    let said = escaped(case.actual.as_deref().unwrap_or(&case.title));
    let level = case.level;
    match case.outcome {
        Outcome::Passed => return writeln!(out, "/>"),
        Outcome::Failed => {
            writeln!(out, ">\n      <failure message=\"{said}\" type=\"{level}\">{}</failure>", body(case))?;
        }
        Outcome::UnexpectedPass => {
            let said = "it passes, though the baseline says that it fails";
            writeln!(out, ">\n      <failure message=\"{said}\" type=\"unexpected pass\"/>")?;
        }
        Outcome::Broke => writeln!(out, ">\n      <error message=\"{said}\" type=\"broke\"/>")?,
        Outcome::Blocked => writeln!(out, ">\n      <skipped message=\"blocked: {said}\"/>")?,
        Outcome::NotApplicable => writeln!(out, ">\n      <skipped message=\"not applicable: {said}\"/>")?,
        Outcome::KnownFailure => writeln!(out, ">\n      <skipped message=\"known failure: {said}\"/>")?,
        Outcome::Warned => {
            writeln!(out, ">\n      <system-out>warning ({level})\n{}</system-out>", body(case))?;
        }
    }
    writeln!(out, "    </testcase>")
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
    text.push_str(&format!("why: {}\nfix: {}\n", case.why, case.fix));
    for url in &case.spec {
        text.push_str(&format!("spec: {url}\n"));
    }
    escape(&visible_lines(&text))
}

/// The counts that JUnit has.
struct Tally {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Tally {
    const fn of(counts: Counts) -> Self {
        let failures = counts.failed + counts.unexpected_passes;
        let skipped = counts.blocked + counts.not_applicable + counts.known_failures;
        let tests = counts.passed + counts.warned + failures + skipped + counts.broke;
        Self { tests, failures, errors: counts.broke, skipped }
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
