//! Judges the order of the messages on the bridge of one View.
//!
//! The text contradicts itself in some places. Following either reading is not a breach there; a comment at each place gives
//! the readings.

mod answers;
mod capabilities;
mod context;
mod data;
mod handshake;
mod modes;
mod sandbox;
mod teardown;

use serde_json::Value;

use super::breach::Breach;
use super::direction::BridgeDirection;
use super::judge::UnansweredRequest;
use super::message::BridgeMessage;

/// The state of one View's bridge, by the rules that use it.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifecycle {
    answers: answers::AnswerRules,
    handshake: handshake::HandshakeRules,
    data: data::DataRules,
    modes: modes::ModeRules,
    capabilities: capabilities::CapabilityRules,
    context: context::ContextRules,
    sandbox: sandbox::SandboxRules,
    teardown: teardown::TeardownRules,
}

/// A message, its direction, and the request that it answers.
#[derive(Clone, Copy, Debug)]
struct PlacedMessage<'a> {
    direction: BridgeDirection,
    message: BridgeMessage<'a>,
    /// The request that it answers.
    about: Option<&'a UnansweredRequest>,
}

impl Lifecycle {
    /// The request that a message answers, if it waits for its answer.
    pub(super) fn answered_request(
        &self,
        direction: BridgeDirection,
        value: &Value,
    ) -> Option<&UnansweredRequest> {
        self.answers.answered_request(direction, &BridgeMessage::from_value(value))
    }

    /// Judges the next message by its place in the order.
    pub(super) fn judge_next(&mut self, direction: BridgeDirection, value: &Value) -> Vec<Breach> {
        let message = BridgeMessage::from_value(value);
        if direction == BridgeDirection::HostToProxy && self.sandbox.replaces_view(&message) {
            // New HTML is a new View, whose lifecycle starts again.
            *self = Self { sandbox: std::mem::take(&mut self.sandbox), ..Self::default() };
        }
        let mut found = Vec::new();
        let about = self.answers.judge(direction, &message, &mut found);
        let placed = PlacedMessage { direction, message, about: about.as_ref() };
        self.sandbox.judge(&placed, &mut found);
        self.teardown.judge(&placed, &mut found);
        self.handshake.judge(&placed, &mut found);
        self.data.judge(&placed, &mut found);
        self.modes.judge(&placed, &mut found);
        self.capabilities.judge(&placed, &mut found);
        self.context.judge(&placed, &mut found);
        found
    }

    /// Judges what is missing when the View has been torn down.
    pub(super) fn judge_closed(&mut self) -> Vec<Breach> {
        let mut found = self.judge_end();
        self.teardown.judge_closed(self.handshake.is_ready(), &mut found);
        found
    }

    /// Judges what is missing when the record ends while the View may still live.
    pub(super) fn judge_end(&mut self) -> Vec<Breach> {
        let mut found = Vec::new();
        self.answers.judge_end(&mut found);
        self.data.judge_end(self.handshake.is_ready(), &mut found);
        self.sandbox.judge_end(&mut found);
        found
    }
}

impl<'a> PlacedMessage<'a> {
    /// The method, if this is a request or notification in that direction.
    fn method_sent(&self, direction: BridgeDirection) -> Option<&'a str> {
        self.message.method().filter(|_| self.direction == direction)
    }

    /// The request and its result, if this is the result of a request in that direction.
    fn granted_request(&self, direction: BridgeDirection) -> Option<(&'a UnansweredRequest, &'a Value)> {
        match (self.about, self.message) {
            (Some(about), BridgeMessage::Result { result, .. }) if about.direction == direction => {
                Some((about, result))
            }
            _ => None,
        }
    }

    /// The request and the error's code, if this is an error that answers a request in that direction.
    fn refused_request(&self, direction: BridgeDirection) -> Option<(&'a UnansweredRequest, i64)> {
        match (self.about, self.message) {
            (Some(about), BridgeMessage::Error { error, .. }) if about.direction == direction => {
                Some((about, wire::integer_of(&error["code"]).unwrap_or_default()))
            }
            _ => None,
        }
    }
}
