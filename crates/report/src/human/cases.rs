//! All cases, one line each, by section.

use std::fmt::{self, Write as _};

use suite::{CaseReport, Report};

use super::{BOLD, DIM, Layout, style};
use crate::findings::plain_name;
use crate::tally::sections_of;
use crate::text::{self, visible};

/// Every check, with what came of it in each revision.
pub(super) fn write_cases(out: &mut String, report: &Report, look: &Layout) -> fmt::Result {
    for part in sections_of(report) {
        writeln!(out, "{BOLD}{}{BOLD:#}", visible(part.name))?;
        for case in part.cases {
            line(out, case, look)?;
        }
    }
    Ok(())
}

fn line(out: &mut String, case: &CaseReport, look: &Layout) -> fmt::Result {
    let colour = style(case.outcome);
    let (check, transport) = (visible(&case.check), visible(&case.transport));
    let place = case.subject.as_deref().map_or_else(|| case.protocol.to_string(), plain_name);
    write!(out, "  {colour}{:15}{colour:#} {check} {DIM}{place} {transport}", case.outcome)?;
    if let Some(actual) = &case.actual {
        let taken = 22 + check.len() + place.len() + transport.len();
        let actual = visible(actual);
        write!(out, ": {}", text::cut(&actual, look.room(taken)))?;
    }
    writeln!(out, "{DIM:#}")
}
