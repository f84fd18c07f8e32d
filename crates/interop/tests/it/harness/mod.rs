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
