//! The host context of a View, and the notifications of its changes.

use serde_json::{Map, Value};

use super::PlacedMessage;
use crate::apps::breach::Breach;
use crate::apps::direction::{BridgeDirection, BridgeParty};
use crate::apps::{merge_context, rule};

/// The host context as the View knows it.
#[derive(Clone, Debug, Default)]
pub(super) struct ContextRules {
    known: Map<String, Value>,
}

impl ContextRules {
    pub(super) fn judge(&mut self, placed: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        match placed.granted_request(BridgeDirection::ViewToHost) {
            Some((about, result)) if about.method == "ui/initialize" => {
                self.known = result["hostContext"].as_object().cloned().unwrap_or_default();
            }
            Some((about, result)) if about.method == "ui/request-display-mode" => {
                self.known.insert("displayMode".to_owned(), result["mode"].clone());
            }
            _ => {}
        }
        if placed.method_sent(BridgeDirection::HostToView) == Some("ui/notifications/host-context-changed")
            && let Some(change) = placed.message.params().as_object()
        {
            self.judge_change(change, found);
        }
    }

    fn judge_change(&mut self, change: &Map<String, Value>, found: &mut Vec<Breach>) {
        let stale: Vec<_> = change
            .iter()
            .filter(|(key, value)| self.known.get(*key) == Some(value))
            .map(|(key, _)| format!("`{key}`"))
            .collect();
        let says = if change.is_empty() {
            "host-context-changed says nothing".to_owned()
        } else if stale.is_empty() {
            String::new()
        } else {
            format!("host-context-changed repeats {}, which did not change", stale.join(", "))
        };
        if !says.is_empty() {
            found.push(rule::CONTEXT_NEW.broken(BridgeParty::Host, says));
        }
        merge_context(&mut self.known, change);
    }
}
