//! How an app looks, beside pictures of how it looked before.

use protocol::Span;
use server::fault::view as fault;

use crate::app::Comparison;
use crate::app::rows::EVERY_ROW;
use crate::{AppCx, Applies, Check, Evidence, Finding, Run, Verdict, advice};

pub(in crate::checks) const CHECKS: &[Check] = &[UNCHANGED];

/// No specification asks for it. If the user gave pictures, it binds like a MUST.
pub(crate) const UNCHANGED: Check = Check {
    id: "app/looks/unchanged",
    title: "an app looks as in its reference pictures",
    cites: &[advice("https://playwright.dev/docs/test-snapshots", Span::ALWAYS)],
    aliases: &[],
    why: "a change of a style or of a dependency can spoil an app in one kind of host while all else works",
    fix: "look at the pictures of the difference; if the new look is wanted, run with --update-screenshots",
    applies: Applies::ToViews,
    run: Run::App(EVERY_ROW, unchanged),
    fault: &fault::LOOKS_DIFFERENT,
};

fn unchanged(cx: &AppCx<'_>) -> Verdict {
    let (mut different, mut missing, mut unreadable, mut same) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for viewing in cx.viewings {
        let row = viewing.row.name;
        match &viewing.comparison {
            None => {}
            Some(Comparison::Same | Comparison::Updated) => same += 1,
            Some(Comparison::Missing) => missing.push(row),
            Some(Comparison::Unreadable(why)) => unreadable.push(format!("{row}: {why}")),
            Some(Comparison::Different { difference, .. }) => {
                different.push(format!("{row}: {}", difference.describe()));
            }
        }
    }
    if !different.is_empty() {
        let evidence = Evidence::new("the app as in its reference pictures", different.join("; "));
        return Err(Finding::Violated(Box::new(evidence)));
    }
    if !missing.is_empty() {
        let rows = missing.join(", ");
        return Err(Finding::blocked(format!(
            "there is no reference picture for {rows}; --update-screenshots writes it"
        )));
    }
    match (unreadable.is_empty(), same) {
        (false, _) => Err(Finding::blocked(unreadable.join("; "))),
        (true, 0) => Err(Finding::not_applicable("no reference pictures were given (--screenshots)")),
        (true, _) => Ok(()),
    }
}
