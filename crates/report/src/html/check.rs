//! A finding as a card, a check as a line that unfolds.

use std::fmt::{self, Write as _};

use suite::{CaseReport, Counts, Outcome, Report};

use super::escape::{class, escape, sign};
use super::frame::frames;
use crate::findings::{FindingGroup, ObstacleGroup, group_cases};
use crate::reproduction::reproduction_command;
use crate::tally::{ReportSection, count_in_words};

/// A finding, open.
pub(super) fn finding(out: &mut String, report: &Report, group: &FindingGroup<'_>) -> fmt::Result {
    let case = group.case;
    let (class, sign, outcome) = (class(case.outcome), sign(case.outcome), case.outcome);
    let keys: Vec<_> = group.protocols().iter().map(|version| format!("{class}@{version}")).collect();
    writeln!(
        out,
        "<article class=\"item card {class}\" data-section=\"{}\" data-keys=\"{}\"><header><span class=\"badge {class}\">\
         <i aria-hidden=\"true\">{sign}</i> {outcome}</span> <span class=\"level\">{}</span>",
        escape(&case.section),
        keys.join(" "),
        group.strength()
    )?;
    places(out, group)?;
    writeln!(
        out,
        "</header><h3>{}</h3><p class=\"id\"><code>{}</code></p>",
        escape(&case.title),
        escape(&case.check)
    )?;
    evidence(out, report, group)?;
    writeln!(out, "</article>")
}

/// What could not be tested for one reason.
pub(super) fn obstacle(out: &mut String, obstacle: &ObstacleGroup<'_>) -> fmt::Result {
    let (class, sign) = (class(Outcome::Blocked), sign(Outcome::Blocked));
    let mut keys: Vec<_> = obstacle.groups.iter().flat_map(FindingGroup::protocols).collect();
    keys.sort_unstable();
    keys.dedup();
    let keys: Vec<_> = keys.into_iter().map(|version| format!("{class}@{version}")).collect();
    let mut sections: Vec<_> = obstacle.groups.iter().map(|group| group.case.section.as_str()).collect();
    sections.dedup();
    writeln!(
        out,
        "<article class=\"item card {class}\" data-section=\"{}\" data-keys=\"{}\"><header><span class=\"badge {class}\">\
         <i aria-hidden=\"true\">{sign}</i> {}</span></header><h3>{} blocked: {}</h3><ul class=\"blocks\">",
        escape(&sections.join(" ")),
        keys.join(" "),
        Outcome::Blocked,
        obstacle.checks(),
        escape(obstacle.reason)
    )?;
    for group in &obstacle.groups {
        write!(out, "<li><code>{}</code> ", escape(&group.case.check))?;
        places(out, group)?;
        writeln!(out, "</li>")?;
    }
    writeln!(out, "</ul></article>")
}

fn places(out: &mut String, group: &FindingGroup<'_>) -> fmt::Result {
    write!(out, "<span class=\"places\">")?;
    for version in group.protocols() {
        write!(out, "<span class=\"pill\">{version}</span>")?;
    }
    for transport in &group.transports {
        write!(out, "<span class=\"pill\">{}</span>", escape(transport))?;
    }
    write!(out, "</span>")
}

/// Expected and actual, the messages, the reason, the repair, the page and the command.
fn evidence(out: &mut String, report: &Report, group: &FindingGroup<'_>) -> fmt::Result {
    let case = group.case;
    if case.expected.is_some() || case.actual.is_some() {
        writeln!(out, "<dl class=\"versus\">")?;
        for (name, text) in [("expected", &case.expected), ("actual", &case.actual)] {
            if let Some(text) = text {
                writeln!(out, "<div class=\"{name}\"><dt>{name}</dt><dd>{}</dd></div>", escape(text))?;
            }
        }
        writeln!(out, "</dl>")?;
    }
    frames(out, &case.frames, false)?;
    notes(out, group)?;
    if case.outcome.is_finding() || case.outcome == Outcome::KnownFailure {
        let again = escape(&reproduction_command(report, &case.check, &group.protocols));
        writeln!(
            out,
            "<div class=\"again\"><code tabindex=\"0\">{again}</code><button type=\"button\" class=\"copy\" hidden>Copy</button></div>"
        )?;
    }
    Ok(())
}

fn notes(out: &mut String, group: &FindingGroup<'_>) -> fmt::Result {
    let case = group.case;
    let fix = match case.outcome {
        Outcome::UnexpectedPass => "take it off the baseline: it passes now",
        _ => &case.fix,
    };
    writeln!(
        out,
        "<dl class=\"notes\"><dt>why</dt><dd>{}</dd><dt>fix</dt><dd>{}</dd>",
        escape(&case.why),
        escape(fix)
    )?;
    let consequences = group.consequences.in_words();
    let more = [
        ("known", case.known.as_deref()),
        ("also not tested because of this", consequences.as_deref()),
        ("level", group.meaning()),
    ];
    for (name, text) in more.into_iter().filter_map(|(name, text)| Some((name, text?))) {
        writeln!(out, "<dt>{name}</dt><dd>{}</dd>", escape(text))?;
    }
    for url in &case.spec {
        let shown = escape(url);
        // A saved report may have been edited: only a web address becomes a link.
        if url.starts_with("https://") {
            writeln!(
                out,
                "<dt>spec</dt><dd><a href=\"{shown}\" rel=\"noreferrer noopener\" target=\"_blank\">{}</a></dd>",
                shown.trim_start_matches("https://")
            )?;
        } else {
            writeln!(out, "<dt>spec</dt><dd>{shown}</dd>")?;
        }
    }
    writeln!(out, "</dl>")
}

/// A section, with its checks folded.
pub(super) fn section(
    out: &mut String,
    report: &Report,
    part: &ReportSection<'_>,
    suffix: &str,
) -> fmt::Result {
    let counts = Counts::count(part.cases.iter().map(|case| case.outcome));
    writeln!(out, "<details class=\"part\" open><summary><h3>{}</h3>", escape(part.name))?;
    for (outcome, count) in counts.listed() {
        write!(out, "<span class=\"tally {}\">{}</span>", class(outcome), count_in_words(outcome, count))?;
    }
    writeln!(out, "</summary>")?;
    let mut ids: Vec<&str> = Vec::new();
    for case in &part.cases {
        if !ids.contains(&case.check.as_str()) {
            ids.push(&case.check);
        }
    }
    for id in ids {
        let cases: Vec<_> = part.cases.iter().filter(|case| case.check == id).copied().collect();
        check(out, report, &cases, suffix)?;
    }
    writeln!(out, "</details>")
}

/// A check, with what came of it in every revision.
fn check(out: &mut String, report: &Report, cases: &[&CaseReport], suffix: &str) -> fmt::Result {
    let Some(first) = cases.first() else { return Ok(()) };
    let counts = Counts::count(cases.iter().map(|case| case.outcome));
    let worst = counts.listed().next().map_or(first.outcome, |(outcome, _)| outcome);
    let keys: Vec<_> =
        cases.iter().map(|case| format!("{}@{}", class(case.outcome), case.protocol)).collect();
    let (id, tone) = (escape(&first.check), class(worst));
    writeln!(
        out,
        "<details class=\"item row {tone}\" id=\"{id}{suffix}\" data-section=\"{}\" data-keys=\"{}\"><summary>\
         <i class=\"{tone}\" role=\"img\" aria-label=\"{worst}\">{}</i><span class=\"what\">{}</span><code>{id}</code>\
         <span class=\"dots\">",
        escape(&first.section),
        keys.join(" "),
        sign(worst),
        escape(&first.title)
    )?;
    for case in cases {
        let told = format!("{} {}: {}", case.protocol, escape(&case.transport), case.outcome);
        write!(
            out,
            "<i class=\"dot {}\" title=\"{told}\" role=\"img\" aria-label=\"{told}\"></i>",
            class(case.outcome)
        )?;
    }
    writeln!(out, "</span></summary><div class=\"inside\">")?;
    for group in group_cases(cases.iter().copied()) {
        let (class, sign, outcome) =
            (class(group.case.outcome), sign(group.case.outcome), group.case.outcome);
        write!(
            out,
            "<section class=\"outcome\"><p><span class=\"badge {class}\"><i aria-hidden=\"true\">{sign}</i> {outcome}</span> \
                     <span class=\"level\">{}</span>",
            group.strength()
        )?;
        places(out, &group)?;
        writeln!(out, "</p>")?;
        evidence(out, report, &group)?;
        writeln!(out, "</section>")?;
    }
    writeln!(out, "</div></details>")
}
