//! Faults of cancellation and progress.

use std::time::Duration;

use protocol::code;
use serde_json::{Value, json};
use wire::Id;

use super::edit::{notification, preceded_by};
use super::{Connection, Effect, Ending, Fault, Outgoing, Reaction};
use crate::server::cancelled_id;

/// How long after a cancellation progress is reported.
const LATE_PROGRESS_DELAY: Duration = Duration::from_millis(200);

pub(super) const FAULTS: &[&Fault] = &[
    &CANCELS_FOREIGN,
    &CANCEL_IGNORED,
    &CANCEL_ENDS_ALL,
    &CANCEL_ANSWERED,
    &PROGRESS_TOKEN_CHANGED,
    &PROGRESS_CONTINUES,
    &PROGRESS_UNASKED,
    &PROGRESS_AFTER_CANCEL,
    &LISTEN_CANCEL_ANSWERED,
];

pub const CANCELS_FOREIGN: Fault = Fault {
    name: "cancels-foreign",
    about: "the server cancels requests that it did not send",
    effect: Effect::Message(|out, m| {
        let params = json!({ "requestId": "nobody-asked" });
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        preceded_by(m, out.method != Some("initialize"), note)
    }),
};

pub const CANCEL_IGNORED: Fault = Fault {
    name: "cancel-ignored",
    about: "a cancelled request is still handled and answered",
    effect: Effect::Incoming(|incoming| {
        (incoming.method == "notifications/cancelled").then_some(Reaction::Ignore)
    }),
};

pub const CANCEL_ENDS_ALL: Fault = Fault {
    name: "cancel-ends-all",
    about: "a cancellation ends every call that is under way, on its connection or, where there are none, everywhere",
    effect: Effect::Several(&[
        Effect::Incoming(|incoming| {
            let Connection { peer, memory, .. } = incoming.connection;
            if incoming.method == "tools/call" {
                memory.note(&format!("call {}", incoming.frame.id?.get()));
            }
            let is_effective = incoming.method == "notifications/cancelled"
                && cancelled_id(incoming.frame).is_some_and(|id| peer.is_running(&id));
            let calls = memory.notes().into_iter().filter(|_| is_effective);
            for id in calls.filter_map(|note| Some(note.strip_prefix("call ")?.to_owned())) {
                peer.cancel(&Id::from(&serde_json::from_str::<Value>(&id).ok()?));
            }
            None
        }),
        Effect::EndTogether,
    ]),
};

pub const CANCEL_ANSWERED: Fault = Fault {
    name: "cancel-answered",
    about: "a cancellation of an unknown request gets an error",
    effect: Effect::Incoming(|incoming| {
        let is_known =
            || cancelled_id(incoming.frame).is_some_and(|id| incoming.connection.peer.is_running(&id));
        let refused = incoming.method == "notifications/cancelled" && !is_known();
        refused.then(|| Reaction::Refuse(code::INVALID_PARAMS, "nothing to cancel".to_owned()))
    }),
};

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

pub const PROGRESS_CONTINUES: Fault = Fault {
    name: "progress-continues",
    about: "progress is reported once more after the response",
    effect: Effect::End(|out, is_answered| late_progress(out, Duration::ZERO).filter(|_| is_answered)),
};

pub const PROGRESS_UNASKED: Fault = Fault {
    name: "progress-unasked",
    about: "progress is reported for requests that gave no token",
    effect: Effect::Incoming(|incoming| {
        if incoming.frame.id.is_some() && !incoming.method.is_empty() {
            incoming.set_meta("progressToken", |token| token.is_none().then(|| json!("nobody-asked")));
        }
        None
    }),
};

pub const PROGRESS_AFTER_CANCEL: Fault = Fault {
    name: "progress-after-cancel",
    about: "a cancelled request is not answered, but its progress is reported later",
    effect: Effect::End(|out, is_answered| late_progress(out, LATE_PROGRESS_DELAY).filter(|_| !is_answered)),
};

pub const LISTEN_CANCEL_ANSWERED: Fault = Fault {
    name: "listen-cancel-answered",
    about: "a subscription that is cancelled is answered with an error",
    effect: Effect::End(|out, is_answered| {
        let error = json!({ "code": code::INTERNAL_ERROR, "message": "cancelled" });
        let message = json!({ "jsonrpc": "2.0", "id": out.id, "error": error });
        let concerns = out.method == Some("subscriptions/listen") && !is_answered;
        concerns.then_some(Ending { after: Duration::ZERO, message })
    }),
};

/// Progress of a request that is over, if it gave a token.
fn late_progress(out: &Outgoing<'_>, after: Duration) -> Option<Ending> {
    let token = out.params.get("_meta")?.get("progressToken")?;
    let params = json!({ "progressToken": token, "progress": u32::MAX, "total": u32::MAX });
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
    Some(Ending { after, message })
}
