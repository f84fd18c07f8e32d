//! The server that `check`, `check app` and `gateway` talk to.

use std::path::PathBuf;

use clap::Args;

/// A URL or a command, and what the server behind it needs.
#[derive(Debug, Args)]
pub(crate) struct TargetArguments {
    /// The URL of an HTTP server
    #[arg(value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// The command that starts a stdio server
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// A header for every HTTP request, as `Name: value`; `${NAME}` is a variable, `$$` a dollar (repeatable)
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// A variable for the server's environment, as `NAME=value` (repeatable)
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) env: Vec<String>,
    /// The directory that the server runs in
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}
