//! Measures MCP servers against the specification.
//!
//! This is the binary's library: its commands, and a facade over the crates that do the work. In a test of your own
//! server it reads like this:
//!
//! ```
//! use yardstick::protocol::Version;
//! use yardstick::{measure, reference};
//!
//! // Your server: `Target::command("node", ["server.js"])`, `Target::url("http://127.0.0.1:3000/mcp")?`, or, within this
//! // process, `Target::in_process(…)`. Here it is the one that comes with Yardstick.
//! let measured = measure(reference())
//!     .protocol(Version::V2025_11_25)
//!     .only("server/tools")
//!     .run_blocking()?;
//!
//! measured.assert_conformant();
//! for case in measured.findings() {
//!     println!("{} {}: {:?}", case.protocol, case.check, case.actual);
//! }
//! println!("{measured}");
//! # Ok::<(), yardstick::transport::client::Failure>(())
//! ```
//!
//! A server that breaks a rule is found out:
//!
//! ```
//! use std::sync::Arc;
//! use yardstick::server::{Fault, Faults, fault::Faulty};
//! use yardstick::suite::Conclusion;
//!
//! let broken = Faulty::new(Faults::new(vec![Fault::named("unknown-tool-succeeds").unwrap()]));
//! let measured = yardstick::measure(yardstick::in_process(broken)).only("server/tools").run_blocking()?;
//!
//! assert_eq!(measured.verdict(), Conclusion::NotConformant);
//! assert!(measured.findings().any(|case| case.check == "server/tools/unknown-tool-refused"));
//! # Ok::<(), yardstick::transport::client::Failure>(())
//! ```

mod address;
mod args;
mod calls;
mod command;
mod configuration;
mod connection;
mod event_files;
mod exit;
mod expand;
mod files;
mod fixture;
mod format;
mod measure;
mod pictures;
mod progress;
mod reproduction;
mod run_recording;
mod signals;
mod suggest;
mod target;
mod terminal;
mod tools_listed;

use std::ffi::OsString;
use std::process::ExitCode;

use transport::secrets::{Secrets, secrets_of_command_line, secrets_of_environment};

pub use measure::{Measure, Measured, measure, measure_with};
pub use target::{in_process, reference};
pub use {protocol, report, server, suite, transport, wire};

/// Parses the command line and runs it; `command::run` finds the subcommand.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    terminal::hide_secrets(&secrets_of(&words));
    let arguments = match args::parse(words) {
        Ok(arguments) => arguments,
        Err(error) => return exit::report_parse_error(&error),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => {
            let outcome = runtime.block_on(command::run(arguments.command));
            // A blocked read of stdin would otherwise keep the process alive.
            runtime.shutdown_background();
            exit::begin_ending();
            outcome
        }
        Err(error) => Err(anyhow::Error::new(error).context("the runtime could not start")),
    };
    exit::exit_code(outcome)
}

/// The secrets of the command line, valid or not, and of the environment; none if the user wants to see them.
fn secrets_of(words: &[OsString]) -> Secrets {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let are_shown = words.iter().take_while(|word| *word != "--").any(|word| word == "--with-secrets");
    if are_shown {
        Secrets::default()
    } else {
        secrets_of_command_line(&words).and(&secrets_of_environment())
    }
}
