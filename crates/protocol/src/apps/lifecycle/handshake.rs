//! `ui/initialize`, its answer, `initialized`; and what may be said before.

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::message::BridgeMessage;
use crate::apps::rule;
use crate::apps::way::{BridgeParty, Way};

/// How far the handshake has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    #[default]
    Silent,
    Asked,
    Answered,
    Ready,
}

/// How far the handshake has come.
#[derive(Clone, Debug, Default)]
pub(super) struct HandshakeRules {
    stage: Stage,
}

impl HandshakeRules {
    /// Whether the View has said that it is initialised.
    pub(super) const fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready)
    }

    pub(super) fn heard(&mut self, said: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        if let Some(method) = said.told(Way::ViewToHost) {
            self.of_view(method, &said.message, found);
        }
        if let Some(method) = said.told(Way::HostToView) {
            self.of_host(method, found);
        }
        if said.granted(Way::ViewToHost).is_some_and(|(about, _)| about.method == "ui/initialize") {
            self.stage = self.stage.max(Stage::Answered);
        }
        if said.refused(Way::ViewToHost).is_some_and(|(about, _)| about.method == "ui/initialize") {
            // A View may try again.
            self.stage = if self.stage == Stage::Asked { Stage::Silent } else { self.stage };
        }
    }

    fn of_view(&mut self, method: &str, message: &BridgeMessage<'_>, found: &mut Vec<Breach>) {
        let by = BridgeParty::View;
        match (method, self.stage) {
            ("ui/initialize", Stage::Silent) => self.stage = Stage::Asked,
            ("ui/initialize", Stage::Asked | Stage::Answered | Stage::Ready) => {
                found.push(rule::INITIALIZE_ONCE.broken(by, "ui/initialize was sent before"));
            }
            ("ui/notifications/initialized", Stage::Silent | Stage::Asked) => {
                let says = "initialized comes before the host has answered ui/initialize";
                found.push(rule::INITIALIZED_AFTER.broken(by, says));
                self.stage = Stage::Ready;
            }
            ("ui/notifications/initialized", Stage::Answered) => self.stage = Stage::Ready,
            ("ui/notifications/initialized", Stage::Ready) => {
                found.push(rule::INITIALIZED_ONCE.broken(by, "initialized was said before"));
            }
            // Either end may ask at any time whether the other is there.
            ("ping", _) | (_, Stage::Answered | Stage::Ready) => {}
            (_, Stage::Silent) => {
                // A size or a log message that comes too early is lost, and nothing more.
                let most = if message.is_request() { Gravity::Must } else { Gravity::Note };
                let says = format!("{method} comes before ui/initialize");
                found.push(rule::INITIALIZE_FIRST.broken(by, says).at_most(most));
            }
            (_, Stage::Asked) => {
                let most = if message.is_request() { Gravity::Should } else { Gravity::Note };
                let says = format!("{method} comes before the answer to ui/initialize");
                found.push(rule::INITIALIZE_AWAITED.broken(by, says).at_most(most));
            }
        }
    }

    fn of_host(&self, method: &str, found: &mut Vec<Breach>) {
        let says = |what| format!("{method} comes before {what}");
        let breach = match self.stage {
            Stage::Ready => return,
            // "Not before initialized", says one place; "after the initialize request completes", another.
            Stage::Answered => {
                rule::HOST_QUIET.broken(BridgeParty::Host, says("initialized")).at_most(Gravity::Note)
            }
            // A View that never came up is torn down too, and there is no better message for it.
            Stage::Silent | Stage::Asked if method == "ui/resource-teardown" => {
                rule::HOST_QUIET.broken(BridgeParty::Host, says("initialized")).at_most(Gravity::Note)
            }
            Stage::Silent | Stage::Asked => rule::HOST_QUIET.broken(BridgeParty::Host, says("the handshake")),
        };
        found.push(breach);
    }
}
