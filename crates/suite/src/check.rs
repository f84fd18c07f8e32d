//! A check is a value, declared once, next to its reason.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use protocol::{Span, Version};
use server::Fault;
use transport::serve::Via;

use crate::{Cite, Level, ServerCx, Verdict, WireCx, checks};

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

    /// Whether it makes sense over `via`.
    pub fn suits(&self, via: Via) -> bool {
        match self.on {
            On::Any => true,
            On::Pipe => via == Via::Pipe,
            On::Http => via == Via::StreamableHttp,
            On::HttpSse => via == Via::HttpSse,
            On::Bridge => false,
        }
    }

    /// The places that speak of it in `version`.
    pub fn cites_in(&self, version: Version) -> impl Iterator<Item = &'static Cite> {
        self.cites.iter().filter(move |c| c.span.contains(version))
    }

    /// The revisions in which it binds, oldest first.
    pub fn versions(&self) -> impl Iterator<Item = Version> + '_ {
        Span::ALWAYS.versions().filter(|v| self.level(*v).is_some())
    }
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
