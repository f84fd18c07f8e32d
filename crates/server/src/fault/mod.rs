//! Deliberate violations, one each, so that every check can be shown to fail.
//!
//! A fault is a value: a name, what it breaks, and its effect. [`Faulty`] applies the effects around a server that does
//! not know of them: to incoming and outgoing messages, and to HTTP requests and responses. The memory of a fault
//! belongs to one server ([`Memory`]).

#![expect(missing_docs, reason = "`about` says what a fault does, once")]

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
mod incoming;
pub mod lifecycle;
pub mod lists;
mod memory;
pub mod mrtr;
pub mod negotiation;
pub mod openai;
mod outgoing;
mod path;
pub mod resources;
pub mod stdio;
pub mod streams;
pub mod tasks;
pub mod tools;
pub mod view;

use std::time::Duration;

use ::http::response::Parts;
use ::http::{HeaderMap, Method, StatusCode};
use serde_json::Value;
use transport::serve::Answer;
use transport::serve::http::{Answered, Options, Response};

pub use faulty::{Connection, Faulty};
pub use incoming::{Incoming, Reaction};
pub use memory::Memory;
pub use outgoing::{Ending, Outgoing};

use crate::bridge::Session;

/// One deliberate violation.
#[derive(Debug)]
pub struct Fault {
    /// The name on the command line.
    pub name: &'static str,
    /// What goes wrong, in one line.
    pub about: &'static str,
    /// How it goes wrong.
    pub effect: Effect,
}

/// A path in a result: the names of members, `*` for every item of a list.
pub type Path = &'static [&'static str];

/// How a fault works. Where methods are named, it concerns the answers to them; an empty list means all methods.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    /// Sets a member at a path in the results of some methods.
    Set(&'static [&'static str], Path, fn() -> Value),
    /// Replaces a member at a path, where there is one.
    Replace(&'static [&'static str], Path, fn() -> Value),
    /// Removes the member at a path from the results of some methods.
    Remove(&'static [&'static str], Path),
    /// Replaces the first code with the second in the errors of some methods.
    Recode(&'static [&'static str], i64, i64),
    /// Turns the results of a method into errors with this code.
    Fail(&'static str, i64),
    /// Serves batches in every revision, or in none.
    Batches(bool),
    /// Keeps the output of a pipe open for this time.
    Outlive(Duration),
    /// Speaks the dialect of mcp-validator besides MCP.
    Dialect,
    /// Changes an incoming message before the server sees it, or reacts instead of the server.
    Incoming(fn(&mut Incoming<'_>) -> Option<Reaction>),
    /// Changes a request that the server has refused with this error, and tries it again if it returns true.
    Retry(fn(&Value, &mut Incoming<'_>) -> bool),
    /// Changes the server's answer to a message.
    Answer(fn(&Incoming<'_>, Answer) -> Answer),
    /// Replaces every outgoing message, parsed, with none, one or more.
    Message(fn(&Outgoing<'_>, Value) -> Vec<Value>),
    /// Changes every outgoing message as bytes.
    Bytes(fn(&Outgoing<'_>, Vec<u8>) -> Vec<u8>),
    /// Selects messages on the streams of a session that go to its GET stream as well.
    Copy(fn(&Value) -> bool),
    /// Adds something at the end of a stream. The flag says whether the stream carried the response.
    End(fn(&Outgoing<'_>, bool) -> Option<Ending>),
    /// Ends the streams of all calls over stateless HTTP when a client closes one of them.
    EndTogether,
    /// Changes the options of the HTTP server.
    Http(fn(&mut Options)),
    /// Changes the headers of an HTTP request. If it returns a status, that is the answer.
    Request(fn(&Memory, &Method, &mut HeaderMap) -> Option<StatusCode>),
    /// Changes every HTTP response.
    Response(fn(&Memory, Answered<'_>, Response) -> Response),
    /// Changes every response head of Streamable HTTP. The text is the JSON-RPC method, if there was a message.
    Head(fn(Option<&str>, &mut Parts)),
    /// Changes every event of an HTTP response; `None` drops it.
    Event(fn(&str) -> Option<String>),
    /// Changes what is read from a pipe, before it is split into lines; `None` ends the connection.
    Input(fn(&[u8]) -> Option<Vec<u8>>),
    /// Changes the messages between View, host and sandbox proxy, in which no server takes part.
    Bridge(fn(&mut Session)),
    /// Edits the HTML of every UI resource.
    Document(&'static [DocumentEdit]),
    /// Changes a host, not a server. The host's tests know how.
    Host,
    /// Several effects at once.
    Several(&'static [Self]),
}

/// One edit of an app's document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentEdit {
    /// The text to replace, where it first occurs.
    pub text: &'static str,
    /// The text that replaces it.
    pub by: &'static str,
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
    /// A set of these faults.
    pub fn new(faults: impl IntoIterator<Item = &'static Fault>) -> Self {
        Self(faults.into_iter().collect())
    }

    /// The options of the HTTP server, with these faults.
    pub fn http_options(&self) -> Options {
        let mut options = Options::default();
        for (_, effect) in self.effects() {
            if let Effect::Http(change) = effect {
                change(&mut options);
            }
        }
        options
    }

    /// Every effect, and the index of its fault.
    fn effects(&self) -> impl Iterator<Item = (usize, Effect)> {
        self.0.iter().enumerate().flat_map(|(at, fault)| {
            let effects = match &fault.effect {
                Effect::Several(effects) => effects,
                effect => std::slice::from_ref(effect),
            };
            effects.iter().map(move |effect| (at, *effect))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A fault that is in no list cannot be asked for by its name.
    #[test]
    fn every_fault_that_is_declared_is_listed() {
        for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/fault")).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let names = text.lines().filter_map(|line| line.trim().strip_prefix("name: \""));
            for name in names.map(|rest| rest.trim_end_matches("\",")) {
                let apart = bridge::FAULTS.iter().chain(view::FAULTS);
                let is_apart = apart.into_iter().any(|fault| fault.name == name);
                let is_listed = Fault::named(name).is_ok() || is_apart || name == dialect::SPOKEN.name;
                assert!(is_listed, "{name} is declared, but not in the list of its section");
            }
        }
    }
}
