//! The direction of a message on the bridge.

use std::fmt;

use super::method::{self, UiMethod};

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
pub enum BridgeDirection {
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

impl BridgeDirection {
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

    /// The direction and exchange of an entry of this direction, in a recording over `postMessage`.
    pub const fn recorded(self) -> (wire::Direction, u32) {
        match self {
            Self::ViewToHost => (wire::Direction::ToServer, 0),
            Self::HostToView => (wire::Direction::ToClient, 0),
            Self::ProxyToHost => (wire::Direction::ToServer, wire::recording::PROXY),
            Self::HostToProxy => (wire::Direction::ToClient, wire::recording::PROXY),
        }
    }

    /// The direction of an entry of a recording over `postMessage`.
    pub const fn of_entry(entry: &wire::Entry) -> Self {
        match (entry.direction, entry.exchange) {
            (wire::Direction::ToServer, wire::recording::PROXY) => Self::ProxyToHost,
            (wire::Direction::ToServer, _) => Self::ViewToHost,
            (wire::Direction::ToClient, wire::recording::PROXY) => Self::HostToProxy,
            (wire::Direction::ToClient, _) => Self::HostToView,
        }
    }

    /// The row of a method that may be sent in this direction.
    pub fn method(self, name: &str) -> Option<&'static UiMethod> {
        method::named(name).iter().find(|row| row.direction == self)
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
    use super::super::method::Since;
    use super::*;

    #[test]
    fn directions_have_two_ends_and_a_way_back() {
        for direction in BridgeDirection::ALL {
            assert_eq!(BridgeDirection::between(direction.from(), direction.to()), Some(direction));
            assert_eq!(direction.back().back(), direction);
            assert_eq!(direction.back().from(), direction.to());
            let ((recorded, exchange), what) = (direction.recorded(), wire::What::Message);
            let entry = wire::Entry {
                at: Default::default(),
                direction: recorded,
                what,
                exchange,
                bytes: Default::default(),
            };
            assert_eq!(BridgeDirection::of_entry(&entry), direction);
        }
        assert_eq!(BridgeDirection::between(BridgeParty::Proxy, BridgeParty::View), None);
    }

    #[test]
    fn a_method_is_found_in_its_direction_alone() {
        assert!(BridgeDirection::ViewToHost.method("ui/open-link").is_some());
        assert!(BridgeDirection::HostToView.method("ui/open-link").is_none());
        assert!(BridgeDirection::ViewToHost.method("ping").is_some());
        assert!(BridgeDirection::HostToView.method("ping").is_some());
        assert!(BridgeDirection::ViewToHost.method("ui/openLink").is_none(), "names have hyphens");
        assert_eq!(BridgeDirection::ViewToHost.method("tools/call").unwrap().since, Since::Stable);
        assert_eq!(BridgeDirection::HostToView.method("tools/call").unwrap().since, Since::Ext2);
        assert!(BridgeDirection::ProxyToHost.method("ui/notifications/sandbox-proxy-ready").is_some());
        assert!(BridgeDirection::ViewToHost.method("ui/notifications/sandbox-proxy-ready").is_none());
    }

    #[test]
    fn parties_are_named() {
        for party in [BridgeParty::View, BridgeParty::Host, BridgeParty::Proxy] {
            assert_eq!(BridgeParty::named(party.as_str()), Some(party));
        }
        assert_eq!(BridgeParty::named("server"), None);
    }
}
