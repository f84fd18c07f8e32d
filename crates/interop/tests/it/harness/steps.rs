//! What a peer client reports, as something to assert on.

use serde::Deserialize;
use serde_json::Value;

use super::process::Finished;

/// The steps of one visit.
#[derive(Debug)]
pub(crate) struct Steps {
    title: String,
    steps: Vec<Step>,
    succeeded: bool,
    errors: String,
}

#[derive(Debug, Deserialize)]
struct Step {
    step: String,
    ok: bool,
    detail: Value,
}

impl Steps {
    pub(crate) fn from(title: String, finished: Finished) -> Self {
        let steps = finished.lines.iter().map(|line| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{title}: {line:?} is no step: {error}"))
        });
        Self { steps: steps.collect(), succeeded: finished.status.success(), errors: finished.errors, title }
    }

    /// Every step that was taken must have succeeded, and the client must have come to its end.
    #[track_caller]
    pub(crate) fn all_ok(self) -> Self {
        let failed: Vec<_> = self.steps.iter().filter(|step| !step.ok).collect();
        assert!(failed.is_empty() && self.succeeded, "{}: failed {failed:#?}\n{}", self.title, self.errors);
        self.detail("close");
        self
    }

    /// The names of the steps that failed.
    pub(crate) fn failed(&self) -> Vec<&str> {
        self.steps.iter().filter(|step| !step.ok).map(|step| step.step.as_str()).collect()
    }

    /// What the step reported.
    #[track_caller]
    pub(crate) fn detail(&self, name: &str) -> &Value {
        match self.steps.iter().find(|step| step.step == name) {
            Some(step) => &step.detail,
            None => {
                let taken: Vec<_> = self.steps.iter().map(|step| step.step.as_str()).collect();
                panic!("{}: there was no step {name}, only {taken:?}\n{}", self.title, self.errors)
            }
        }
    }
}
