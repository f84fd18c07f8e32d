//! What could not be tested for one and the same reason, told once.

use std::fmt::{self, Write as _};

use super::finding::label;
use super::{BOLD, DIM, Detail, Look, style};
use crate::findings::Group;
use crate::text::visible;
use crate::wrap::wrap;

/// How many checks with the same reason are still told one by one.
const APART: usize = 3;
/// How many of them are named.
const NAMED: usize = 8;

/// Writes groups that share their reason, and gives back those that stand alone.
pub(super) fn by_reason<'a>(
    out: &mut String,
    groups: Vec<Group<'a>>,
    look: &Look,
) -> Result<Vec<Group<'a>>, fmt::Error> {
    let mut reasons: Vec<(Option<&str>, Vec<Group<'a>>)> = Vec::new();
    for group in groups {
        let reason = group.case.actual.as_deref();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, alike)) => alike.push(group),
            None => reasons.push((reason, vec![group])),
        }
    }
    let mut alone = Vec::new();
    for (reason, alike) in reasons {
        if alike.len() <= APART {
            alone.extend(alike);
        } else {
            folded(out, reason.unwrap_or("no reason given"), &alike, look)?;
        }
    }
    Ok(alone)
}

fn folded(out: &mut String, reason: &str, alike: &[Group<'_>], look: &Look) -> fmt::Result {
    let Some(first) = alike.first() else { return Ok(()) };
    let colour = style(first.case.outcome);
    let label = label(first.case.outcome);
    writeln!(out, "\n{colour}{label}{colour:#}  {BOLD}{} checks{BOLD:#}, for one reason", alike.len())?;
    for line in wrap(&visible(reason), look.room(2)) {
        writeln!(out, "  {line}")?;
    }
    let named = if look.detail == Detail::Everything { usize::MAX } else { NAMED };
    for group in alike.iter().take(named) {
        writeln!(out, "  {DIM}{}{DIM:#}", visible(&group.case.check))?;
    }
    if alike.len() > named {
        writeln!(out, "  {DIM}… and {} more; --verbose names them{DIM:#}", alike.len() - named)?;
    }
    Ok(())
}
