//! What passes between host and sandbox proxy, and stays there.

use super::PlacedMessage;
use crate::apps::breach::{Breach, Gravity};
use crate::apps::message::BridgeMessage;
use crate::apps::method::SANDBOX_PREFIX;
use crate::apps::rule;
use crate::apps::way::{BridgeParty, Way};

const READY: &str = "ui/notifications/sandbox-proxy-ready";
const RESOURCE: &str = "ui/notifications/sandbox-resource-ready";

/// How far the proxy has come.
#[derive(Clone, Debug, Default)]
pub(super) struct SandboxRules {
    ready: bool,
    loaded: bool,
}

impl SandboxRules {
    /// Whether the host sends other HTML into a proxy that has some already.
    pub(super) fn begins_anew(&self, message: &BridgeMessage<'_>) -> bool {
        self.loaded && message.method() == Some(RESOURCE)
    }

    pub(super) fn heard(&mut self, said: &PlacedMessage<'_>, found: &mut Vec<Breach>) {
        for way in [Way::ViewToHost, Way::HostToView] {
            if let Some(method) = said.told(way).filter(|method| method.starts_with(SANDBOX_PREFIX)) {
                let says = format!("{method} is for host and sandbox proxy alone, and never passed on");
                found.push(rule::RESERVED.broken(way.from(), says));
            }
        }
        if let Some(method) = said.told(Way::ProxyToHost) {
            self.of_proxy(method, &said.message, found);
        }
        if said.told(Way::HostToProxy) == Some(RESOURCE) {
            if !self.ready {
                let says = "the HTML is sent before the sandbox proxy is ready";
                found.push(rule::RESOURCE_AFTER_READY.broken(BridgeParty::Host, says));
            }
            self.loaded = true;
        }
    }

    pub(super) fn ended(&self, found: &mut Vec<Breach>) {
        if self.ready && !self.loaded {
            // The record may end before the HTML is there.
            let says = "the sandbox proxy was ready, and the HTML never came";
            found.push(rule::RESOURCE_SENT.broken(BridgeParty::Host, says).at_most(Gravity::Note));
        }
    }

    fn of_proxy(&mut self, method: &str, message: &BridgeMessage<'_>, found: &mut Vec<Breach>) {
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
        // Of requests alone the text says that a proxy should not make them up.
        let most = if message.is_request() { Gravity::Should } else { Gravity::Note };
        let says = format!("{method} is the proxy's own; it passes on what others say");
        found.push(rule::PROXY_QUIET.broken(BridgeParty::Proxy, says).at_most(most));
    }
}
