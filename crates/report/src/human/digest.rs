//! The end of the report, next to the prompt: what to fix first, and what was not tested.

use std::fmt::{self, Write as _};

use suite::Report;

use super::{BOLD, DIM, Layout};
use crate::digest::{Digest, places};
use crate::text::visible;
use crate::wrap::{width_of, wrap};

pub(super) fn write(out: &mut String, report: &Report, digest: &Digest<'_>, look: &Layout) -> fmt::Result {
    // A single finding stands just above.
    if digest.count > 1 {
        findings(out, report, digest, look)?;
    }
    if !digest.untested.is_empty() {
        writeln!(out, "\n{BOLD}not tested{BOLD:#}")?;
    }
    for untested in &digest.untested {
        list(out, &untested.what, look)?;
        if let Some(how) = untested.how {
            let lines = wrap(how, look.room(4)).join("\n    ");
            writeln!(out, "    {DIM}{lines}{DIM:#}")?;
        }
    }
    if !digest.unused.is_empty() {
        writeln!(out, "\n{BOLD}without effect in the baseline{BOLD:#}")?;
    }
    digest.unused.iter().try_for_each(|entry| list(out, entry, look))
}

fn list(out: &mut String, text: &str, look: &Layout) -> fmt::Result {
    let lines = wrap(&visible(text), look.room(4)).join("\n    ");
    writeln!(out, "  {lines}")
}

fn findings(out: &mut String, report: &Report, digest: &Digest<'_>, look: &Layout) -> fmt::Result {
    let order = if digest.first.len() > 1 { "; fix first" } else { "" };
    let counted = wrap(&format!("{}{order}", digest.counted), look.room(2)).join("\n  ");
    writeln!(out, "\n{BOLD}{counted}{BOLD:#}")?;
    let width = digest.first.iter().map(|group| group.case.check.chars().count()).max().unwrap_or(0);
    for group in &digest.first {
        let (check, strength) = (visible(&group.case.check), group.strength());
        let place = format!("{check:width$}  {strength:7}");
        let mut told = visible(&group.case.title).into_owned();
        // All that the target speaks stand at the top.
        if group.protocols != report.target.speaks {
            told.push_str(&format!(" ({})", places(group)));
        }
        if width_of(&place) + 2 + width_of(&told) <= look.room(2) {
            writeln!(out, "  {place}  {told}")?;
        } else {
            let told = wrap(&told, look.room(4)).join("\n    ");
            writeln!(out, "  {}\n    {told}", place.trim_end())?;
        }
    }
    if digest.more > 0 {
        writeln!(out, "  {DIM}… and {} more{DIM:#}", digest.more)?;
    }
    Ok(())
}
