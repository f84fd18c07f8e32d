//! The report for a person at a terminal. Colours are ANSI codes; the caller strips them where they are not wanted.

mod cases;
mod digest;
mod finding;
mod obstacle;

use std::fmt::{self, Write as _};

use anstyle::{AnsiColor, Style};
use suite::{CaseReport, Conclusion, Counts, Outcome, Report};

use crate::Collection;
use crate::collection::labels;
use crate::digest::Digest;
use crate::findings::Findings;
use crate::revisions;
use crate::tally::{self, count_in_words, sections_of};
use crate::text::{self, visible};

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// How the report is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How many characters fit on a line; no line is broken when there is no limit.
    pub width: Option<usize>,
    /// How much the report shows.
    pub detail: Detail,
}

/// How much the report shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The findings in a line each, and the verdict.
    Brief,
    /// The sections, the findings with their evidence, and the verdict.
    #[default]
    Findings,
    /// Every case, and every message in full.
    Everything,
}

impl Default for Layout {
    fn default() -> Self {
        Self { width: None, detail: Detail::Findings }
    }
}

impl Layout {
    /// How many characters fit on a line after `indent` of them, but never just a few.
    fn room(&self, indent: usize) -> usize {
        self.width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(24))
    }
}

/// The whole report, with lines as long as they are.
pub fn render(report: &Report) -> String {
    render_as(report, &Layout::default())
}

/// The whole report, laid out as `look` says.
pub fn render_as(report: &Report, look: &Layout) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, report, look);
    out
}

/// The reports of several targets one after the other, and at the end a line for each.
pub fn render_all(collection: &Collection, look: &Layout) -> String {
    let reports = collection.reports();
    let mut out = reports.iter().map(|report| render_as(report, look)).collect::<Vec<_>>().join("\n\n");
    if reports.len() > 1 {
        // Writing to a string cannot fail.
        let _ = overview(&mut out, collection, look);
    }
    out
}

fn overview(out: &mut String, collection: &Collection, look: &Layout) -> fmt::Result {
    let verdict = collection.verdict();
    let colour = verdict_style(verdict);
    let word = tally::verdict(verdict);
    writeln!(out, "\n{BOLD}{} targets{BOLD:#}: {colour}{word}{colour:#}", collection.reports().len())?;
    for (report, name) in collection.reports().iter().zip(labels(collection.reports())) {
        let colour = verdict_style(report.verdict());
        let word = tally::verdict(report.verdict());
        let told = match (&report.unreached, revisions::sentence(report)) {
            (Some(why), _) => format!("{}: nothing was measured: {why}", visible(&name)),
            (None, sentence) => format!("{}: {sentence}", visible(&name)),
        };
        let lines = crate::wrap::wrap(&visible(&told), look.room(4)).join("\n    ");
        writeln!(out, "  {colour}{word}{colour:#}  {lines}")?;
    }
    Ok(())
}

/// The line that says what is measured.
pub fn header(report: &Report) -> String {
    let target = &report.target;
    let mut parts = vec![target.description.clone(), target.transport.clone()];
    if !report.viewed.is_empty() {
        parts.push(viewed(&report.viewed));
    } else if !target.speaks.is_empty() {
        let speaks: Vec<_> = target.speaks.iter().map(ToString::to_string).collect();
        parts.push(format!("speaks {}", speaks.join(", ")));
    }
    if target.name.is_some() {
        parts.push(text::name(report));
    }
    parts.retain(|part| !part.is_empty());
    visible(&parts.join(" · ")).into_owned()
}

fn write(out: &mut String, report: &Report, look: &Layout) -> fmt::Result {
    let header = crate::wrap::wrap(&header(report), look.room(2)).join("\n  ");
    writeln!(out, "{BOLD}{header}{BOLD:#}")?;
    if !report.cases.is_empty() {
        writeln!(out)?;
    }
    let findings = Findings::from_report(report);
    match look.detail {
        Detail::Brief => finding::brief(out, &findings)?,
        Detail::Findings => {
            sections(out, report, &findings, look)?;
            finding::write_findings(out, report, &findings, look)?;
        }
        Detail::Everything => {
            cases::write_cases(out, report, look)?;
            finding::write_findings(out, report, &findings, look)?;
        }
    }
    // The one obstacle stands just above.
    let is_said = findings.only_obstacle(report).is_some();
    if look.detail == Detail::Everything || (look.detail == Detail::Findings && !is_said) {
        digest::write(out, report, &Digest::from_report(report, &findings), look)?;
    }
    writeln!(out)?;
    let mut lines = vec![conclusion(report)];
    // For one revision, or if all are conformant, the conclusion says everything.
    if report.revisions().len() > 1 && report.verdict() != Conclusion::Conformant {
        lines.push(revisions::sentence(report));
    }
    lines.iter().try_for_each(|line| writeln!(out, "{}", crate::wrap::wrap(line, look.room(2)).join("\n  ")))
}

fn sections(out: &mut String, report: &Report, findings: &Findings<'_>, look: &Layout) -> fmt::Result {
    let mut parts = sections_of(report);
    if findings.only_obstacle(report).is_some() {
        let is_tested =
            |case: &&CaseReport| !matches!(case.outcome, Outcome::Blocked | Outcome::NotApplicable);
        parts.retain(|part| part.cases.iter().any(is_tested));
    }
    let width = parts.iter().map(|part| part.name.chars().count()).max().unwrap_or(0).max(11);
    for part in parts {
        let counts = Counts::count(part.cases.iter().map(|case| case.outcome));
        write!(out, "  {:width$}", visible(part.name))?;
        let mut listed: Vec<_> = counts.listed().collect();
        listed.sort_by_key(|(outcome, _)| *outcome != Outcome::Passed);
        let mut taken = width + 2;
        for (outcome, count) in listed {
            let style = style(outcome);
            let words = count_in_words(outcome, count);
            write!(out, "  {style}{words}{style:#}")?;
            taken += 2 + words.len();
            if let Some(reason) = part.reason().filter(|_| outcome == Outcome::NotApplicable) {
                let reason = visible(reason);
                write!(out, "{DIM}: {}{DIM:#}", text::cut(&reason, look.room(taken + 3)))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn conclusion(report: &Report) -> String {
    let verdict = report.verdict();
    let style = verdict_style(verdict);
    let (word, counts) = (tally::verdict(verdict), tally::summary(report));
    // A check counts once in every revision.
    let measured = report.revisions().into_iter().filter(|one| one.counts != Counts::default());
    let counts = match measured.count() {
        0 | 1 => counts,
        several => format!("{counts} in {several} revisions"),
    };
    format!("{style}{word}{style:#}: {counts} ({})", text::seconds(report.took_ms))
}

fn verdict_style(verdict: Conclusion) -> Style {
    let colour = match verdict {
        Conclusion::Conformant => AnsiColor::Green,
        Conclusion::NotConformant => AnsiColor::Red,
        Conclusion::Incomplete => AnsiColor::Yellow,
    };
    Style::new().bold().fg_color(Some(colour.into()))
}

fn style(outcome: Outcome) -> Style {
    let colour = match outcome {
        Outcome::Passed => AnsiColor::Green,
        Outcome::Failed | Outcome::Broke => AnsiColor::Red,
        Outcome::Warned | Outcome::Blocked | Outcome::UnexpectedPass => AnsiColor::Yellow,
        Outcome::NotApplicable | Outcome::KnownFailure => return Style::new().dimmed(),
    };
    Style::new().fg_color(Some(colour.into()))
}

/// How many apps were shown, and how often.
fn viewed(viewed: &[suite::ViewedApp]) -> String {
    let apps = viewed.chunk_by(|one, other| one.subject == other.subject).count();
    let noun = if apps == 1 { "app" } else { "apps" };
    format!("{apps} {noun}, shown {} times", viewed.len())
}
