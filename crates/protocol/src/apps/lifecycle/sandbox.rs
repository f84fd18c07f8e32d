//! The messages between host and sandbox proxy, which never reach the View.

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::direction::{BridgeDirection, BridgeParty};
use crate::apps::message::BridgeMessage;
use crate::apps::method::SANDBOX_PREFIX;
use crate::apps::rule;

const READY: &str = "ui/notifications/sandbox-proxy-ready";
const RESOURCE: &str = "ui/notifications/sandbox-resource-ready";

/// The state of the proxy.
#[derive(Clone, Debug, Default)]
pub(super) struct SandboxRules {
    ready: bool,
    loaded: bool,
}

impl SandboxRules {
    /// Whether the message sends new HTML to a proxy that already has a View.
    pub(super) fn replaces_view(&self, message: &BridgeMessage<'_>) -> bool {
        self.loaded && message.method() == Some(RESOURCE)
    }

    pub(super) fn judge(&mut self, placed: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        for direction in [BridgeDirection::ViewToHost, BridgeDirection::HostToView] {
            if let Some(method) =
                placed.method_sent(direction).filter(|method| method.starts_with(SANDBOX_PREFIX))
            {
                let says = format!("{method} is for host and sandbox proxy alone, and never passed on");
                found.push(rule::RESERVED.broken(direction.from(), says));
            }
        }
        if let Some(method) = placed.method_sent(BridgeDirection::ProxyToHost) {
            self.judge_proxy(method, &placed.message, found);
        }
        if placed.method_sent(BridgeDirection::HostToProxy) == Some(RESOURCE) {
            if !self.ready {
                let says = "the HTML is sent before the sandbox proxy is ready";
                found.push(rule::RESOURCE_AFTER_READY.broken(BridgeParty::Host, says));
            }
            self.loaded = true;
        }
    }

    pub(super) fn judge_end(&self, found: &mut Vec<Breach>) {
        if self.ready && !self.loaded {
            // Only a note, because the record may end before the HTML is sent.
            let says = "the sandbox proxy was ready, and the HTML never came";
            found.push(rule::RESOURCE_SENT.broken(BridgeParty::Host, says).at_most(Gravity::Note));
        }
    }

    fn judge_proxy(&mut self, method: &str, message: &BridgeMessage<'_>, found: &mut Vec<Breach>) {
        if method == READY {
            if self.ready {
                found.push(
                    rule::PROXY_READY_ONCE
                        .broken(BridgeParty::Proxy, "the proxy said before that it is ready"),
                );
            }
            self.ready = true;
            return;
        }
        // Only for requests does the text say that a proxy should not send its own.
        let most = if message.is_request() { Gravity::Should } else { Gravity::Note };
        let says = format!("{method} is the proxy's own; it passes on what others say");
        found.push(rule::PROXY_QUIET.broken(BridgeParty::Proxy, says).at_most(most));
    }
}
