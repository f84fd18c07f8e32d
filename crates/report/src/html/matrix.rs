//! The outcomes as a table: sections against revisions.

use std::fmt::{self, Write as _};

use suite::{CaseReport, Counts, Outcome, Report};

use super::escape::{class, escape};
use crate::tally::{count_in_words, sections_of};

/// The table; a cell that is chosen filters the checks.
pub(super) fn write(out: &mut String, report: &Report, suffix: &str) -> fmt::Result {
    let mut versions: Vec<_> = report.cases.iter().map(|case| case.protocol).collect();
    versions.sort_unstable();
    versions.dedup();
    if versions.is_empty() {
        return writeln!(out, "<p class=\"none\">Nothing was run.</p>");
    }
    writeln!(
        out,
        "<section id=\"overview{suffix}\" aria-labelledby=\"overview-title{suffix}\">\
         <h2 id=\"overview-title{suffix}\">Overview</h2>"
    )?;
    writeln!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"overview-title{suffix}\"><table><thead><tr><th scope=\"col\">Section</th>"
    )?;
    for version in &versions {
        writeln!(out, "<th scope=\"col\">{version}</th>")?;
    }
    writeln!(out, "</tr></thead><tbody>")?;
    for part in sections_of(report) {
        let name = escape(part.name);
        write!(out, "<tr><th scope=\"row\">{name}</th>")?;
        for version in &versions {
            let cases: Vec<_> = part.cases.iter().filter(|case| case.protocol == *version).copied().collect();
            cell(out, &name, version.as_str(), &cases)?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div></section>")
}

fn cell(out: &mut String, section: &str, version: &str, cases: &[&CaseReport]) -> fmt::Result {
    let counts = Counts::count(cases.iter().map(|case| case.outcome));
    let Some(tone) = worst(counts) else {
        return write!(out, "<td class=\"empty\"><span aria-label=\"no checks\">·</span></td>");
    };
    let words: Vec<_> = counts.listed().map(|(outcome, count)| count_in_words(outcome, count)).collect();
    let words = words.join(", ");
    let applicable = cases.len() - counts.not_applicable;
    let shown = if applicable == 0 { "n/a".to_owned() } else { format!("{}/{applicable}", counts.passed) };
    write!(
        out,
        "<td><button type=\"button\" class=\"cell {}\" data-section=\"{section}\" data-protocol=\"{version}\" \
         title=\"{words}\" aria-label=\"{section}, {version}: {words}\">{shown}</button></td>",
        class(tone)
    )
}

/// The worst outcome of a cell, which gives it its colour; `None` for an empty cell.
fn worst(counts: Counts) -> Option<Outcome> {
    counts.listed().next().map(|(outcome, _)| outcome)
}
