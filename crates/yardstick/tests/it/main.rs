//! The command line, as a person or a script meets it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(unix)]
mod action;
#[cfg(unix)]
mod advice;
mod app;
mod check;
mod check_host;
mod configured;
#[cfg(target_os = "linux")]
mod folder;
#[cfg(unix)]
mod gateway;
mod hostile;
#[cfg(unix)]
mod interrupt;
mod missing;
mod options;
#[cfg(unix)]
mod output;
mod pages;
mod record;
mod report;
#[cfg(unix)]
mod reproduction;
#[cfg(unix)]
mod reproduction_faults;
mod running;
#[cfg(unix)]
mod samples;
#[cfg(unix)]
mod secrets;
mod secure;
mod serve;
#[cfg(unix)]
mod small_server;
mod suggestions;
#[cfg(unix)]
mod tap;
mod token;
mod unreached;
mod words;

use std::process::{Command, Output};

/// Runs the binary.
fn yardstick(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_yardstick")).args(arguments).output().unwrap()
}

/// The binary.
const SELF: &str = env!("CARGO_BIN_EXE_yardstick");

/// A file that is removed when the test ends.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("yardstick-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap_or_default()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
