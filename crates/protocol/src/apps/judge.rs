//! Judges messages of the bridge one by one; [`Lifecycle`] judges them in their order.

mod definition;
mod depth;

use serde_json::Value;

use super::breach::{Breach, Gravity};
use super::lifecycle::Lifecycle;
use super::message::BridgeMessage;
use super::method::{self, SANDBOX_PREFIX, UiMethod};
use super::rule;
use super::way::Way;
use crate::schema::is_alike;

/// A request that waits for its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct UnansweredRequest {
    /// The way that it went.
    pub way: Way,
    /// What was asked.
    pub method: String,
    /// With what.
    pub params: Value,
}

/// Both judges at once: every message by itself, and in its place.
#[derive(Clone, Debug, Default)]
pub struct Bridge {
    lifecycle: Lifecycle,
}

impl Bridge {
    /// A bridge on which nothing was said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is wrong with the next message.
    pub fn heard(&mut self, way: Way, value: &Value) -> Vec<Breach> {
        let about = self.lifecycle.about(way, value).cloned();
        let mut found = message(way, value, about.as_ref());
        found.extend(self.lifecycle.heard(way, value));
        found
    }

    /// The View was taken down: what was left undone.
    pub fn closed(&mut self) -> Vec<Breach> {
        self.lifecycle.closed()
    }

    /// The record ends, whatever became of the View: what was left undone.
    pub fn ended(&mut self) -> Vec<Breach> {
        self.lifecycle.ended()
    }

    /// What is known of the order so far.
    pub const fn lifecycle(&self) -> &Lifecycle {
        &self.lifecycle
    }
}

/// What is wrong with one message that went `way`; `about` is the request that it answers, if it answers one.
pub fn message(way: Way, value: &Value, about: Option<&UnansweredRequest>) -> Vec<Breach> {
    let by = way.from();
    match BridgeMessage::from_value(value) {
        BridgeMessage::Foreign => {
            vec![rule::FOREIGN.broken(by, "is not a JSON-RPC message; nobody will read it")]
        }
        BridgeMessage::Malformed(why) => vec![rule::JSON_RPC.broken(by, why)],
        message @ (BridgeMessage::Request { .. } | BridgeMessage::Notification { .. }) => {
            called(way, value, message)
        }
        BridgeMessage::Result { result, .. } => {
            let Some(about) = about else { return Vec::new() };
            let mut found = definition::result(by, about, result);
            if found.iter().all(|breach| breach.gravity == Gravity::Note) {
                found.extend(depth::result(by, about, result));
            }
            found
        }
        BridgeMessage::Error { .. } => definition::error(by, value),
    }
}

/// A request or notification.
fn called(way: Way, value: &Value, message: BridgeMessage<'_>) -> Vec<Breach> {
    let (by, name) = (way.from(), message.method().unwrap_or_default());
    let Some(row) = way.method(name) else { return strange(way, name).into_iter().collect() };
    if row.is_request != message.is_request() {
        let says = if row.is_request {
            format!("{name} is a request; without an `id` nobody answers it")
        } else {
            format!("{name} is a notification; it has no `id`")
        };
        return vec![rule::KIND.broken(by, says)];
    }
    let mut found = definition::called(by, row, value);
    if found.iter().all(|breach| breach.gravity == Gravity::Note) {
        found.extend(depth::called(by, name, message.params()));
    }
    found
}

/// What is wrong with a method that does not go this way.
fn strange(way: Way, name: &str) -> Option<Breach> {
    let by = way.from();
    let reserved = name.starts_with(SANDBOX_PREFIX) && matches!(way, Way::ViewToHost | Way::HostToView);
    // MCP has cancellation and progress for either end, and what does not begin with `ui/` may be passed on to the server.
    if reserved || !name.starts_with("ui/") && method::named(name).is_empty() {
        return None;
    }
    if !method::named(name).is_empty() {
        // The text lists size-changed among the notifications of the host, and says that the View sends it.
        let most = if name == "ui/notifications/size-changed" { Gravity::Note } else { Gravity::Must };
        let says = format!("{name} is not for {by} to send to {}", way.to());
        return Some(rule::DIRECTION.broken(by, says).at_most(most));
    }
    let alike = |row: &&UiMethod| is_alike(row.name, name);
    Some(match method::METHODS.iter().find(alike) {
        Some(row) => rule::METHOD_SPELLED.broken(by, format!("{name} is not known; it is {}", row.name)),
        None => rule::METHOD_KNOWN
            .broken(by, format!("{name} is not known to the text of 2026-01-26, nor to ext-apps 2")),
    })
}
