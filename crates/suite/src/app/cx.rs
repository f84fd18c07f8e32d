//! What a check of an app has to work with: the app in every row in which it was shown.

use serde_json::Value;
use wire::Entry;

use super::rows::STRICT;
use super::viewing::Viewing;
use crate::checks::INITIALIZES;
use crate::{Evidence, Excerpt, Finding, Party, Verdict};

/// What a check of an app has to work with.
#[derive(Clone, Copy, Debug)]
pub struct AppCx<'a> {
    /// The tool whose app is judged.
    pub tool: &'a str,
    /// The app in every row in which it was shown.
    pub viewings: &'a [Viewing],
}

/// What is wrong in one row.
#[derive(Clone, Debug)]
pub(crate) struct RowFinding {
    pub(crate) actual: String,
    pub(crate) frames: Vec<Excerpt>,
}

impl RowFinding {
    pub(crate) fn new(actual: impl Into<String>) -> Self {
        Self { actual: actual.into(), frames: Vec::new() }
    }

    /// With a message that shows it.
    #[must_use]
    pub(crate) fn with_entry(mut self, entry: &Entry) -> Self {
        self.frames.push(Excerpt::entry(entry));
        self
    }

    /// With lines that the View's browser wrote about it.
    #[must_use]
    pub(crate) fn with_lines<'l>(mut self, lines: impl IntoIterator<Item = &'l str>) -> Self {
        let lines = lines.into_iter().take(MAX_LINES);
        self.frames.extend(lines.map(|line| Excerpt::from_bytes(Party::Client, line.as_bytes())));
        self
    }
}

/// How many lines are quoted at most.
const MAX_LINES: usize = 5;

impl<'a> AppCx<'a> {
    /// The app in the row of that name, if it was shown there.
    pub(crate) fn row(&self, name: &str) -> Option<&'a Viewing> {
        self.viewings.iter().find(|viewing| viewing.row.name == name)
    }

    /// The app in the row that all others are compared with.
    pub(crate) fn strict(&self) -> Option<&'a Viewing> {
        self.row(STRICT)
    }

    /// The app in these rows, as far as it was shown there and completed its handshake. A finding says why there is none.
    pub(crate) fn ready_viewings(&self, rows: &[&str]) -> Result<Vec<&'a Viewing>, Finding> {
        let here: Vec<_> = rows.iter().filter_map(|name| self.row(name)).collect();
        let names = rows.join(", ");
        let Some(first) = here.first() else {
            return Err(Finding::not_applicable(format!("the app was not shown in the row {names}")));
        };
        let ready: Vec<_> = here.iter().copied().filter(|viewing| viewing.initialized.is_some()).collect();
        match (ready.is_empty(), &first.trouble) {
            (false, _) => Ok(ready),
            (true, Some(why)) => Err(Finding::blocked(format!("in the row {}: {why}", first.row.name))),
            (true, None) => {
                let why = format!("the app never completed its handshake in the row {}", first.row.name);
                Err(Finding::blocked_by(INITIALIZES.id, why))
            }
        }
    }

    /// Passes unless `judge` finds something in one of `rows`; the evidence is that of the first row, and names all of them.
    pub(crate) fn judge(
        &self,
        rows: &[&str],
        expected: &str,
        judge: impl Fn(&'a Viewing) -> Option<RowFinding>,
    ) -> Verdict {
        let mut found: Vec<(&str, RowFinding)> = Vec::new();
        for viewing in self.ready_viewings(rows)? {
            found.extend(judge(viewing).map(|finding| (viewing.row.name, finding)));
        }
        let Some((_, first)) = found.first().cloned() else { return Ok(()) };
        let rows: Vec<&str> = found.iter().map(|(row, _)| *row).collect();
        let actual = format!("{} (host: {})", first.actual, rows.join(", "));
        let mut evidence = Evidence::new(expected, actual);
        evidence.frames = first.frames;
        Err(Finding::Violated(Box::new(evidence)))
    }

    /// The errors of `viewing` that the app does not have in the row that all others are compared with.
    pub(crate) fn new_errors(&self, viewing: &'a Viewing) -> Vec<&'a str> {
        let usual: Vec<&str> = match self.strict() {
            Some(strict) if strict.row.name != viewing.row.name => {
                errors_of(strict).map(first_line).collect()
            }
            Some(_) | None => Vec::new(),
        };
        errors_of(viewing).filter(|error| !usual.contains(&first_line(error))).collect()
    }

    /// An error that this row alone brings about.
    pub(crate) fn find_new_errors(&self, viewing: &'a Viewing) -> Option<RowFinding> {
        let errors = self.new_errors(viewing);
        let first = errors.first()?;
        Some(RowFinding::new(format!("an uncaught error: {}", first_line(first))).with_lines(errors))
    }

    /// What the app's resource declares, as in `_meta.ui`.
    pub(crate) fn declared_meta(&self, part: &str) -> &'a Value {
        const NULL: &Value = &Value::Null;
        let known = self.viewings.iter().map(|viewing| &viewing.view[part]["declared"]);
        known.into_iter().find(|value| !value.is_null()).unwrap_or(NULL)
    }
}

/// The uncaught errors of a View, and the mistakes in its code that it caught and wrote on its console.
fn errors_of(viewing: &Viewing) -> impl Iterator<Item = &str> {
    const ERROR_NAMES: [&str; 4] = ["TypeError", "ReferenceError", "RangeError", "SyntaxError"];
    let written = viewing.console.iter().filter(|line| line.level == "error").map(|line| line.text.as_str());
    let mistakes = written.filter(|text| ERROR_NAMES.iter().any(|name| text.contains(name)));
    viewing.exceptions.iter().map(String::as_str).chain(mistakes)
}

/// The first line of an error, without the addresses that differ from run to run.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
