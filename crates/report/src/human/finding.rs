//! Findings, with the evidence and what to do about it.

use std::fmt::{self, Write as _};

use suite::{CaseReport, Excerpt, Outcome, Party, Report};

use super::{BOLD, DIM, Detail, Layout, obstacle, style};
use crate::findings::{FindingGroup, Findings};
use crate::reproduction::reproduction_command;
use crate::text::{self, visible};
use crate::wrap::wrap;

/// How much of a message is shown on its line.
const MAX_LINE_CHARS: usize = 150;
/// How many messages are shown for one finding.
const MAX_FRAMES: usize = 6;
/// Where the text of a note begins.
const INDENT: usize = 12;

/// Every finding, in full. What could not be tested stands before what is only recommended.
pub(super) fn write_findings(
    out: &mut String,
    report: &Report,
    findings: &Findings<'_>,
    look: &Layout,
) -> fmt::Result {
    let (warnings, others): (Vec<_>, Vec<_>) =
        findings.found.iter().partition(|group| group.case.outcome == Outcome::Warned);
    for group in others {
        finding(out, report, group, look)?;
    }
    let is_only = findings.only_obstacle(report).is_some();
    for obstacle in &findings.obstacles {
        obstacle::in_full(out, report, obstacle, is_only, look)?;
    }
    for group in warnings {
        finding(out, report, group, look)?;
    }
    Ok(())
}

/// Every finding, in a line.
pub(super) fn brief(out: &mut String, findings: &Findings<'_>) -> fmt::Result {
    for group in &findings.found {
        let colour = style(group.case.outcome);
        let (label, check) = (label(group.case.outcome), visible(&group.case.check));
        let protocols = group.protocols().join(" ");
        let said = visible(group.case.actual.as_deref().unwrap_or(&group.case.title));
        writeln!(out, "{colour}{label}{colour:#}  {check} {DIM}{protocols}{DIM:#}  {said}")?;
    }
    findings.obstacles.iter().try_for_each(|obstacle| obstacle::brief(out, obstacle))
}

pub(super) fn label(outcome: Outcome) -> String {
    outcome.as_str().to_uppercase()
}

fn finding(out: &mut String, report: &Report, group: &FindingGroup<'_>, look: &Layout) -> fmt::Result {
    let case = group.case;
    let colour = style(case.outcome);
    let (label, check, strength) = (label(case.outcome), visible(&case.check), group.strength());
    let protocols = group.protocols().join(" ");
    let heading = format!("{colour}{label}{colour:#}  {BOLD}{check}{BOLD:#}   {protocols}   {strength}");
    writeln!(out, "\n{}", wrap(&heading, look.room(0)).join("\n  "))?;
    for line in wrap(&visible(&case.title), look.room(2)) {
        writeln!(out, "  {line}")?;
    }
    for (name, text) in [("expected", &case.expected), ("actual", &case.actual)] {
        if let Some(text) = text {
            note(out, name, text, look)?;
        }
    }
    frames(out, case, look)?;
    if let Some(known) = &case.known {
        note(out, "known", known, look)?;
    }
    if let Some(told) = group.consequences.in_words() {
        note(out, "blocks", &format!("also not tested because of this: {told}"), look)?;
    }
    note(out, "why", &case.why, look)?;
    if case.outcome == Outcome::UnexpectedPass {
        note(out, "fix", "take it off the baseline: it passes now", look)?;
    } else {
        note(out, "fix", &case.fix, look)?;
    }
    if let Some(meaning) = group.meaning() {
        note(out, "level", meaning, look)?;
    }
    for url in &case.spec {
        note(out, "spec", url, look)?;
    }
    // Broken lines could not be pasted into a shell.
    writeln!(
        out,
        "  {DIM}{:9}{DIM:#} {}",
        "again",
        visible(&reproduction_command(report, &case.check, &group.protocols))
    )
}

fn note(out: &mut String, name: &str, text: &str, look: &Layout) -> fmt::Result {
    let mut name = name;
    for line in wrap(&visible(text), look.room(INDENT)) {
        writeln!(out, "  {DIM}{name:9}{DIM:#} {line}")?;
        name = "";
    }
    Ok(())
}

fn frames(out: &mut String, case: &CaseReport, look: &Layout) -> fmt::Result {
    let (count, limit) = match look.detail {
        Detail::Everything => (usize::MAX, usize::MAX),
        Detail::Brief | Detail::Findings => (MAX_FRAMES, MAX_LINE_CHARS.min(look.room(4).saturating_mul(2))),
    };
    let frames = &case.frames;
    // Whatever came back, the request that provoked it is shown.
    let is_sent = |frame: &&Excerpt| frame.from == Party::Client;
    let provoking = frames.iter().find(is_sent).filter(|_| !frames.iter().take(count).any(|it| is_sent(&it)));
    let rest = count - usize::from(provoking.is_some());
    for frame in provoking.into_iter().chain(frames.iter().take(rest)) {
        let arrow = match frame.from {
            Party::Client => "→",
            Party::Server => "←",
        };
        writeln!(out, "  {arrow} {}", text::message_of(case, frame, limit))?;
    }
    if frames.len() > count {
        let more = frames.len() - count;
        let noun = if more == 1 { "message" } else { "messages" };
        writeln!(out, "  {DIM}… and {more} more {noun}; --verbose shows them{DIM:#}")?;
    }
    Ok(())
}
