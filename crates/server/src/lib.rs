//! The reference MCP server, which speaks every revision at once.
//!
//! [`Server`] implements [`transport::serve::Handler`], so one value answers on a pipe, over Streamable HTTP and over
//! HTTP+SSE. What it offers is a catalogue of values (`catalogue`, `fixtures`); how a request is answered is in
//! `feature`, one file per part of the protocol. None of these knows faults: [`fault::Faulty`] puts them around a server.

mod answer;
mod apps;
pub mod bridge;
mod call;
mod catalogue;
mod client;
mod cost;
pub mod fault;
mod feature;
mod fixtures;
mod lists;
mod params;
mod peer;
mod rpc;
mod seal;
mod server;

pub use fault::{Fault, Faults};
pub use peer::Peer;
pub use server::Server;
