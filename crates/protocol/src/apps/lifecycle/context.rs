//! The surroundings of a View, and what is told of their changes.

use serde_json::{Map, Value};

use super::PlacedMessage;
use crate::apps::breach::Breach;
use crate::apps::way::{BridgeParty, Way};
use crate::apps::{merge_context, rule};

/// What the View was told of its surroundings.
#[derive(Clone, Debug, Default)]
pub(super) struct ContextRules {
    known: Map<String, Value>,
}

impl ContextRules {
    pub(super) fn heard(&mut self, said: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        match said.granted(Way::ViewToHost) {
            Some((about, result)) if about.method == "ui/initialize" => {
                self.known = result["hostContext"].as_object().cloned().unwrap_or_default();
            }
            Some((about, result)) if about.method == "ui/request-display-mode" => {
                self.known.insert("displayMode".to_owned(), result["mode"].clone());
            }
            _ => {}
        }
        if said.told(Way::HostToView) == Some("ui/notifications/host-context-changed")
            && let Some(change) = said.message.params().as_object()
        {
            self.changed(change, found);
        }
    }

    fn changed(&mut self, change: &Map<String, Value>, found: &mut Vec<Breach>) {
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
