//! The end of a View.

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::rule;
use crate::apps::way::{BridgeParty, Way};

/// How far the end has come.
#[derive(Clone, Debug, Default)]
pub(super) struct TeardownRules {
    asked: bool,
    answered: bool,
}

impl TeardownRules {
    /// Whether the host has asked the View to end.
    pub(super) const fn is_asked(&self) -> bool {
        self.asked
    }

    pub(super) fn heard(&mut self, said: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        if let Some(method) = said.told(Way::HostToView) {
            if self.asked {
                // A View may still be saving, and is told how that went; but nothing new.
                let most = if method == "ui/resource-teardown" { Gravity::Note } else { Gravity::Should };
                let says = format!("{method} comes after ui/resource-teardown");
                found.push(rule::QUIET_AFTER.broken(BridgeParty::Host, says).at_most(most));
            }
            self.asked |= method == "ui/resource-teardown";
        }
        if let Some(method) = said.told(Way::ViewToHost).filter(|_| self.answered) {
            let says = format!("{method} comes after the View has answered ui/resource-teardown");
            found.push(rule::QUIET_AFTER.broken(BridgeParty::View, says));
        }
        if said.about.is_some_and(|about| about.method == "ui/resource-teardown") {
            self.answered = true;
        }
    }

    /// The View is gone. One that was never initialised could not be told.
    pub(super) fn closed(&self, ready: bool, found: &mut Vec<Breach>) {
        if ready && !self.asked {
            let says = "the View was torn down without ui/resource-teardown";
            found.push(rule::TEARDOWN_SENT.broken(BridgeParty::Host, says));
        }
        if self.asked && !self.answered {
            // A View that does not answer cannot be waited for without end.
            let says = "the View was torn down before it answered ui/resource-teardown";
            found.push(rule::TEARDOWN_WAITED.broken(BridgeParty::Host, says));
        }
    }
}
