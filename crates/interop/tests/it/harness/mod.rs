//! Starts peers, waits for them within limits, and turns what they print into assertions.

mod client;
mod place;
mod process;
mod server;
mod steps;

pub(crate) use client::{Client, Target};
pub(crate) use place::{node, package, root, scratch, yardstick};
pub(crate) use process::Process;
pub(crate) use server::Server;
pub(crate) use steps::Steps;

/// The revisions with a handshake, oldest first.
pub(crate) const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The modern revision.
pub(crate) const MODERN: &str = "2026-07-28";
