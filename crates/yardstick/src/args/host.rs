//! `yardstick host`

use std::path::PathBuf;

use clap::Args;

use crate::connection::ConnectionArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick host                                  the demo apps of the built-in server
  yardstick host -- node server.js                the apps of a stdio server
  yardstick host http://127.0.0.1:3001/mcp http://127.0.0.1:3002/mcp
  yardstick host --config mcp.json                every server of a client's configuration
  yardstick host --watch src -- node server.js    starts the server again when a file changes

It listens on loopback alone. Ctrl-C ends it.")]
pub(crate) struct HostArguments {
    /// The URLs of HTTP servers
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// The command that starts a stdio server
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// Take servers from the `mcpServers` or `servers` of this file (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
    /// Send this header to every URL; `${NAME}` is a variable, `$$` a dollar (repeatable)
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// Set this variable for the command (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// Behave like this host; the page lists the profiles
    #[arg(long, value_name = "NAME", default_value = "strict")]
    pub(crate) profile: String,
    /// Restart the servers when a file here changes (repeatable)
    #[arg(long, value_name = "PATH")]
    pub(crate) watch: Vec<PathBuf>,
    /// Let apps and servers request sampling; you answer for the model
    #[arg(long)]
    pub(crate) sampling: bool,
    /// Offer this folder to servers as a root (repeatable) [default: no roots]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Vec<PathBuf>,
    /// Listen on this port; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value = "0")]
    pub(crate) port: u16,
    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Do not hide secrets on the page and in what is saved from it
    #[arg(long)]
    pub(crate) with_secrets: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
}
