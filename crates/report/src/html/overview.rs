//! The top of the page: what was measured, the verdict, the counts, and the filters.

use std::fmt::{self, Write as _};

use suite::{Conclusion, Counts, Report};

use super::escape::{class, escape, sign};
use crate::collection::labels;
use crate::tally;
use crate::text;

/// How wide the bar is, in its own units.
const BAR_WIDTH: usize = 1000;

/// The title line.
pub(super) fn top(out: &mut String, reports: &[Report]) -> fmt::Result {
    writeln!(out, "<div class=\"top\"><span class=\"brand\">yardstick</span>")?;
    if let Some(at) = reports.iter().find_map(|report| report.target.at.as_deref()) {
        let at = escape(at);
        writeln!(out, "<time datetime=\"{at}\">{}</time>", at.replace('T', " ").replace('Z', " UTC"))?;
    }
    writeln!(out, "<button type=\"button\" id=\"theme\" hidden>Theme: auto</button></div>")
}

/// The targets, each with its verdict and the way to it.
pub(super) fn targets(out: &mut String, reports: &[Report]) -> fmt::Result {
    writeln!(out, "<nav aria-label=\"Targets\"><ul class=\"revisions\">")?;
    for (number, (report, label)) in reports.iter().zip(labels(reports)).enumerate() {
        let suffix = if number == 0 { String::new() } else { format!("-{}", number + 1) };
        let (tone, verdict) = (tone(report.verdict()), tally::verdict(report.verdict()));
        let name = escape(&label);
        writeln!(
            out,
            "<li class=\"{tone}\"><b><a href=\"#target{suffix}\">{name}</a></b> <span>{verdict}</span></li>"
        )?;
    }
    writeln!(out, "</ul></nav>")
}

/// The class that gives a verdict its colour.
pub(super) const fn tone(verdict: Conclusion) -> &'static str {
    match verdict {
        Conclusion::Conformant => "good",
        Conclusion::NotConformant => "bad",
        Conclusion::Incomplete => "open",
    }
}

/// What was measured, and what came of it.
pub(super) fn write(out: &mut String, report: &Report, suffix: &str) -> fmt::Result {
    let target = &report.target;
    let verdict = report.verdict();
    let word = match verdict {
        Conclusion::Conformant => "Conformant",
        Conclusion::NotConformant => "Not conformant",
        Conclusion::Incomplete => "Could not be tested in full",
    };
    writeln!(out, "<header class=\"{}\" id=\"target{suffix}\">", tone(verdict))?;
    writeln!(out, "<h1>{}</h1>\n<p class=\"target\">", escape(&text::name(report)))?;
    if !target.description.is_empty() {
        writeln!(out, "<code>{}</code><span class=\"line\"></span>", escape(&target.description))?;
    }
    if !target.transport.is_empty() {
        writeln!(out, "<span class=\"pill\">{}</span>", escape(&target.transport))?;
    }
    for version in &target.speaks {
        writeln!(out, "<span class=\"pill\">{version}</span>")?;
    }
    for offer in offers(report) {
        writeln!(out, "<span class=\"pill\">{offer}</span>")?;
    }
    writeln!(
        out,
        "</p>\n<p class=\"verdict\"><strong>{word}</strong> <span>{}, in {}</span></p>",
        escape(&tally::summary(report)),
        text::seconds(report.took_ms)
    )?;
    bar(out, report)?;
    writeln!(out, "</header>")
}

/// What the server offers, as far as it offers anything.
fn offers(report: &Report) -> Vec<String> {
    let Some(survey) = &report.survey else { return Vec::new() };
    [
        (survey.tools, "tool"),
        (survey.resources, "resource"),
        (survey.prompts, "prompt"),
        (survey.interfaces, "user interface"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, noun)| format!("{count} {noun}{}", if count == 1 { "" } else { "s" }))
    .collect()
}

/// The counts as lengths, on a ruler.
fn bar(out: &mut String, report: &Report) -> fmt::Result {
    let total: usize = report.counts.listed().map(|(_, count)| count).sum();
    if total == 0 {
        return Ok(());
    }
    let label = escape(&tally::summary(report));
    writeln!(
        out,
        "<svg class=\"ruler\" role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {BAR_WIDTH} 34\" preserveAspectRatio=\"none\">"
    )?;
    let mut left = 0;
    let mut seen = 0;
    for (outcome, count) in report.counts.listed() {
        seen += count;
        // The smallest count is still seen.
        let right = (BAR_WIDTH * seen / total).max(left + 4).min(BAR_WIDTH);
        writeln!(
            out,
            "<rect class=\"{}\" x=\"{left}\" y=\"0\" width=\"{}\" height=\"18\"/>",
            class(outcome),
            right - left
        )?;
        left = right;
    }
    for tick in 0..=40 {
        let length = if tick % 10 == 0 {
            12
        } else if tick % 5 == 0 {
            9
        } else {
            5
        };
        let x = tick * BAR_WIDTH / 40;
        writeln!(out, "<line x1=\"{x}\" x2=\"{x}\" y1=\"21\" y2=\"{}\"/>", 21 + length)?;
    }
    writeln!(out, "</svg>")
}

/// What can be chosen; shown only where the script runs.
pub(super) fn filters(out: &mut String, reports: &[Report]) -> fmt::Result {
    writeln!(
        out,
        "<form id=\"filters\" class=\"filters\" role=\"search\" aria-label=\"Filter the checks\" hidden>"
    )?;
    writeln!(out, "<div class=\"outcomes\" role=\"group\" aria-label=\"Outcomes\">")?;
    let counts = reports.iter().fold(Counts::default(), |counts, report| counts.plus(report.counts));
    for (outcome, count) in counts.listed() {
        let (class, sign) = (class(outcome), sign(outcome));
        writeln!(
            out,
            "<button type=\"button\" class=\"chip {class}\" data-outcome=\"{class}\" aria-pressed=\"true\">\
             <i aria-hidden=\"true\">{sign}</i> {outcome} <b>{count}</b></button>"
        )?;
    }
    writeln!(out, "</div><div class=\"choices\">")?;
    writeln!(
        out,
        "<input id=\"search\" type=\"search\" placeholder=\"Search ids, titles, messages\" aria-label=\"Search\" autocomplete=\"off\">"
    )?;
    let mut sections: Vec<String> = Vec::new();
    for part in reports.iter().flat_map(tally::sections_of) {
        if !sections.iter().any(|section| section == part.name) {
            sections.push(part.name.to_owned());
        }
    }
    choice(out, "section", "Every section", &sections)?;
    let cases = reports.iter().flat_map(|report| &report.cases);
    let mut versions: Vec<_> = cases.map(|case| case.protocol).collect();
    versions.sort_unstable();
    versions.dedup();
    choice(out, "protocol", "Every revision", &versions.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    writeln!(out, "<button type=\"button\" id=\"reset\">Reset</button></div></form>")
}

fn choice(out: &mut String, id: &str, all: &str, values: &[String]) -> fmt::Result {
    writeln!(out, "<select id=\"{id}\" aria-label=\"{all}\"><option value=\"\">{all}</option>")?;
    for value in values {
        writeln!(out, "<option>{}</option>", escape(value))?;
    }
    writeln!(out, "</select>")
}
