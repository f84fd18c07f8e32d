//! How the process ends, in one place.

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use suite::Conclusion;

use crate::terminal;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is well; a target is conformant.
    Success,
    /// There are findings.
    Findings,
    /// The command line cannot be understood.
    Usage,
    /// The target could not be tested.
    Untested,
    /// The user or a supervisor interrupted the run.
    Interrupted,
    /// The tap ends with the exit code of the program behind it.
    Program(u8),
}

/// Held for ever by the thread that ends the process.
static EXIT_LOCK: Mutex<()> = Mutex::new(());

/// Makes this thread the one that ends the process and the child processes that targets left behind. A second thread that calls
/// this waits for ever: the code of the process must not be that of a target which a signal killed, and two threads that exit at
/// once crash.
pub(crate) fn begin_ending() {
    std::mem::forget(EXIT_LOCK.lock().unwrap_or_else(PoisonError::into_inner));
    transport::client::end_descendants();
}

impl Exit {
    const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Untested => 3,
            // The exit code that a shell gives to a program that Ctrl-C ended.
            Self::Interrupted => 130,
            Self::Program(code) => code,
        }
    }

    /// Ends the process at once.
    pub(crate) fn end_process(self) -> ! {
        std::process::exit(self.code().into())
    }
}

impl From<Conclusion> for Exit {
    fn from(conclusion: Conclusion) -> Self {
        match conclusion {
            Conclusion::Conformant => Self::Success,
            Conclusion::NotConformant => Self::Findings,
            Conclusion::Incomplete => Self::Untested,
        }
    }
}

/// An error on the command line that the user can correct, found after parsing.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// Prints an error, if there is one, and returns the code.
pub(crate) fn exit_code(outcome: anyhow::Result<Exit>) -> ExitCode {
    let exit = outcome.unwrap_or_else(|error| {
        terminal::warn(&format!("error: {error:#}"));
        if error.is::<Usage>() { Exit::Usage } else { Exit::Untested }
    });
    ExitCode::from(exit.code())
}

/// Prints help, the version, or what is wrong with the command line.
pub(crate) fn report_parse_error(error: &clap::Error) -> ExitCode {
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        terminal::warn_styled(&text);
        return ExitCode::from(Exit::Usage.code());
    }
    exit_code(terminal::print_styled(&text).map(|()| Exit::Success))
}
