//! What to do: the verdict on each revision, what to fix first, and what was not tested.

use std::fmt::{self, Write as _};

use suite::{Report, RevisionReport};

use super::escape::{class, escape};
use super::overview::tone;
use crate::digest::{Digest, places};
use crate::findings::Findings;
use crate::revisions::findings_in_words;
use crate::tally;

pub(super) fn write(out: &mut String, report: &Report, findings: &Findings<'_>, suffix: &str) -> fmt::Result {
    let revisions = report.revisions();
    if !revisions.is_empty() {
        writeln!(out, "<ul class=\"revisions\">")?;
        revisions.iter().try_for_each(|one| revision(out, one))?;
        writeln!(out, "</ul>")?;
    }
    let digest = Digest::from_report(report, findings);
    if !digest.first.is_empty() {
        writeln!(out, "<section class=\"digest\"><h2>Fix first</h2><p>{}</p><ol>", escape(&digest.counted))?;
        for group in &digest.first {
            let (id, title) = (escape(&group.case.check), escape(&group.case.title));
            writeln!(
                out,
                "<li><span class=\"badge {}\">{}</span> <a href=\"#{id}{suffix}\">{title}</a> \
                 <code>{id}</code> <span class=\"pill\">{}</span></li>",
                class(group.case.outcome),
                group.strength(),
                places(group)
            )?;
        }
        if digest.more > 0 {
            writeln!(out, "<li>… and {} more</li>", digest.more)?;
        }
        writeln!(out, "</ol></section>")?;
    }
    if !digest.untested.is_empty() {
        writeln!(out, "<section class=\"digest\"><h2>Not tested</h2><ul>")?;
        for untested in &digest.untested {
            let how = untested.how.map(|how| format!(" <code>{}</code>", escape(how))).unwrap_or_default();
            writeln!(out, "<li>{}{how}</li>", escape(&untested.what))?;
        }
        writeln!(out, "</ul></section>")?;
    }
    if !digest.unused.is_empty() {
        writeln!(out, "<section class=\"digest\"><h2>Without effect in the baseline</h2><ul>")?;
        for entry in &digest.unused {
            writeln!(out, "<li>{}</li>", escape(entry))?;
        }
        writeln!(out, "</ul></section>")?;
    }
    Ok(())
}

fn revision(out: &mut String, one: &RevisionReport) -> fmt::Result {
    let (tone, verdict) = (tone(one.verdict), tally::verdict(one.verdict));
    write!(out, "<li class=\"{tone}\"><b>{}</b> <span>{verdict}</span>", one.protocol)?;
    if !one.findings.is_empty() {
        write!(out, " <span>{}</span>", findings_in_words(one.findings.len()))?;
    }
    if let Some(why) = &one.why {
        write!(out, " <span>{}</span>", escape(why))?;
    }
    writeln!(out, "</li>")
}
