//! The end of a View.

use super::Said;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::rule;
use crate::apps::way::{Party, Way};

/// How far the end has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Teardown {
    asked: bool,
    answered: bool,
}

impl Teardown {
    /// Whether the host has asked the View to end.
    pub(super) const fn is_asked(&self) -> bool {
        self.asked
    }

    pub(super) fn heard(&mut self, said: &Said<'_>, found: &mut Vec<Breach>) {
        if let Some(method) = said.told(Way::HostToView) {
            if self.asked {
                // A View may still be saving, and is told how that went; but nothing new.
                let most = if method == "ui/resource-teardown" { Gravity::Note } else { Gravity::Should };
                let says = format!("{method} comes after ui/resource-teardown");
                found.push(rule::QUIET_AFTER.broken(Party::Host, says).at_most(most));
            }
            self.asked |= method == "ui/resource-teardown";
        }
        if let Some(method) = said.told(Way::ViewToHost).filter(|_| self.answered) {
            let says = format!("{method} comes after the View has answered ui/resource-teardown");
            found.push(rule::QUIET_AFTER.broken(Party::View, says));
        }
        if said.about.is_some_and(|about| about.method == "ui/resource-teardown") {
            self.answered = true;
        }
    }

    /// The View is gone. One that was never initialised could not be told.
    pub(super) fn closed(&self, ready: bool, found: &mut Vec<Breach>) {
        if ready && !self.asked {
            let says = "the View was torn down without ui/resource-teardown";
            found.push(rule::TEARDOWN_SENT.broken(Party::Host, says));
        }
        if self.asked && !self.answered {
            // A View that does not answer cannot be waited for without end.
            let says = "the View was torn down before it answered ui/resource-teardown";
            found.push(rule::TEARDOWN_WAITED.broken(Party::Host, says));
        }
    }
}
