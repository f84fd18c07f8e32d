//! The end of the report, next to the prompt: what to mend first, and what was not tested.

use std::fmt::{self, Write as _};

use super::{BOLD, DIM, Look};
use crate::digest::{Digest, places};
use crate::text::visible;
use crate::wrap::wrap;

pub(super) fn write(out: &mut String, digest: &Digest<'_>, look: &Look) -> fmt::Result {
    let counted = wrap(&digest.counted, look.room(2)).join("\n  ");
    writeln!(out, "\n{BOLD}{counted}{BOLD:#}")?;
    if !digest.first.is_empty() {
        writeln!(out, "\n{BOLD}mend first{BOLD:#}")?;
    }
    let width = digest.first.iter().map(|group| group.case.check.chars().count()).max().unwrap_or(0);
    for group in &digest.first {
        let (check, strength, title) = (&group.case.check, group.strength(), &group.case.title);
        list(out, &format!("{check:width$}  {strength:7}  {title}  {}", places(group)), look)?;
    }
    if digest.more > 0 {
        writeln!(out, "  {DIM}… and {} more{DIM:#}", digest.more)?;
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

fn list(out: &mut String, text: &str, look: &Look) -> fmt::Result {
    let lines = wrap(&visible(text), look.room(4)).join("\n    ");
    writeln!(out, "  {lines}")
}
