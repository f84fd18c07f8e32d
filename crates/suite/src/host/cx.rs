//! What a check of a host has to work with.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::facts::{ActFailure, HostFacts, SceneFacts};
use crate::checks::SHOWN;
use crate::{Finding, Verdict};

/// What a check of a host has to work with: the facts of one run.
#[derive(Debug)]
pub struct HostCx<'a> {
    /// What was collected.
    pub facts: &'a HostFacts,
    /// The scenes that were asked for and not shown.
    missing: RefCell<BTreeSet<String>>,
}

impl<'a> HostCx<'a> {
    /// The facts, as a check sees them.
    pub fn new(facts: &'a HostFacts) -> Self {
        Self { facts, missing: RefCell::default() }
    }

    /// The scenes that checks asked for, and that were not shown.
    pub(crate) fn into_missing(self) -> BTreeSet<String> {
        self.missing.into_inner()
    }

    /// What the scene of that name showed, where its View told all that it had to tell.
    pub fn scene(&self, name: &str) -> Result<&'a SceneFacts, Finding> {
        let facts = self.shown(name)?;
        if facts.is_complete() {
            return Ok(facts);
        }
        let errors = &facts.told["errors"];
        let why = match facts.told.is_null() {
            true => format!("the View of the scene {name} told nothing"),
            false => format!("the View of the scene {name} did not come to its end: {errors}"),
        };
        Err(Finding::blocked_by(SHOWN.id, why))
    }

    /// What the scene of that name showed, whether or not its View told anything.
    pub fn shown(&self, name: &str) -> Result<&'a SceneFacts, Finding> {
        let Some(facts) = self.facts.scenes.get(name) else {
            self.missing.borrow_mut().insert(name.to_owned());
            return Err(Finding::blocked(format!("the scene {name} was not shown")));
        };
        match &facts.unshown {
            None => Ok(facts),
            Some(unable) => Err(into_finding(unable)),
        }
    }

    /// The result of an act of a scene.
    pub fn act_result(&self, scene: &str, act: &str) -> Result<&'a Value, Finding> {
        match self.shown(scene)?.acts.get(act) {
            None => Err(Finding::blocked(format!("the scene {scene} did not come to {act}"))),
            Some(Ok(value)) => Ok(value),
            Some(Err(unable)) => Err(into_finding(unable)),
        }
    }

    /// The result of `ui/initialize` in a scene.
    pub fn initialized(&self, scene: &str) -> Result<&'a Value, Finding> {
        Ok(self.scene(scene)?.fact("initialize"))
    }

    /// A capability that the host declares; without it the check does not apply.
    pub fn capability(&self, name: &str) -> Result<&'a Value, Finding> {
        let declared = &self.initialized("basic")?["hostCapabilities"][name];
        if declared.is_null() {
            return Err(Finding::not_applicable(format!("the host does not declare {name}")));
        }
        Ok(declared)
    }

    /// The message that answered an attempt of the View.
    pub fn answer(&self, scene: &str, attempt: &str) -> Result<&'a Value, Finding> {
        let fact = self.scene(scene)?.fact(attempt);
        let answer = &fact["value"];
        if answer["timeout"] == true || fact["timeout"] == true {
            return Err(Finding::violated("an answer", format!("none came to {attempt}")));
        }
        if answer.is_null() {
            return Err(Finding::blocked(format!("the View did not come to {attempt}: {fact}")));
        }
        Ok(answer)
    }

    /// That an attempt was answered with an error.
    pub fn expect_refused(&self, scene: &str, attempt: &str) -> Verdict {
        let answer = self.answer(scene, attempt)?;
        if answer["error"].is_object() || answer["result"]["isError"] == true {
            return Ok(());
        }
        Err(Finding::violated("an error", shorten(answer)))
    }
}

/// What cannot be done does not apply; what went wrong could not be tested.
fn into_finding(unable: &ActFailure) -> Finding {
    match unable {
        ActFailure::Cannot(why) => Finding::not_applicable(why),
        ActFailure::Failed(why) => Finding::blocked(why),
    }
}

/// A message in a line.
pub fn shorten(value: &Value) -> String {
    const SHOWN_CHARS: usize = 300;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
