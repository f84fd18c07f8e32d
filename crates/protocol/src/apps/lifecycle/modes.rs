//! Display modes: those that the View declares, those that the host offers, and the current one.

use serde_json::Value;

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::direction::{BridgeDirection, BridgeParty};
use crate::apps::{AppCapabilities, DisplayMode, rule};
use crate::code;

/// What is known of display modes.
#[derive(Clone, Debug, Default)]
pub(super) struct ModeRules {
    /// The modes that the View declared, if it did.
    declared: Option<Vec<DisplayMode>>,
    /// The names of the modes that the host offers, if it says so. There may be unknown ones.
    offered: Option<Vec<String>>,
    current: Option<DisplayMode>,
    /// The mode that the host has named since the last request of the View.
    told: Option<DisplayMode>,
}

impl ModeRules {
    pub(super) fn judge(&mut self, placed: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        let params = placed.message.params();
        match placed.method_sent(BridgeDirection::ViewToHost) {
            Some("ui/initialize") => {
                self.declared = AppCapabilities::from_value(&params["appCapabilities"]).0.display_modes;
            }
            Some("ui/request-display-mode") => self.judge_request(params, found),
            _ => {}
        }
        if placed.method_sent(BridgeDirection::HostToView) == Some("ui/notifications/host-context-changed") {
            self.judge_change(params, found);
        }
        match placed.granted_request(BridgeDirection::ViewToHost) {
            Some((about, result)) if about.method == "ui/initialize" => {
                self.judge_first(&result["hostContext"], found);
            }
            Some((about, result)) if about.method == "ui/request-display-mode" => {
                self.judge_answer(mode(&about.params["mode"]), mode(&result["mode"]), found);
            }
            _ => {}
        }
        match placed.refused_request(BridgeDirection::ViewToHost) {
            Some((about, code)) if about.method == "ui/request-display-mode" => judge_refusal(code, found),
            _ => {}
        }
    }

    fn judge_first(&mut self, context: &Value, found: &mut Vec<Breach>) {
        self.note_offered(context);
        let Some(first) = mode(&context["displayMode"]) else { return };
        self.current = Some(first);
        // The first mode is not a switch, so nothing forbids it.
        if !self.is_declared(first) {
            let says = format!("the View is shown {first}, which it did not declare");
            found.push(rule::MODE_INITIAL.broken(BridgeParty::Host, says));
        } else if !self.is_offered(first) {
            let says = format!("displayMode is {first}, which availableDisplayModes does not have");
            found.push(rule::MODE_INITIAL.broken(BridgeParty::Host, says));
        }
    }

    fn judge_change(&mut self, context: &Value, found: &mut Vec<Breach>) {
        self.note_offered(context);
        let Some(now) = mode(&context["displayMode"]) else { return };
        self.judge_switch(now, found);
        self.told = Some(now);
    }

    fn judge_request(&mut self, params: &Value, found: &mut Vec<Breach>) {
        self.told = None;
        let Some(wanted) = mode(&params["mode"]) else { return };
        let by = BridgeParty::View;
        match &self.offered {
            Some(offered) if !self.is_offered(wanted) => {
                let says = format!("{wanted} is asked for, and the host offers {}", offered.join(", "));
                found.push(rule::MODE_OFFERED.broken(by, says));
            }
            Some(_) => {}
            None => {
                let says = format!("{wanted} is asked for, and the host does not say what it offers");
                found.push(rule::MODE_OFFERED.broken(by, says).at_most(Gravity::Note));
            }
        }
        match &self.declared {
            Some(_) if self.is_declared(wanted) => {}
            Some(_) => {
                let says = format!("{wanted} is asked for, and the View did not declare it");
                found.push(rule::MODE_DECLARED.broken(by, says));
            }
            // A host may decline or grant a mode that was not declared.
            None => {
                let says = format!("{wanted} is asked for, and the View declared no modes");
                found.push(rule::MODE_DECLARED.broken(by, says).at_most(Gravity::Note));
            }
        }
    }

    fn judge_answer(
        &mut self,
        wanted: Option<DisplayMode>,
        got: Option<DisplayMode>,
        found: &mut Vec<Breach>,
    ) {
        let (Some(wanted), Some(got)) = (wanted, got) else { return };
        let by = BridgeParty::Host;
        if let Some(told) = self.told.take().filter(|told| *told != got) {
            let says = format!("the answer says {got}, and host-context-changed said {told}");
            found.push(rule::MODE_TRUE.broken(by, says));
        }
        // The default is inline.
        let current = self.current.unwrap_or(DisplayMode::Inline);
        if self.offered.is_some() && !self.is_offered(wanted) && got != current {
            let says = format!("{wanted} is not offered; the answer is {got}, and not {current}");
            found.push(rule::MODE_KEPT.broken(by, says));
        }
        self.judge_switch(got, found);
    }

    /// Judges the mode that the host has set or kept.
    fn judge_switch(&mut self, now: DisplayMode, found: &mut Vec<Breach>) {
        let before = self.current.replace(now);
        if before.unwrap_or(DisplayMode::Inline) != now && !self.is_declared(now) {
            let says = format!("the View was switched to {now}, which it did not declare");
            found.push(rule::MODE_UNDECLARED.broken(BridgeParty::Host, says));
        }
    }

    fn note_offered(&mut self, context: &Value) {
        if let Some(modes) = context["availableDisplayModes"].as_array() {
            self.offered = Some(modes.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        }
    }

    fn is_offered(&self, mode: DisplayMode) -> bool {
        self.offered.as_ref().is_none_or(|modes| modes.iter().any(|name| name == mode.as_str()))
    }

    fn is_declared(&self, mode: DisplayMode) -> bool {
        self.declared.as_ref().is_none_or(|modes| modes.contains(&mode))
    }
}

fn mode(value: &Value) -> Option<DisplayMode> {
    value.as_str().and_then(DisplayMode::named)
}

/// The text defines no error here. It is only a note if the host has no modes or the request is invalid.
fn judge_refusal(code: i64, found: &mut Vec<Breach>) {
    let most = if [code::METHOD_NOT_FOUND, code::INVALID_PARAMS].contains(&code) {
        Gravity::Note
    } else {
        Gravity::Must
    };
    let says = format!("ui/request-display-mode was answered with the error {code}, and not with a mode");
    found.push(rule::MODE_ANSWERED.broken(BridgeParty::Host, says).at_most(most));
}
