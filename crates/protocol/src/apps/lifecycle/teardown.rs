//! The end of a View.

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::direction::{BridgeDirection, BridgeParty};
use crate::apps::rule;

/// The state of the teardown.
#[derive(Clone, Debug, Default)]
pub(super) struct TeardownRules {
    asked: bool,
    answered: bool,
}

impl TeardownRules {
    pub(super) fn judge(&mut self, placed: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        if let Some(method) = placed.method_sent(BridgeDirection::HostToView) {
            if self.asked {
                // Answers to the View's requests may still come, but no new messages.
                let most = if method == "ui/resource-teardown" { Gravity::Note } else { Gravity::Should };
                let says = format!("{method} comes after ui/resource-teardown");
                found.push(rule::QUIET_AFTER.broken(BridgeParty::Host, says).at_most(most));
            }
            self.asked |= method == "ui/resource-teardown";
        }
        if let Some(method) = placed.method_sent(BridgeDirection::ViewToHost).filter(|_| self.answered) {
            let says = format!("{method} comes after the View has answered ui/resource-teardown");
            found.push(rule::QUIET_AFTER.broken(BridgeParty::View, says));
        }
        if placed.about.is_some_and(|about| about.method == "ui/resource-teardown") {
            self.answered = true;
        }
    }

    /// Judges the teardown of a View that is gone. It need not be announced to a View that never initialised.
    pub(super) fn judge_closed(&self, ready: bool, found: &mut Vec<Breach>) {
        if ready && !self.asked {
            let says = "the View was torn down without ui/resource-teardown";
            found.push(rule::TEARDOWN_SENT.broken(BridgeParty::Host, says));
        }
        if self.asked && !self.answered {
            // A host cannot wait for ever for a View that does not answer.
            let says = "the View was torn down before it answered ui/resource-teardown";
            found.push(rule::TEARDOWN_WAITED.broken(BridgeParty::Host, says));
        }
    }
}
