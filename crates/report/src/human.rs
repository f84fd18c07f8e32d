//! The report for a person at a terminal. Colours are ANSI codes; whoever prints strips them where they do not belong.

use std::fmt::{self, Write as _};

use anstyle::{AnsiColor, Style};
use suite::{CaseReport, Conclusion, Counts, Excerpt, Outcome, Party, Report};

use crate::again::again;
use crate::findings::{Group, groups};

/// How much of a message is shown on its line.
const LINE: usize = 150;
/// How many messages are shown for one finding.
const FRAMES: usize = 6;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// The whole report.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, report);
    out
}

/// The line that says what is measured.
pub fn header(report: &Report) -> String {
    let target = &report.target;
    let mut parts = vec![target.description.clone(), target.transport.clone()];
    if !target.speaks.is_empty() {
        let speaks: Vec<_> = target.speaks.iter().map(ToString::to_string).collect();
        parts.push(format!("speaks {}", speaks.join(", ")));
    }
    if let Some(name) = &target.name {
        parts.push(format!("{name} {}", target.version.as_deref().unwrap_or_default()).trim_end().to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

fn write(out: &mut String, report: &Report) -> fmt::Result {
    writeln!(out, "{BOLD}{}{BOLD:#}\n", header(report))?;
    sections(out, report)?;
    for outcome in
        [Outcome::Broke, Outcome::Failed, Outcome::UnexpectedPass, Outcome::Blocked, Outcome::Warned]
    {
        for group in groups(report, outcome) {
            finding(out, report, &group)?;
        }
    }
    writeln!(out, "\n{}", conclusion(report))
}

fn sections(out: &mut String, report: &Report) -> fmt::Result {
    let mut names: Vec<&str> = Vec::new();
    for case in &report.cases {
        if !names.contains(&case.section.as_str()) {
            names.push(&case.section);
        }
    }
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0).max(11);
    for name in names {
        let cases: Vec<_> = report.cases.iter().filter(|case| case.section == name).collect();
        let counts = Counts::of(cases.iter().map(|case| case.outcome));
        write!(out, "  {name:width$}")?;
        let mut listed: Vec<_> = counts.listed().collect();
        listed.sort_by_key(|(outcome, _)| *outcome != Outcome::Passed);
        for (outcome, count) in listed {
            let style = style(outcome);
            write!(out, "  {style}{}{style:#}", counted(outcome, count))?;
            if outcome == Outcome::NotApplicable {
                write!(out, "{DIM}{}{DIM:#}", reason(&cases))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Why cases of a section do not apply, if there is one reason for all.
fn reason(cases: &[&CaseReport]) -> String {
    let mut reasons: Vec<_> = cases
        .iter()
        .filter(|case| case.outcome == Outcome::NotApplicable)
        .filter_map(|case| case.actual.as_deref())
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    match reasons[..] {
        [only] => format!(": {only}"),
        _ => String::new(),
    }
}

fn finding(out: &mut String, report: &Report, group: &Group<'_>) -> fmt::Result {
    let case = group.case;
    let colour = style(case.outcome);
    let label = match case.outcome {
        Outcome::Warned => "WARNING".to_owned(),
        other => other.as_str().to_uppercase(),
    };
    let protocols: Vec<_> = group.protocols.iter().map(ToString::to_string).collect();
    writeln!(
        out,
        "\n{colour}{label}{colour:#}  {BOLD}{}{BOLD:#}   {}   {}",
        case.check,
        protocols.join(" "),
        case.level
    )?;
    writeln!(out, "  {}", case.title)?;
    for (name, text) in [("expected", &case.expected), ("actual", &case.actual)] {
        if let Some(text) = text {
            writeln!(out, "  {DIM}{name:9}{DIM:#} {text}")?;
        }
    }
    for frame in case.frames.iter().take(FRAMES) {
        writeln!(out, "  {}", line(frame))?;
    }
    if case.frames.len() > FRAMES {
        writeln!(out, "  {DIM}… and {} more messages{DIM:#}", case.frames.len() - FRAMES)?;
    }
    let mut notes = vec![("why", case.why.clone()), ("fix", case.fix.clone())];
    notes.extend(case.spec.iter().map(|url| ("spec", url.clone())));
    notes.push(("again", again(report, &case.check, &group.protocols)));
    for (name, text) in notes {
        writeln!(out, "  {DIM}{name:9}{DIM:#} {text}")?;
    }
    Ok(())
}

fn line(frame: &Excerpt) -> String {
    let arrow = match frame.from {
        Party::Client => "→",
        Party::Server => "←",
    };
    let mut text: String =
        frame.text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LINE).collect();
    if frame.text.chars().count() > LINE || frame.bytes.is_some() {
        text.push('…');
    }
    format!("{arrow} {text}")
}

fn conclusion(report: &Report) -> String {
    let (word, colour) = match report.verdict() {
        Conclusion::Conformant => ("conformant", AnsiColor::Green),
        Conclusion::NotConformant => ("not conformant", AnsiColor::Red),
        Conclusion::Incomplete => ("could not be tested in full", AnsiColor::Yellow),
    };
    let style = Style::new().bold().fg_color(Some(colour.into()));
    let counts: Vec<_> = report.counts.listed().map(|(outcome, count)| counted(outcome, count)).collect();
    let counts = if counts.is_empty() { "nothing was run".to_owned() } else { counts.join(", ") };
    let seconds = f64::from(u32::try_from(report.took_ms).unwrap_or(u32::MAX)) / 1000.0;
    format!("{style}{word}{style:#}: {counts} ({seconds:.1} s)")
}

fn counted(outcome: Outcome, count: usize) -> String {
    match outcome {
        Outcome::Warned | Outcome::KnownFailure if count != 1 => format!("{count} {outcome}s"),
        Outcome::UnexpectedPass if count != 1 => format!("{count} unexpected passes"),
        _ => format!("{count} {outcome}"),
    }
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
