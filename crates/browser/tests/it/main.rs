//! Tests with a real Chromium and local pages.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod console;
mod crash;
mod emulate;
mod ends;
mod frames;
mod input;
mod policy;
mod script;
mod shot;
mod site;
mod windows;
