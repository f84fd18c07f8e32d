//! `yardstick tap`

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::connection::ConnectionArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick tap -- node server.js                 started by a client in the place of `node server.js`
  yardstick tap --record session.ndjson --check -- node server.js
  yardstick tap http://127.0.0.1:3000/mcp         prints the URL that clients use instead
  yardstick check wire session.ndjson             judges what was recorded

Bytes pass on untouched, and the exit code is that of the command. Tokens and other secrets are left out of the file.")]
pub(crate) struct TapArguments {
    /// The URL of the HTTP server behind the tap
    #[arg(value_name = "URL", conflicts_with = "command", required_unless_present = "command")]
    pub(crate) url: Option<String>,
    /// The command that starts the stdio server behind the tap
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// Listen on this address; port 0 picks a free one [default: 127.0.0.1:0]
    #[arg(long, value_name = "ADDRESS", requires = "url")]
    pub(crate) http: Option<SocketAddr>,
    /// Append to this file [default: a new one, named after the time]
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Judge the recorded sessions at the end; the report goes to stderr
    #[arg(long)]
    pub(crate) check: bool,
    /// Do not hide secrets in the recording
    #[arg(long)]
    pub(crate) with_secrets: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
}
