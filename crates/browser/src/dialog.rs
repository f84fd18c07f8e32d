//! Dialogs: alert, confirm, prompt and beforeunload.

use serde_json::Value;

/// The answer to a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogAnswer {
    /// Confirm it.
    Accept,
    /// Cancel it.
    Dismiss,
}

/// How dialogs are answered. They are answered at once, because an open dialog blocks the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialogs {
    /// The answer to alert, confirm and prompt.
    pub ask: DialogAnswer,
    /// The answer to beforeunload, which asks whether to leave the page.
    pub leave: DialogAnswer,
}

/// A dialog that a page opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// The text of the dialog.
    pub message: String,
    /// The document that opened it.
    pub url: String,
    /// Whether it was accepted.
    pub accepted: bool,
}

impl Default for Dialogs {
    fn default() -> Self {
        Self { ask: DialogAnswer::Dismiss, leave: DialogAnswer::Accept }
    }
}

impl Dialog {
    pub(crate) fn parse(params: &Value, policy: Dialogs) -> Self {
        let word = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
        let kind = word("type");
        let answer = if kind == "beforeunload" { policy.leave } else { policy.ask };
        Self { kind, message: word("message"), url: word("url"), accepted: answer == DialogAnswer::Accept }
    }
}
