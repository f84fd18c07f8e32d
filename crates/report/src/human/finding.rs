//! Findings, with the evidence and what to do about it.

use std::fmt::{self, Write as _};

use suite::{Excerpt, Outcome, Party, Report};

use super::{BOLD, DIM, Detail, Look, fold, style};
use crate::again::again;
use crate::findings::{Group, groups};
use crate::text::{self, visible};
use crate::wrap::wrap;

/// How much of a message is shown on its line.
const LINE: usize = 150;
/// How many messages are shown for one finding.
const FRAMES: usize = 6;
/// Where the text of a note begins.
const INDENT: usize = 12;

/// The outcomes that a reader has to look at, worst first.
const ORDER: [Outcome; 5] =
    [Outcome::Broke, Outcome::Failed, Outcome::UnexpectedPass, Outcome::Blocked, Outcome::Warned];

/// Every finding, in full.
pub(super) fn all(out: &mut String, report: &Report, look: &Look) -> fmt::Result {
    for outcome in ORDER {
        for group in apart(out, report, outcome, look)? {
            finding(out, report, &group, look)?;
        }
    }
    Ok(())
}

/// Every finding, in a line.
pub(super) fn brief(out: &mut String, report: &Report, look: &Look) -> fmt::Result {
    for outcome in ORDER {
        for group in apart(out, report, outcome, look)? {
            let colour = style(outcome);
            let (label, check) = (label(outcome), visible(&group.case.check));
            let protocols = group.protocols().join(" ");
            let said = visible(group.case.actual.as_deref().unwrap_or(&group.case.title));
            writeln!(out, "{colour}{label}{colour:#}  {check} {DIM}{protocols}{DIM:#}  {said}")?;
        }
    }
    Ok(())
}

/// The findings that are told one by one; those that were blocked for a common reason are told here and now.
fn apart<'a>(
    out: &mut String,
    report: &'a Report,
    outcome: Outcome,
    look: &Look,
) -> Result<Vec<Group<'a>>, fmt::Error> {
    let groups = groups(report, outcome);
    if outcome == Outcome::Blocked { fold::by_reason(out, groups, look) } else { Ok(groups) }
}

pub(super) fn label(outcome: Outcome) -> String {
    outcome.as_str().to_uppercase()
}

fn finding(out: &mut String, report: &Report, group: &Group<'_>, look: &Look) -> fmt::Result {
    let case = group.case;
    let colour = style(case.outcome);
    let (label, check, level) = (label(case.outcome), visible(&case.check), case.level);
    let protocols = group.protocols().join(" ");
    writeln!(out, "\n{colour}{label}{colour:#}  {BOLD}{check}{BOLD:#}   {protocols}   {level}")?;
    for line in wrap(&visible(&case.title), look.room(2)) {
        writeln!(out, "  {line}")?;
    }
    for (name, text) in [("expected", &case.expected), ("actual", &case.actual)] {
        if let Some(text) = text {
            note(out, name, text, look)?;
        }
    }
    frames(out, &case.frames, look)?;
    note(out, "why", &case.why, look)?;
    if case.outcome == Outcome::UnexpectedPass {
        note(out, "fix", "take it off the baseline: it passes now", look)?;
    } else {
        note(out, "fix", &case.fix, look)?;
    }
    for url in &case.spec {
        note(out, "spec", url, look)?;
    }
    // Broken lines could not be pasted into a shell.
    writeln!(out, "  {DIM}{:9}{DIM:#} {}", "again", visible(&again(report, &case.check, &group.protocols)))
}

fn note(out: &mut String, name: &str, text: &str, look: &Look) -> fmt::Result {
    let mut name = name;
    for line in wrap(&visible(text), look.room(INDENT)) {
        writeln!(out, "  {DIM}{name:9}{DIM:#} {line}")?;
        name = "";
    }
    Ok(())
}

fn frames(out: &mut String, frames: &[Excerpt], look: &Look) -> fmt::Result {
    let (count, limit) = match look.detail {
        Detail::Everything => (usize::MAX, usize::MAX),
        Detail::Brief | Detail::Findings => (FRAMES, LINE.min(look.room(4).saturating_mul(2))),
    };
    for frame in frames.iter().take(count) {
        writeln!(out, "  {}", line(frame, limit))?;
    }
    if frames.len() > count {
        let more = frames.len() - count;
        let noun = if more == 1 { "message" } else { "messages" };
        writeln!(out, "  {DIM}… and {more} more {noun}; --verbose shows them{DIM:#}")?;
    }
    Ok(())
}

fn line(frame: &Excerpt, limit: usize) -> String {
    let arrow = match frame.from {
        Party::Client => "→",
        Party::Server => "←",
    };
    let text = visible(&frame.text);
    let cut = text::cut(&text, limit);
    let more = if frame.bytes.is_some() && !cut.ends_with('…') { "…" } else { "" };
    format!("{arrow} {cut}{more}")
}
