//! Schemas of tools that were too complex to judge: said plainly, and held against nobody.

use serde_json::Value;

use super::Judged;
use crate::{Finding, Verdict};

/// How many tools are named.
const MAX_NAMED_TOOLS: usize = 3;

/// What a check could not judge, while it judged the rest.
#[derive(Debug, Default)]
pub(crate) struct Unjudged(Vec<String>);

impl Unjudged {
    /// What was found out; otherwise takes note of why it was not.
    pub(crate) fn unless_judged<T>(&mut self, tool: &Value, member: &str, judged: Judged<T>) -> Option<T> {
        match judged {
            Ok(found) => Some(found),
            Err(why) => {
                let note = format!("{member} of tool {} is {why}", tool["name"]);
                if !self.0.contains(&note) {
                    self.0.push(note);
                }
                None
            }
        }
    }

    /// What a check says that found nothing wrong in the rest.
    pub(crate) fn verdict(self) -> Verdict {
        if self.0.is_empty() {
            return Ok(());
        }
        let more = self.0.len().saturating_sub(MAX_NAMED_TOOLS);
        let mut why = self.0.into_iter().take(MAX_NAMED_TOOLS).collect::<Vec<_>>().join("; ");
        if more > 0 {
            why.push_str(&format!("; and {more} more"));
        }
        Err(Finding::blocked(why))
    }
}
