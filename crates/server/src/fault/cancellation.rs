//! Faults of cancellation and progress.

use serde_json::json;

use super::edit::{notification, preceded_by};
use super::{Effect, Fault};

pub(super) const FAULTS: &[&Fault] = &[
    &CANCELS_FOREIGN,
    &CANCEL_IGNORED,
    &CANCEL_ANSWERED,
    &PROGRESS_TOKEN_CHANGED,
    &PROGRESS_CONTINUES,
    &PROGRESS_UNASKED,
    &PROGRESS_AFTER_CANCEL,
    &LISTEN_CANCEL_ANSWERED,
];

/// A cancellation of what nobody sent.
pub const CANCELS_FOREIGN: Fault = Fault {
    name: "cancels-foreign",
    about: "the server cancels requests that it did not send",
    effect: Effect::Message(|out, m| {
        let params = json!({ "requestId": "nobody-asked" });
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        preceded_by(m, out.method != Some("initialize"), note)
    }),
};

/// Work goes on although nobody wants it.
pub const CANCEL_IGNORED: Fault = Fault {
    name: "cancel-ignored",
    about: "a cancelled request is worked on and answered all the same",
    effect: Effect::Switch,
};

/// A cancellation that does not fit is an error.
pub const CANCEL_ANSWERED: Fault = Fault {
    name: "cancel-answered",
    about: "a cancellation of an unknown request gets an error",
    effect: Effect::Switch,
};

/// Progress for a token that nobody gave.
pub const PROGRESS_TOKEN_CHANGED: Fault = Fault {
    name: "progress-token-changed",
    about: "the token of progress is sent as text, or with something added",
    effect: Effect::Message(|_, m| {
        notification(m, "notifications/progress", |m| {
            let token = &m["params"]["progressToken"];
            let changed = token.as_str().map_or_else(|| token.to_string(), |text| format!("{text}."));
            m["params"]["progressToken"] = changed.into();
        })
    }),
};

/// Progress after the end.
pub const PROGRESS_CONTINUES: Fault = Fault {
    name: "progress-continues",
    about: "progress is reported once more after the response",
    effect: Effect::Switch,
};

/// Progress without a token.
pub const PROGRESS_UNASKED: Fault = Fault {
    name: "progress-unasked",
    about: "progress is reported for requests that gave no token",
    effect: Effect::Switch,
};

/// Progress of what was cancelled.
pub const PROGRESS_AFTER_CANCEL: Fault = Fault {
    name: "progress-after-cancel",
    about: "a cancelled request is not answered, but its progress is reported later",
    effect: Effect::Switch,
};

/// A cancelled subscription gets an error.
pub const LISTEN_CANCEL_ANSWERED: Fault = Fault {
    name: "listen-cancel-answered",
    about: "a subscription that is cancelled is answered with an error",
    effect: Effect::Switch,
};
