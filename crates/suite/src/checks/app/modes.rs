//! Display modes, as far as they can only be seen when the app runs.

use protocol::Span;
use server::fault::view as fault;

use crate::app::rows::name;
use crate::app::{RowFinding, first_line};
use crate::{AppCx, Applies, Check, Finding, Run, Verdict, must};

pub(in crate::checks) const CHECKS: &[Check] = &[KEPT];

/// A View must cope with an answer to ui/request-display-mode that names another mode than it asked for.
const KEPT: Check = Check {
    id: "app/modes/other-mode-handled",
    title: "an app copes with a host that keeps its display mode",
    cites: &[must("apps.mdx#requirements", Span::ALWAYS)],
    aliases: &[],
    why: "the app lays itself out for a mode that it is not in, or stops",
    fix: "take the mode from the answer, not from the request",
    applies: Applies::ToViews,
    run: Run::App(&[name::PRESSED, name::KEPT_MODE], keeps_declared_mode),
    fault: &fault::MODE_TAKEN_FOR_GRANTED,
};

fn keeps_declared_mode(cx: &AppCx<'_>) -> Verdict {
    let asks = |row: &str| {
        cx.row(row)
            .is_some_and(|viewing| viewing.sent_with_method("ui/request-display-mode").next().is_some())
    };
    if !asks(name::KEPT_MODE) {
        return Err(Finding::not_applicable("no button of the app asks for another display mode"));
    }
    let usual = cx.row(name::PRESSED);
    cx.judge(&[name::KEPT_MODE], "no error when the answer names another mode", |viewing| {
        let errors = cx.new_errors(viewing);
        let known: Vec<&str> = usual.map(|usual| cx.new_errors(usual)).unwrap_or_default();
        let is_known = |error: &&str| known.iter().any(|known| first_line(known) == first_line(error));
        let own: Vec<&str> = errors.into_iter().filter(|error| !is_known(error)).collect();
        let first = own.first()?;
        let (asked, _) = viewing.sent_with_method("ui/request-display-mode").next()?;
        let finding = RowFinding::new(format!("an uncaught error: {}", first_line(first)));
        Some(finding.with_entry(asked).with_lines(own))
    })
}
