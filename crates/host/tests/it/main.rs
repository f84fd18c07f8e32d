//! The host as its users meet it: its API over HTTP, and its page in a real Chromium.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "what came of each attack is a report")]

mod api;
mod asker;
mod asks;
mod attack;
mod bounds;
mod demo;
mod domains;
mod evil;
mod http;
mod mutants;
mod page;
mod person;
mod restart;
mod rig;
mod servers;
mod statements;
mod tiny;
mod unsolicited;
