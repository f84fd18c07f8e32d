//! The handshake: `ui/initialize`, its answer, `initialized`, and what may be sent before.

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::direction::{BridgeDirection, BridgeParty};
use crate::apps::message::BridgeMessage;
use crate::apps::rule;

/// The stages of the handshake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    #[default]
    NotStarted,
    Asked,
    Answered,
    Ready,
}

/// The current stage of the handshake.
#[derive(Clone, Debug, Default)]
pub(super) struct HandshakeRules {
    stage: Stage,
}

impl HandshakeRules {
    /// Whether the View has said that it is initialised.
    pub(super) const fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready)
    }

    pub(super) fn judge(&mut self, placed: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        if let Some(method) = placed.method_sent(BridgeDirection::ViewToHost) {
            self.judge_view(method, &placed.message, found);
        }
        if let Some(method) = placed.method_sent(BridgeDirection::HostToView) {
            self.judge_host(method, found);
        }
        if placed
            .granted_request(BridgeDirection::ViewToHost)
            .is_some_and(|(about, _)| about.method == "ui/initialize")
        {
            self.stage = self.stage.max(Stage::Answered);
        }
        if placed
            .refused_request(BridgeDirection::ViewToHost)
            .is_some_and(|(about, _)| about.method == "ui/initialize")
        {
            // A View may try again.
            self.stage = if self.stage == Stage::Asked { Stage::NotStarted } else { self.stage };
        }
    }

    fn judge_view(&mut self, method: &str, message: &BridgeMessage<'_>, found: &mut Vec<Breach>) {
        let by = BridgeParty::View;
        match (method, self.stage) {
            ("ui/initialize", Stage::NotStarted) => self.stage = Stage::Asked,
            ("ui/initialize", Stage::Asked | Stage::Answered | Stage::Ready) => {
                found.push(rule::INITIALIZE_ONCE.broken(by, "ui/initialize was sent before"));
            }
            ("ui/notifications/initialized", Stage::NotStarted | Stage::Asked) => {
                let says = "initialized comes before the host has answered ui/initialize";
                found.push(rule::INITIALIZED_AFTER.broken(by, says));
                self.stage = Stage::Ready;
            }
            ("ui/notifications/initialized", Stage::Answered) => self.stage = Stage::Ready,
            ("ui/notifications/initialized", Stage::Ready) => {
                found.push(rule::INITIALIZED_ONCE.broken(by, "initialized was said before"));
            }
            // Both ends may ping at any time.
            ("ping", _) | (_, Stage::Answered | Stage::Ready) => {}
            (_, Stage::NotStarted) => {
                // A notification that comes too early is only lost.
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

    fn judge_host(&self, method: &str, found: &mut Vec<Breach>) {
        let says = |what| format!("{method} comes before {what}");
        let breach = match self.stage {
            Stage::Ready => return,
            // One place says "not before initialized", another "after the initialize request completes".
            Stage::Answered => {
                rule::HOST_QUIET.broken(BridgeParty::Host, says("initialized")).at_most(Gravity::Note)
            }
            // A View that never initialised is torn down with the same message.
            Stage::NotStarted | Stage::Asked if method == "ui/resource-teardown" => {
                rule::HOST_QUIET.broken(BridgeParty::Host, says("initialized")).at_most(Gravity::Note)
            }
            Stage::NotStarted | Stage::Asked => {
                rule::HOST_QUIET.broken(BridgeParty::Host, says("the handshake"))
            }
        };
        found.push(breach);
    }
}
