//! What could not be tested, by what stood in the way.

use std::fmt::{self, Write as _};

use suite::{Outcome, Report};

use super::finding::label;
use super::{BOLD, DIM, Detail, Layout, style};
use crate::findings::ObstacleGroup;
use crate::reproduction::reproduction_command;
use crate::text::visible;
use crate::wrap::wrap;

/// How many of the checks are named.
const MAX_NAMED: usize = 8;

/// The reason, and some of the checks, unless it is the only obstacle, which concerns nearly all of them.
pub(super) fn in_full(
    out: &mut String,
    report: &Report,
    obstacle: &ObstacleGroup<'_>,
    is_only: bool,
    look: &Layout,
) -> fmt::Result {
    writeln!(out)?;
    let (colour, label) = (style(Outcome::Blocked), label(Outcome::Blocked));
    let told = format!("{BOLD}{} blocked{BOLD:#}: {}", obstacle.checks(), visible(obstacle.reason));
    let lines = wrap(&told, look.room(2)).join("\n  ");
    writeln!(out, "{colour}{label}{colour:#}  {lines}")?;
    let named = match look.detail {
        Detail::Everything => usize::MAX,
        Detail::Brief | Detail::Findings if is_only => 0,
        Detail::Brief | Detail::Findings => MAX_NAMED,
    };
    for group in obstacle.groups.iter().take(named) {
        let (check, protocols) = (visible(&group.case.check), group.protocols().join(" "));
        writeln!(out, "  {check}   {DIM}{protocols}{DIM:#}")?;
    }
    match &obstacle.groups[..] {
        [only] => {
            let again = reproduction_command(report, &only.case.check, &only.protocols);
            writeln!(out, "  {DIM}{:9}{DIM:#} {}", "again", visible(&again))
        }
        all if named == 0 => {
            writeln!(out, "  {DIM}--verbose names all {} of them{DIM:#}", all.len())
        }
        all if all.len() > named => {
            writeln!(out, "  {DIM}… and {} more; --verbose names them{DIM:#}", all.len() - named)
        }
        _ => Ok(()),
    }
}

/// The reason, in a line.
pub(super) fn brief(out: &mut String, obstacle: &ObstacleGroup<'_>) -> fmt::Result {
    let (colour, label) = (style(Outcome::Blocked), label(Outcome::Blocked));
    writeln!(out, "{colour}{label}{colour:#}  {}: {}", obstacle.checks(), visible(obstacle.reason))
}
