//! The host as its users meet it: its API over HTTP, and its page in a real Chromium.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod api;
mod attack;
mod demo;
mod evil;
mod http;
mod rig;
mod servers;
mod tiny;
