//! The suite, measured by itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

extern crate yardstick_suite as suite;

mod app;
mod apps;
mod bridge;
mod coverage;
mod drivers;
mod forgetful;
mod guarded;
mod host;
mod hung;
mod legal;
mod matrix;
mod mcpjam;
mod one_finding;
mod pages;
mod proof;
mod published;
mod recorded;
mod reference;
mod registry;
mod scripted_http;
mod shared;
mod side_by_side;
mod slow;
mod stubborn;
mod table;
