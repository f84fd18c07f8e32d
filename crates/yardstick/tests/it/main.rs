//! The command line, as a person or a script meets it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(unix)]
mod action;
mod check;
mod report;
mod serve;
mod words;

use std::process::{Command, Output};

/// Runs the binary.
fn yardstick(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yardstick")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
