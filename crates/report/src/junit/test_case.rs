//! Converts a case to a JUnit test case.

use std::borrow::Cow;

use suite::{CaseReport, Causes, Outcome, Party};

use super::escape::{escape, escape_attribute};
use crate::findings::plain_name;
use crate::text::{self, visible_lines};

/// A test case.
pub(super) struct TestCase<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) class: &'a str,
    pub(super) took_us: u64,
    pub(super) kind: TestResult,
    pub(super) inside: String,
}

/// The result of a test case in JUnit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TestResult {
    Passed,
    Failed,
    Error,
    Skipped,
}

impl<'a> TestCase<'a> {
    /// Converts `case`.
    pub(super) fn from_case(case: &'a CaseReport, causes: &Causes<'_>) -> Self {
        let said = escape_attribute(case.actual.as_deref().unwrap_or(&case.title));
        let strength = case.strength();
        let (kind, inside) = match case.outcome {
            Outcome::Passed => (TestResult::Passed, String::new()),
            Outcome::Failed => {
                let inside =
                    format!("<failure message=\"{said}\" type=\"{strength}\">{}</failure>", body(case));
                (TestResult::Failed, inside)
            }
            Outcome::UnexpectedPass => {
                let said = "it passes, though the baseline says that it fails";
                (TestResult::Failed, format!("<failure message=\"{said}\" type=\"unexpected pass\"/>"))
            }
            Outcome::Broke => (TestResult::Error, format!("<error message=\"{said}\" type=\"broke\"/>")),
            Outcome::Blocked => blocked(case, &said, causes),
            Outcome::NotApplicable => {
                (TestResult::Skipped, format!("<skipped message=\"not applicable: {said}\"/>"))
            }
            Outcome::KnownFailure => {
                (TestResult::Skipped, format!("<skipped message=\"known failure: {said}\"/>"))
            }
            Outcome::Warned => {
                let inside = format!("<system-out>warning ({strength})\n{}</system-out>", body(case));
                (TestResult::Passed, inside)
            }
        };
        let name = match &case.subject {
            Some(subject) => Cow::Owned(format!("{} ({})", case.check, plain_name(subject))),
            None => Cow::Borrowed(case.check.as_str()),
        };
        Self { name, class: &case.section, took_us: case.took_us, kind, inside }
    }

    /// A test case for something that made the run incomplete.
    pub(super) fn gap(name: String, why: &str) -> Self {
        let inside = format!("<error message=\"{}\" type=\"not tested\"/>", escape_attribute(why));
        Self { name: Cow::Owned(name), class: "yardstick", took_us: 0, kind: TestResult::Error, inside }
    }
}

/// A blocked case names the finding that explains it; one that a known failure explains is skipped like it.
fn blocked(case: &CaseReport, said: &str, causes: &Causes<'_>) -> (TestResult, String) {
    let because = causes.find(case).map(|cause| format!(" (because of {})", escape_attribute(&cause.check)));
    let message = format!("blocked: {said}{}", because.unwrap_or_default());
    if causes.is_excused(case) {
        return (TestResult::Skipped, format!("<skipped message=\"{message}\"/>"));
    }
    (TestResult::Error, format!("<error message=\"{message}\" type=\"blocked\"/>"))
}

/// The evidence, as text.
fn body(case: &CaseReport) -> String {
    let mut text = format!("{}\n", case.title);
    let notes = [("expected", case.expected.as_deref()), ("actual", case.actual.as_deref())];
    for (name, note) in notes.into_iter().filter_map(|(name, note)| Some((name, note?))) {
        text.push_str(&format!("{name}: {note}\n"));
    }
    for frame in &case.frames {
        let arrow = match frame.from {
            Party::Client => "→",
            Party::Server => "←",
        };
        text.push_str(&format!("{arrow} {}\n", text::message(frame)));
    }
    if let Some(known) = &case.known {
        text.push_str(&format!("known: {known}\n"));
    }
    text.push_str(&format!("why: {}\nfix: {}\n", case.why, case.fix));
    for url in &case.spec {
        text.push_str(&format!("spec: {url}\n"));
    }
    escape(&visible_lines(&text))
}
