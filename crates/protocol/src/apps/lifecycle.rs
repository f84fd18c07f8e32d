//! The order of what is said on the bridge of one View.
//!
//! Some of the text contradicts itself. Where it does, whoever follows either reading is spared: each such place below
//! says which readings there are.

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
use super::judge::UnansweredRequest;
use super::message::BridgeMessage;
use super::way::Way;

/// What was said so far on the bridge of one View.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    answers: answers::AnswerRules,
    handshake: handshake::HandshakeRules,
    data: data::DataRules,
    modes: modes::ModeRules,
    capabilities: capabilities::CapabilityRules,
    context: context::ContextRules,
    sandbox: sandbox::SandboxRules,
    teardown: teardown::TeardownRules,
}

/// One message in its place.
#[derive(Clone, Copy, Debug)]
struct PlacedMessage<'a> {
    way: Way,
    message: BridgeMessage<'a>,
    /// The request that it answers.
    about: Option<&'a UnansweredRequest>,
}

impl Lifecycle {
    /// A bridge on which nothing was said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The request that a message answers, if it waits for its answer.
    pub fn about(&self, way: Way, value: &Value) -> Option<&UnansweredRequest> {
        self.answers.about(way, &BridgeMessage::from_value(value))
    }

    /// What the next message breaks by coming here and now.
    pub fn heard(&mut self, way: Way, value: &Value) -> Vec<Breach> {
        let message = BridgeMessage::from_value(value);
        if way == Way::HostToProxy && self.sandbox.begins_anew(&message) {
            // Other HTML is another View: it begins at the beginning.
            *self = Self { sandbox: std::mem::take(&mut self.sandbox), ..Self::default() };
        }
        let mut found = Vec::new();
        let about = self.answers.heard(way, &message, &mut found);
        let said = PlacedMessage { way, message, about: about.as_ref() };
        self.sandbox.heard(&said, &mut found);
        self.teardown.heard(&said, &mut found);
        self.handshake.heard(&said, &mut found);
        self.data.heard(&said, &mut found);
        self.modes.heard(&said, &mut found);
        self.capabilities.heard(&said, &mut found);
        self.context.heard(&said, &mut found);
        found
    }

    /// The View was taken down: what was left undone.
    pub fn closed(&mut self) -> Vec<Breach> {
        let mut found = self.ended();
        self.teardown.closed(self.handshake.is_ready(), &mut found);
        found
    }

    /// The record ends, whatever became of the View: what was left undone.
    pub fn ended(&mut self) -> Vec<Breach> {
        let mut found = Vec::new();
        self.answers.ended(&mut found);
        self.data.ended(self.handshake.is_ready(), &mut found);
        self.sandbox.ended(&mut found);
        found
    }

    /// Whether the View has said that it is initialised.
    pub const fn is_ready(&self) -> bool {
        self.handshake.is_ready()
    }

    /// Whether the host has asked the View to end.
    pub const fn is_leaving(&self) -> bool {
        self.teardown.is_asked()
    }
}

impl<'a> PlacedMessage<'a> {
    /// The method, if it is a request or notification on its way.
    fn told(&self, way: Way) -> Option<&'a str> {
        self.message.method().filter(|_| self.way == way)
    }

    /// What was asked and what came of it, if this grants a request that went `way`.
    fn granted(&self, way: Way) -> Option<(&'a UnansweredRequest, &'a Value)> {
        match (self.about, self.message) {
            (Some(about), BridgeMessage::Result { result, .. }) if about.way == way => Some((about, result)),
            _ => None,
        }
    }

    /// What was asked and why not, if this refuses a request that went `way`.
    fn refused(&self, way: Way) -> Option<(&'a UnansweredRequest, i64)> {
        match (self.about, self.message) {
            (Some(about), BridgeMessage::Error { error, .. }) if about.way == way => {
                Some((about, wire::integer_of(&error["code"]).unwrap_or_default()))
            }
            _ => None,
        }
    }
}
