//! `yardstick gateway`

use std::net::SocketAddr;

use clap::Args;

use super::TargetArguments;
use crate::connection::ConnectionArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick gateway -- node server.js                   a stdio server over HTTP: prints the URL that clients use
  yardstick gateway --stdio http://127.0.0.1:3000/mcp   an HTTP server for a client that starts its servers
  yardstick gateway --http 127.0.0.1:8080 http://127.0.0.1:3000/mcp

Each client session has a server session of its own. What passes is not changed, and an error says which side is to blame.
Authorization and cookies of clients go to no server; --header adds what the server itself asks for.")]
pub(crate) struct GatewayArguments {
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    /// Listen on this address; port 0 picks a free one [default: 127.0.0.1:0]
    #[arg(long, value_name = "ADDRESS", conflicts_with = "stdio")]
    pub(crate) http: Option<SocketAddr>,
    /// Serve the client that started the gateway, on stdin and stdout
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Admit this Host besides loopback (repeatable)
    #[arg(long, value_name = "HOST", conflicts_with = "stdio")]
    pub(crate) allow_host: Vec<String>,
    /// Admit this Origin besides loopback (repeatable)
    #[arg(long, value_name = "ORIGIN", conflicts_with = "stdio")]
    pub(crate) allow_origin: Vec<String>,
    /// Print a line on stderr for each message: its method and what became of it
    #[arg(long, short)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
}
