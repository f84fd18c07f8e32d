//! Judges the messages of the bridge: each by itself here, and in its order in [`Lifecycle`].

mod definition;
mod meaning;

use serde_json::Value;

use super::breach::{Breach, Gravity};
use super::direction::BridgeDirection;
use super::lifecycle::Lifecycle;
use super::message::BridgeMessage;
use super::method::{self, SANDBOX_PREFIX, UiMethod};
use super::rule;
use crate::schema::is_alike;

/// A request that waits for its answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnansweredRequest {
    /// Its direction.
    pub(super) direction: BridgeDirection,
    /// Its method.
    pub(super) method: String,
    /// Its parameters.
    pub(super) params: Value,
}

/// The judge of one View's bridge.
#[derive(Clone, Debug, Default)]
pub struct Bridge {
    lifecycle: Lifecycle,
}

impl Bridge {
    /// A bridge before its first message.
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges the next message.
    pub fn judge_next(&mut self, direction: BridgeDirection, value: &Value) -> Vec<Breach> {
        let about = self.lifecycle.answered_request(direction, value).cloned();
        let mut found = judge_message(direction, value, about.as_ref());
        found.extend(self.lifecycle.judge_next(direction, value));
        found
    }

    /// Judges what is missing when the View has been torn down.
    pub fn judge_closed(&mut self) -> Vec<Breach> {
        self.lifecycle.judge_closed()
    }

    /// Judges what is missing when the record ends while the View may still live.
    pub fn judge_end(&mut self) -> Vec<Breach> {
        self.lifecycle.judge_end()
    }
}

/// Judges one message by itself. `about` is the request that it answers, if any.
fn judge_message(
    direction: BridgeDirection,
    value: &Value,
    about: Option<&UnansweredRequest>,
) -> Vec<Breach> {
    let by = direction.from();
    match BridgeMessage::from_value(value) {
        BridgeMessage::Foreign => {
            vec![rule::FOREIGN.broken(by, "is not a JSON-RPC message; nobody will read it")]
        }
        BridgeMessage::Malformed(why) => vec![rule::JSON_RPC.broken(by, why)],
        message @ (BridgeMessage::Request { .. } | BridgeMessage::Notification { .. }) => {
            judge_call(direction, value, message)
        }
        BridgeMessage::Result { result, .. } => {
            let Some(about) = about else { return Vec::new() };
            let mut found = definition::check_result(by, about, result);
            if found.iter().all(|breach| breach.gravity == Gravity::Note) {
                found.extend(meaning::check_result(by, about, result));
            }
            found
        }
        BridgeMessage::Error { .. } => definition::check_error(by, value),
    }
}

/// Judges a request or notification.
fn judge_call(direction: BridgeDirection, value: &Value, message: BridgeMessage<'_>) -> Vec<Breach> {
    let (by, name) = (direction.from(), message.method().unwrap_or_default());
    let Some(row) = direction.method(name) else {
        return judge_direction(direction, name).into_iter().collect();
    };
    if row.is_request != message.is_request() {
        let says = if row.is_request {
            format!("{name} is a request; without an `id` nobody answers it")
        } else {
            format!("{name} is a notification; it has no `id`")
        };
        return vec![rule::KIND.broken(by, says)];
    }
    let mut found = definition::check_call(by, row, value);
    if found.iter().all(|breach| breach.gravity == Gravity::Note) {
        found.extend(meaning::check_call(by, name, message.params()));
    }
    found
}

/// Judges a method that does not belong to this direction.
fn judge_direction(direction: BridgeDirection, name: &str) -> Option<Breach> {
    let by = direction.from();
    let reserved = name.starts_with(SANDBOX_PREFIX)
        && matches!(direction, BridgeDirection::ViewToHost | BridgeDirection::HostToView);
    // Cancellation and progress belong to both directions, and a method without `ui/` may be meant for the server.
    if reserved || !name.starts_with("ui/") && method::named(name).is_empty() {
        return None;
    }
    if !method::named(name).is_empty() {
        // The text lists size-changed among the notifications of the host, and says that the View sends it.
        let most = if name == "ui/notifications/size-changed" { Gravity::Note } else { Gravity::Must };
        let says = format!("{name} is not for {by} to send to {}", direction.to());
        return Some(rule::DIRECTION.broken(by, says).at_most(most));
    }
    let alike = |row: &&UiMethod| is_alike(row.name, name);
    Some(match method::METHODS.iter().find(alike) {
        Some(row) => rule::METHOD_SPELLED.broken(by, format!("{name} is not known; it is {}", row.name)),
        None => rule::METHOD_KNOWN
            .broken(by, format!("{name} is not known to the text of 2026-01-26, nor to ext-apps 2")),
    })
}
