//! Dialogs: alert, confirm, prompt, and the question whether to leave a page.

use serde_json::Value;

/// How a dialog is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// With yes.
    Accept,
    /// With no.
    Dismiss,
}

/// How dialogs are answered: at once, since a page stands still while one is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialogs {
    /// Those of alert, confirm and prompt.
    pub ask: Answer,
    /// Whether to leave a page that would rather be kept.
    pub leave: Answer,
}

/// A dialog that came up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The document that asked.
    pub url: String,
    /// Whether it was accepted.
    pub accepted: bool,
}

impl Default for Dialogs {
    fn default() -> Self {
        Self { ask: Answer::Dismiss, leave: Answer::Accept }
    }
}

impl Dialog {
    pub(crate) fn read(params: &Value, policy: Dialogs) -> Self {
        let word = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        let kind = word("type");
        let answer = if kind == "beforeunload" { policy.leave } else { policy.ask };
        Self { kind, message: word("message"), url: word("url"), accepted: answer == Answer::Accept }
    }
}
