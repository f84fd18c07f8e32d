//! Deliberate violations, one each, so that every check can be shown to fail.
//!
//! A fault is a value: a name, what it breaks, and its effect. Most effects are applied around the bytes by
//! [`Faulty`]; a switch is asked for by name at the one place in the server that it changes.

pub mod app_details;
pub mod apps;
pub mod asks;
pub mod authorization;
pub mod base;
pub mod bridge;
pub mod calls;
pub mod cancellation;
pub mod dialect;
mod edit;
mod faulty;
pub mod framing;
pub mod headers;
pub mod http;
pub mod lifecycle;
pub mod lists;
pub mod mrtr;
pub mod negotiation;
pub mod openai;
pub mod resources;
pub mod stdio;
pub mod streams;
pub mod tasks;
pub mod tools;

use std::fmt;

use ::http::response::Parts;
use protocol::Version;
use serde_json::Value;
use transport::serve::Via;
use transport::serve::http::Options;

pub use faulty::Faulty;

use crate::bridge::Session;

/// One deliberate violation.
#[derive(Debug)]
pub struct Fault {
    /// The name on the command line.
    pub name: &'static str,
    /// What goes wrong, in one line.
    pub about: &'static str,
    /// How.
    pub effect: Effect,
}

/// How a fault works.
#[derive(Clone, Copy)]
pub enum Effect {
    /// The server asks for it by name, in one place.
    Switch,
    /// Every outgoing message passes through, parsed; what comes back is sent instead: nothing, one or more.
    Message(fn(&Outgoing<'_>, Value) -> Vec<Value>),
    /// Every outgoing message passes through as bytes.
    Bytes(fn(&Outgoing<'_>, Vec<u8>) -> Vec<u8>),
    /// Every HTTP response head passes through; the text is the JSON-RPC method, if there was a message.
    Head(fn(Option<&str>, &mut Parts)),
    /// The HTTP server insists on less.
    Http(fn(&mut Options)),
    /// What is read from a pipe passes through, before it is cut into lines; `None` ends the connection.
    Input(fn(&[u8]) -> Option<Vec<u8>>),
    /// A message that comes in is looked at before the server sees it.
    Incoming(fn(&Incoming<'_>) -> Option<Reaction>),
    /// What View, host and sandbox proxy say to each other, which is no server's doing.
    Bridge(fn(&mut Session)),
    /// Several at once.
    Several(&'static [Self]),
}

/// A message that comes in, and its circumstances.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    /// The message.
    pub frame: &'a wire::Frame<'a>,
    /// Whether the handshake is over, where there is one.
    pub is_ready: bool,
}

/// What a fault does instead of handing a message on.
#[derive(Clone, Copy, Debug)]
pub enum Reaction {
    /// The message is refused with this error.
    Refuse(i64, &'static str),
    /// Nothing is answered any more on this connection.
    Deafen,
}

/// An outgoing message's circumstances.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// The method of the request that it belongs to, if any.
    pub method: Option<&'a str>,
    /// The revision, once it is known.
    pub version: Option<Version>,
    /// The transport.
    pub via: Via,
}

/// A set of faults.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<&'static Fault>);

/// A name that no fault has.
#[derive(Clone, Debug, thiserror::Error)]
#[error("no fault `{0}`; `--fault list` shows them")]
pub struct UnknownFault(pub String);

impl Fault {
    /// Every fault, by area.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        ALL.iter().flat_map(|area| area.iter().copied())
    }

    /// The fault of that name.
    pub fn named(name: &str) -> Result<&'static Self, UnknownFault> {
        Self::all().find(|fault| fault.name == name).ok_or_else(|| UnknownFault(name.to_owned()))
    }
}

impl Faults {
    /// These and no others.
    pub fn new(faults: impl IntoIterator<Item = &'static Fault>) -> Self {
        Self(faults.into_iter().collect())
    }

    /// Whether `fault` is among them.
    pub fn has(&self, fault: &Fault) -> bool {
        self.0.iter().any(|known| known.name == fault.name)
    }

    /// Whether the server speaks the dialect of mcp-validator, rightly or wrongly.
    pub(crate) fn speak_dialect(&self) -> bool {
        self.has(&dialect::SPOKEN) || dialect::FAULTS.iter().any(|fault| self.has(fault))
    }

    /// What the HTTP server insists on, with these faults.
    pub fn http_options(&self) -> Options {
        let mut options = Options::default();
        for effect in self.effects() {
            if let Effect::Http(change) = effect {
                change(&mut options);
            }
        }
        options
    }

    fn effects(&self) -> impl Iterator<Item = Effect> {
        self.0
            .iter()
            .flat_map(|fault| match &fault.effect {
                Effect::Several(effects) => effects,
                effect => std::slice::from_ref(effect),
            })
            .copied()
    }
}

impl fmt::Debug for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Switch => "Switch",
            Self::Message(_) => "Message",
            Self::Bytes(_) => "Bytes",
            Self::Head(_) => "Head",
            Self::Http(_) => "Http",
            Self::Input(_) => "Input",
            Self::Incoming(_) => "Incoming",
            Self::Bridge(_) => "Bridge",
            Self::Several(_) => "Several",
        })
    }
}

const ALL: &[&[&Fault]] = &[
    framing::FAULTS,
    base::FAULTS,
    stdio::FAULTS,
    lifecycle::FAULTS,
    negotiation::FAULTS,
    http::FAULTS,
    streams::FAULTS,
    headers::FAULTS,
    authorization::FAULTS,
    tools::FAULTS,
    calls::FAULTS,
    lists::FAULTS,
    resources::FAULTS,
    asks::FAULTS,
    cancellation::FAULTS,
    mrtr::FAULTS,
    tasks::FAULTS,
    apps::FAULTS,
    app_details::FAULTS,
    openai::FAULTS,
    dialect::FAULTS,
];
