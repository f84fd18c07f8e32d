//! A check is a value, declared once, next to its reason.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use protocol::{Span, Version};
use server::Fault;
use transport::serve::Via;

use crate::{Basis, Cite, Level, ServerCx, Verdict, WireCx, checks};

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
    /// What goes wrong for people when it does not hold.
    pub why: &'static str,
    /// What the author of the server does about it.
    pub fix: &'static str,
    /// The transports that it makes sense on.
    pub on: On,
    /// How to find out.
    pub run: Run,
    /// The fault that it must catch.
    pub fault: &'static Fault,
}

/// The transports that a check makes sense on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// All of them.
    Any,
    /// Pipes: stdio, or one within the process.
    Pipe,
    /// Streamable HTTP.
    Http,
    /// The HTTP+SSE of 2024-11-05.
    HttpSse,
    /// `postMessage` between a View and its host, which no server has.
    Bridge,
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
    /// A server, as a client that can do other things than the usual one: on a pipe that takes a process of its own.
    OtherClient(Active),
    /// A server, on the session that all share, once no other check uses it: by what may leave it of no use.
    SharedLast(Active),
    /// A server, after all others and one at a time: by ending sessions, or by changing what others look at.
    Last(Active),
    /// Whoever sent the messages of a session, by reading them.
    Wire(fn(&WireCx<'_>) -> Verdict),
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

    /// How strongly it binds in `version` over `via`; `None` where no page says so.
    pub fn level_over(&self, version: Version, via: Via) -> Option<Level> {
        self.cites_over(version, via).map(|cite| cite.level).max()
    }

    /// How the strongest of the places in `version` says so.
    pub fn basis(&self, version: Version) -> Basis {
        clearest(self.cites_in(version))
    }

    /// How the strongest of the places in `version` over `via` says so.
    pub fn basis_over(&self, version: Version, via: Via) -> Basis {
        clearest(self.cites_over(version, via))
    }

    /// Whether it makes sense over `via`.
    pub fn suits(&self, via: Via) -> bool {
        self.on.includes(via)
    }

    /// The places that speak of it in `version`.
    pub fn cites_in(&self, version: Version) -> impl Iterator<Item = &'static Cite> {
        self.cites.iter().filter(move |c| c.span.contains(version))
    }

    /// The places that speak of it in `version` over `via`.
    pub fn cites_over(&self, version: Version, via: Via) -> impl Iterator<Item = &'static Cite> {
        self.cites.iter().filter(move |cite| cite.binds(version, via))
    }

    /// The revisions in which it binds, oldest first.
    pub fn versions(&self) -> impl Iterator<Item = Version> + '_ {
        Span::ALWAYS.versions().filter(|v| self.level(*v).is_some())
    }
}

impl On {
    /// Whether `via` is one of them.
    pub fn includes(self, via: Via) -> bool {
        match self {
            Self::Any => true,
            Self::Pipe => via == Via::Pipe,
            Self::Http => via == Via::StreamableHttp,
            Self::HttpSse => via == Via::HttpSse,
            Self::Bridge => false,
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
            Self::OtherClient(_) => "OtherClient",
            Self::SharedLast(_) => "SharedLast",
            Self::Last(_) => "Last",
            Self::Wire(_) => "Wire",
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
        let pages =
            [(Via::Pipe, "streamable-http"), (Via::Pipe, "http-with-sse"), (Via::StreamableHttp, "stdio")];
        let mut wrong = Vec::new();
        for check in registry().filter(|check| check.on != On::Bridge) {
            for (via, foreign) in pages.into_iter().filter(|(via, _)| check.suits(*via)) {
                for version in check.versions() {
                    let places = check.cites_over(version, via).filter(|cite| cite.place.contains(foreign));
                    wrong
                        .extend(places.map(|cite| format!("{} {version} {via:?}: {}", check.id, cite.place)));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Where a place is left out for its transport, another one binds.
    #[test]
    fn every_check_binds_wherever_it_runs() {
        let vias = [Via::Pipe, Via::StreamableHttp, Via::HttpSse];
        for check in registry() {
            for (via, version) in
                vias.iter().flat_map(|via| check.versions().map(move |version| (*via, version)))
            {
                let binds = check.level_over(version, via).is_some();
                assert!(binds || !check.suits(via), "{} {version} {via:?}", check.id);
            }
        }
    }
}
