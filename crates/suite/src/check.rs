//! A check is a value, declared once, next to its reason.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use protocol::method::Side;
use protocol::{Span, Version};
use server::Fault;
use transport::Transport;

use crate::host::HostCx;
use crate::{AppCx, Basis, Cite, Level, ServerCx, Verdict, WireCx, checks};

/// One thing that the specification asks, and how to find out.
#[derive(Debug)]
pub struct Check {
    /// `ROLE/SECTION/WHAT`, frozen once released.
    pub id: &'static str,
    /// What holds when the check passes, in one line.
    pub title: &'static str,
    /// Where the specification says so.
    pub cites: &'static [Cite],
    /// Ids of older catalogues that this check answers.
    pub aliases: &'static [&'static str],
    /// What goes wrong for users if the rule is broken.
    pub why: &'static str,
    /// How the author of the server fixes it.
    pub fix: &'static str,
    /// Where it applies.
    pub applies: Applies,
    /// How to find out.
    pub run: Run,
    /// The fault that it must catch.
    pub fault: &'static Fault,
}

/// Where a check applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// To servers, over every transport.
    Everywhere,
    /// To servers, over one transport.
    Over(Transport),
    /// To servers that ask for a token, over Streamable HTTP.
    OverProtectedHttp,
    /// To the messages between a View and its host.
    BetweenViewAndHost,
    /// To Views, in a browser.
    ToViews,
    /// To hosts, with Views of our own in them.
    ToHosts,
}

/// How a check talks to a server.
pub type Active = fn(&ServerCx) -> Pin<Box<dyn Future<Output = Verdict> + Send + '_>>;

/// Who is measured, and the function that does it.
#[derive(Clone, Copy)]
pub enum Run {
    /// A server, by talking to it on the session that all share. Never by starting a process.
    Server(Active),
    /// A server, on a session that no other check uses meanwhile: on a pipe one check after the other.
    Alone(Active),
    /// A server, like [`Run::Alone`], by messages that are malformed on purpose. Over HTTP, where one process serves all
    /// sessions, they are sent after the others and one at a time: the one that ends the server is known then.
    Malformed(Active),
    /// A server, as a client that can do other things than the usual one: on a pipe that takes a process of its own.
    OtherClient(Active),
    /// A server, on the shared session, once no other check uses it: for what may make it unusable.
    SharedLast(Active),
    /// A server, after all others and one at a time: by ending sessions, or by changing what others look at.
    Last(Active),
    /// A server, like [`Run::Alone`], by what it offers to a client that asks for a version that does not exist. A run asks
    /// for such versions once, if any of these checks is selected.
    CounterOffer(Active),
    /// The senders of the messages of a session, by reading them.
    Wire(Sides, fn(&WireCx<'_>) -> Verdict),
    /// An app, by what was recorded of it in the named rows of the matrix of hosts.
    App(&'static [&'static str], fn(&AppCx<'_>) -> Verdict),
    /// An app, like [`Run::App`], by whether something came in time. The rows of a violation are shown once more, alone.
    AppInTime(&'static [&'static str], fn(&AppCx<'_>) -> Verdict),
    /// A host, by what was seen while it showed the probes.
    Host(fn(&HostCx<'_>) -> Verdict),
}

/// Whose messages a passive check judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Those of the server; between a View and its host, those of the host and its proxy.
    Server,
    /// Those of the client; between a View and its host, those of the View.
    Client,
    /// Those of either.
    Either,
}

/// The part of the protocol that a check is about: the second step of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section(pub &'static str);

impl Check {
    /// How strongly it binds in `version`; `None` where no page of that revision says so.
    pub fn level(&self, version: Version) -> Option<Level> {
        self.cites.iter().filter(|c| c.span.contains(version)).map(|c| c.level).max()
    }

    /// The part of the protocol that it is about.
    pub fn section(&self) -> Section {
        Section(self.id.split('/').nth(1).unwrap_or(self.id))
    }

    /// How strongly it binds in `version` over `transport`; `None` where no page says so.
    pub fn level_over(&self, version: Version, transport: Transport) -> Option<Level> {
        self.cites_over(version, transport).map(|cite| cite.level).max()
    }

    /// How the strongest of the places in `version` says so.
    pub fn basis(&self, version: Version) -> Basis {
        clearest(self.cites_in(version))
    }

    /// How the strongest of the places in `version` over `transport` says so.
    pub fn basis_over(&self, version: Version, transport: Transport) -> Basis {
        clearest(self.cites_over(version, transport))
    }

    /// Whether it makes sense over `transport`.
    pub fn suits(&self, transport: Transport) -> bool {
        self.applies.includes(transport)
    }

    /// The places that speak of it in `version`.
    pub fn cites_in(&self, version: Version) -> impl Iterator<Item = &'static Cite> {
        self.cites.iter().filter(move |c| c.span.contains(version))
    }

    /// The places that speak of it in `version` over `transport`.
    pub fn cites_over(&self, version: Version, transport: Transport) -> impl Iterator<Item = &'static Cite> {
        self.cites.iter().filter(move |cite| cite.binds(version, transport))
    }

    /// Whether it only reads what others said.
    pub const fn is_passive(&self) -> bool {
        matches!(self.run, Run::Wire(..))
    }

    /// Whether it judges the messages of `side`. An active check judges servers, and one of apps the View.
    pub const fn judges(&self, side: Side) -> bool {
        match self.run {
            Run::Wire(sides, _) => sides.include(side),
            Run::App(..) | Run::AppInTime(..) => matches!(side, Side::Client),
            Run::Server(_)
            | Run::Alone(_)
            | Run::Malformed(_)
            | Run::OtherClient(_)
            | Run::SharedLast(_)
            | Run::Last(_)
            | Run::CounterOffer(_) => matches!(side, Side::Server),
            Run::Host(_) => false,
        }
    }

    /// The revisions in which it binds, oldest first.
    pub fn versions(&self) -> impl Iterator<Item = Version> + '_ {
        Span::ALWAYS.versions().filter(|v| self.level(*v).is_some())
    }
}

impl Sides {
    /// Whether `side` is one of them.
    pub const fn include(self, side: Side) -> bool {
        match self {
            Self::Server => matches!(side, Side::Server),
            Self::Client => matches!(side, Side::Client),
            Self::Either => true,
        }
    }
}

impl Applies {
    /// Whether it is about servers. Only those have the faults of the reference server.
    pub const fn concerns_servers(self) -> bool {
        match self {
            Self::Everywhere | Self::Over(_) | Self::OverProtectedHttp => true,
            Self::BetweenViewAndHost | Self::ToViews | Self::ToHosts => false,
        }
    }

    /// Whether it includes servers over `transport`.
    pub fn includes(self, transport: Transport) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Over(only) => transport == only,
            Self::OverProtectedHttp => transport == Transport::StreamableHttp,
            Self::BetweenViewAndHost | Self::ToViews | Self::ToHosts => false,
        }
    }
}

/// Of the places that bind most strongly, how the clearest of them says so.
fn clearest(cites: impl Iterator<Item = &'static Cite>) -> Basis {
    let strongest = cites.max_by_key(|cite| (cite.level, std::cmp::Reverse(cite.basis)));
    strongest.map(|cite| cite.basis).unwrap_or_default()
}

/// Every check, section by section.
pub fn registry() -> impl Iterator<Item = &'static Check> {
    checks::ALL.iter().flat_map(|section| section.iter())
}

/// The check of that id, or the one that answers that alias.
pub fn by_id(id: &str) -> Option<&'static Check> {
    registry().find(|check| check.id == id || check.aliases.contains(&id))
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Server(_) => "Server",
            Self::Alone(_) => "Alone",
            Self::Malformed(_) => "Malformed",
            Self::OtherClient(_) => "OtherClient",
            Self::SharedLast(_) => "SharedLast",
            Self::Last(_) => "Last",
            Self::CounterOffer(_) => "CounterOffer",
            Self::Wire(..) => "Wire",
            Self::App(..) => "App",
            Self::AppInTime(..) => "AppInTime",
            Self::Host(_) => "Host",
        })
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A finding over a pipe sends its reader to the page of stdio, and one over HTTP to that of HTTP.
    #[test]
    fn places_fit_the_transport() {
        let pages = [
            (Transport::Stdio, "streamable-http"),
            (Transport::Stdio, "http-with-sse"),
            (Transport::StreamableHttp, "stdio"),
        ];
        let mut wrong = Vec::new();
        for check in registry().filter(|check| check.applies.concerns_servers()) {
            for (transport, foreign) in pages.into_iter().filter(|(transport, _)| check.suits(*transport)) {
                for version in check.versions() {
                    let places =
                        check.cites_over(version, transport).filter(|cite| cite.place.contains(foreign));
                    wrong.extend(
                        places.map(|cite| format!("{} {version} {transport:?}: {}", check.id, cite.place)),
                    );
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Where a place is left out for its transport, another one binds.
    #[test]
    fn every_check_binds_wherever_it_runs() {
        for check in registry() {
            for (transport, version) in Transport::ALL
                .into_iter()
                .flat_map(|transport| check.versions().map(move |version| (transport, version)))
            {
                let binds = check.level_over(version, transport).is_some();
                assert!(binds || !check.suits(transport), "{} {version} {transport:?}", check.id);
            }
        }
    }
}
