//! What a View is told of its tool call.

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::rule;
use crate::apps::way::{BridgeParty, Way};

/// What a View was told of its tool call.
#[derive(Clone, Debug, Default)]
pub(super) struct DataRules {
    input: bool,
    result: bool,
    cancelled: bool,
    /// The View has called a tool since it was last told the input of one.
    called: bool,
}

impl DataRules {
    pub(super) fn heard(&mut self, said: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        if said.told(Way::ViewToHost) == Some("tools/call") {
            self.called = true;
        }
        match said.told(Way::HostToView) {
            Some("ui/notifications/tool-input") => self.input(found),
            Some("ui/notifications/tool-input-partial") => self.partial(found),
            Some("ui/notifications/tool-result") => self.result(found),
            Some("ui/notifications/tool-cancelled") => self.cancelled(found),
            _ => {}
        }
    }

    /// What was left unsaid. A View may be opened without a tool call, and a record may end early.
    pub(super) fn ended(&self, ready: bool, found: &mut Vec<Breach>) {
        if ready && !self.input && !self.cancelled && !self.result {
            let says = "the View was never told the input of its tool call";
            found.push(rule::INPUT_SENT.broken(BridgeParty::Host, says).at_most(Gravity::Note));
        }
    }

    fn input(&mut self, found: &mut Vec<Breach>) {
        if self.input {
            self.again(rule::INPUT_ONCE.broken(BridgeParty::Host, "tool-input was sent before"), found);
        }
        // A call that the View made begins anew.
        if self.input && self.called {
            (self.result, self.cancelled) = (false, false);
        }
        (self.input, self.called) = (true, false);
    }

    fn partial(&self, found: &mut Vec<Breach>) {
        if self.input {
            let says = "tool-input-partial comes after tool-input";
            self.again(rule::PARTIAL_BEFORE.broken(BridgeParty::Host, says), found);
        } else if self.result || self.cancelled {
            let says = "tool-input-partial comes after the end of the tool call";
            found.push(rule::PARTIAL_BEFORE.broken(BridgeParty::Host, says).at_most(Gravity::Should));
        }
    }

    fn result(&mut self, found: &mut Vec<Breach>) {
        if !self.input {
            found.push(rule::INPUT_FIRST.broken(BridgeParty::Host, "tool-result comes before tool-input"));
        }
        self.over("tool-result", self.result, self.cancelled, found);
        self.result = true;
    }

    fn cancelled(&mut self, found: &mut Vec<Breach>) {
        // The arguments of a call that was cancelled may never have been complete.
        self.over("tool-cancelled", self.cancelled, self.result, found);
        self.cancelled = true;
    }

    fn over(&self, method: &str, same: bool, other: bool, found: &mut Vec<Breach>) {
        if same {
            self.again(
                rule::RESULT_ONCE.broken(BridgeParty::Host, format!("{method} was sent before")),
                found,
            );
        }
        if other {
            let says = format!("{method} comes for a tool call that had ended otherwise");
            self.again(rule::RESULT_OR_CANCELLED.broken(BridgeParty::Host, says), found);
        }
    }

    /// "At most once", says the text; its diagram of the interactive phase tells a View the input and the result of every call
    /// that it makes.
    fn again(&self, breach: Breach, found: &mut Vec<Breach>) {
        found.push(if self.called { breach.at_most(Gravity::Note) } else { breach });
    }
}
