//! The host from the outside: its API over HTTP, and its page in a real Chromium.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::print_stdout, reason = "what came of each attack is a report")]

mod actions;
mod api;
mod asker;
mod asks;
mod attack;
mod bounds;
mod cards;
mod closing;
mod consent;
mod demo;
mod domains;
mod evil;
mod floods;
mod hostile;
mod http;
mod inquiries;
mod mutants;
mod page;
mod person;
mod required_urls;
mod restart;
mod rig;
mod screenshot;
mod scripted;
mod servers;
mod statements;
mod tiny;
mod unsolicited;
