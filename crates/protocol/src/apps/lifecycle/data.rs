//! The data of the tool call that a View gets: input, result, cancellation.

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::direction::{BridgeDirection, BridgeParty};
use crate::apps::rule;

/// Which data the View has got.
#[derive(Clone, Debug, Default)]
pub(super) struct DataRules {
    input: bool,
    result: bool,
    cancelled: bool,
    /// Whether the View has called a tool since it last got an input.
    called: bool,
}

impl DataRules {
    pub(super) fn judge(&mut self, placed: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        if placed.method_sent(BridgeDirection::ViewToHost) == Some("tools/call") {
            self.called = true;
        }
        match placed.method_sent(BridgeDirection::HostToView) {
            Some("ui/notifications/tool-input") => self.judge_input(found),
            Some("ui/notifications/tool-input-partial") => self.judge_partial(found),
            Some("ui/notifications/tool-result") => self.judge_result(found),
            Some("ui/notifications/tool-cancelled") => self.judge_cancelled(found),
            _ => {}
        }
    }

    /// Judges missing data. A View may be opened without a tool call, and a record may end early.
    pub(super) fn judge_end(&self, ready: bool, found: &mut Vec<Breach>) {
        if ready && !self.input && !self.cancelled && !self.result {
            let says = "the View was never told the input of its tool call";
            found.push(rule::INPUT_SENT.broken(BridgeParty::Host, says).at_most(Gravity::Note));
        }
    }

    fn judge_input(&mut self, found: &mut Vec<Breach>) {
        if self.input {
            self.push_repeated(
                rule::INPUT_ONCE.broken(BridgeParty::Host, "tool-input was sent before"),
                found,
            );
        }
        // The View's own call starts a new sequence.
        if self.input && self.called {
            (self.result, self.cancelled) = (false, false);
        }
        (self.input, self.called) = (true, false);
    }

    fn judge_partial(&self, found: &mut Vec<Breach>) {
        if self.input {
            let says = "tool-input-partial comes after tool-input";
            self.push_repeated(rule::PARTIAL_BEFORE.broken(BridgeParty::Host, says), found);
        } else if self.result || self.cancelled {
            let says = "tool-input-partial comes after the end of the tool call";
            found.push(rule::PARTIAL_BEFORE.broken(BridgeParty::Host, says).at_most(Gravity::Should));
        }
    }

    fn judge_result(&mut self, found: &mut Vec<Breach>) {
        if !self.input {
            found.push(rule::INPUT_FIRST.broken(BridgeParty::Host, "tool-result comes before tool-input"));
        }
        self.judge_end_of_call("tool-result", self.result, self.cancelled, found);
        self.result = true;
    }

    fn judge_cancelled(&mut self, found: &mut Vec<Breach>) {
        // A cancelled call needs no input before: its arguments may never have been complete.
        self.judge_end_of_call("tool-cancelled", self.cancelled, self.result, found);
        self.cancelled = true;
    }

    fn judge_end_of_call(&self, method: &str, same: bool, other: bool, found: &mut Vec<Breach>) {
        if same {
            self.push_repeated(
                rule::RESULT_ONCE.broken(BridgeParty::Host, format!("{method} was sent before")),
                found,
            );
        }
        if other {
            let says = format!("{method} comes for a tool call that had ended otherwise");
            self.push_repeated(rule::RESULT_OR_CANCELLED.broken(BridgeParty::Host, says), found);
        }
    }

    /// The text says "at most once", but in its diagram of the interactive phase a View gets the input and the result of every
    /// call that it makes.
    fn push_repeated(&self, breach: Breach, found: &mut Vec<Breach>) {
        found.push(if self.called { breach.at_most(Gravity::Note) } else { breach });
    }
}
