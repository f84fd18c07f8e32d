//! The direction of a message on the bridge.

use std::fmt;

use super::method::{self, BridgeDirection, UiMethod};

/// An end of the bridge, or the proxy between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BridgeParty {
    /// The app in its frame.
    View,
    /// The program that shows it.
    Host,
    /// The outer frame of a host that is a web page.
    Proxy,
}

/// The direction of a message: who sent it to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the View to the host, perhaps through the proxy.
    ViewToHost,
    /// From the host to the View, perhaps through the proxy.
    HostToView,
    /// From the proxy itself to the host.
    ProxyToHost,
    /// From the host to the proxy itself.
    HostToProxy,
}

impl BridgeParty {
    /// The name in records and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Host => "host",
            Self::Proxy => "proxy",
        }
    }

    /// The party of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::View, Self::Host, Self::Proxy].into_iter().find(|party| party.as_str() == name)
    }
}

impl Way {
    /// Every direction.
    pub const ALL: [Self; 4] = [Self::ViewToHost, Self::HostToView, Self::ProxyToHost, Self::HostToProxy];

    /// The direction from one party to another; `None` between View and proxy, which do not talk to each other.
    pub const fn between(from: BridgeParty, to: BridgeParty) -> Option<Self> {
        match (from, to) {
            (BridgeParty::View, BridgeParty::Host) => Some(Self::ViewToHost),
            (BridgeParty::Host, BridgeParty::View) => Some(Self::HostToView),
            (BridgeParty::Proxy, BridgeParty::Host) => Some(Self::ProxyToHost),
            (BridgeParty::Host, BridgeParty::Proxy) => Some(Self::HostToProxy),
            (BridgeParty::View, BridgeParty::View | BridgeParty::Proxy)
            | (BridgeParty::Host, BridgeParty::Host)
            | (BridgeParty::Proxy, BridgeParty::View | BridgeParty::Proxy) => None,
        }
    }

    /// The sender.
    pub const fn from(self) -> BridgeParty {
        match self {
            Self::ViewToHost => BridgeParty::View,
            Self::HostToView | Self::HostToProxy => BridgeParty::Host,
            Self::ProxyToHost => BridgeParty::Proxy,
        }
    }

    /// The receiver.
    pub const fn to(self) -> BridgeParty {
        self.back().from()
    }

    /// The direction of an answer.
    pub const fn back(self) -> Self {
        match self {
            Self::ViewToHost => Self::HostToView,
            Self::HostToView => Self::ViewToHost,
            Self::ProxyToHost => Self::HostToProxy,
            Self::HostToProxy => Self::ProxyToHost,
        }
    }

    /// The direction and exchange of an entry that went this way, in a recording over `postMessage`.
    pub const fn recorded(self) -> (wire::Direction, u32) {
        match self {
            Self::ViewToHost => (wire::Direction::ToServer, 0),
            Self::HostToView => (wire::Direction::ToClient, 0),
            Self::ProxyToHost => (wire::Direction::ToServer, wire::recording::PROXY),
            Self::HostToProxy => (wire::Direction::ToClient, wire::recording::PROXY),
        }
    }

    /// The way that an entry of a recording over `postMessage` went.
    pub const fn of_entry(entry: &wire::Entry) -> Self {
        match (entry.direction, entry.exchange) {
            (wire::Direction::ToServer, wire::recording::PROXY) => Self::ProxyToHost,
            (wire::Direction::ToServer, _) => Self::ViewToHost,
            (wire::Direction::ToClient, wire::recording::PROXY) => Self::HostToProxy,
            (wire::Direction::ToClient, _) => Self::HostToView,
        }
    }

    /// The row of a method that goes this way.
    pub fn method(self, name: &str) -> Option<&'static UiMethod> {
        method::named(name).iter().find(|row| self.carries(row.direction))
    }

    /// Whether messages of that direction go this way.
    pub const fn carries(self, direction: BridgeDirection) -> bool {
        match direction {
            BridgeDirection::ViewToHost => matches!(self, Self::ViewToHost),
            BridgeDirection::HostToView => matches!(self, Self::HostToView),
            BridgeDirection::Both => matches!(self, Self::ViewToHost | Self::HostToView),
            BridgeDirection::ProxyToHost => matches!(self, Self::ProxyToHost),
            BridgeDirection::HostToProxy => matches!(self, Self::HostToProxy),
        }
    }
}

impl fmt::Display for BridgeParty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::View => "the View",
            Self::Host => "the host",
            Self::Proxy => "the sandbox proxy",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_go_from_one_to_another_and_back() {
        for way in Way::ALL {
            assert_eq!(Way::between(way.from(), way.to()), Some(way));
            assert_eq!(way.back().back(), way);
            assert_eq!(way.back().from(), way.to());
            let (direction, exchange) = way.recorded();
            let (at, what, bytes) = (std::time::Duration::ZERO, wire::What::Message, Default::default());
            assert_eq!(Way::of_entry(&wire::Entry { at, direction, what, exchange, bytes }), way);
        }
        assert_eq!(Way::between(BridgeParty::Proxy, BridgeParty::View), None);
    }

    #[test]
    fn a_method_is_found_on_its_way_alone() {
        assert!(Way::ViewToHost.method("ui/open-link").is_some());
        assert!(Way::HostToView.method("ui/open-link").is_none());
        assert!(Way::HostToView.method("ping").is_some());
        assert!(Way::ProxyToHost.method("ui/notifications/sandbox-proxy-ready").is_some());
        assert!(Way::ViewToHost.method("ui/notifications/sandbox-proxy-ready").is_none());
    }

    #[test]
    fn parties_are_named() {
        for party in [BridgeParty::View, BridgeParty::Host, BridgeParty::Proxy] {
            assert_eq!(BridgeParty::named(party.as_str()), Some(party));
        }
        assert_eq!(BridgeParty::named("server"), None);
    }
}
