//! Measures MCP servers against the specification.
//!
//! This is the binary's library: its commands, and a facade over the crates that do the work.

mod args;
mod calls;
mod command;
mod exit;
mod progress;
mod target;

use std::process::ExitCode;

use clap::Parser as _;

pub use {protocol, report, server, suite, transport, wire};

/// Runs the command line and says how it ended.
pub fn main() -> ExitCode {
    let arguments = match args::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(&error),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => {
            let outcome = runtime.block_on(command::run(arguments.command));
            // A blocked read of stdin would otherwise keep the process alive.
            runtime.shutdown_background();
            outcome
        }
        Err(error) => Err(anyhow::Error::new(error).context("the runtime could not start")),
    };
    exit::of(outcome)
}
