//! The command line.

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use protocol::Version;

/// Measures MCP servers against the specification, and ships a reference to compare with.
#[derive(Debug, Parser)]
#[command(name = "yardstick", version, about, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  yardstick check                               measure the built-in reference server
  yardstick check -- node server.js             measure a stdio server
  yardstick check http://127.0.0.1:3000/mcp     measure an HTTP server
  yardstick explain server/tools/unknown-tool-refused
  yardstick serve --http 127.0.0.1:0            run the reference server

Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure a server; with no target, the built-in one
    Check(Check),
    /// Run the reference server, on stdio unless told otherwise
    Serve(Serve),
    /// List the checks
    List(List),
    /// Say all there is to say about one check
    Explain(Explain),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick check
  yardstick check -- npx my-server --stdio
  yardstick check http://127.0.0.1:3000/mcp --bearer TOKEN
  yardstick check --protocol 2025-11-25 --only server/tools -- ./my-server
  yardstick check --format json -- ./my-server > report.json

Only tools that say they are read-only are called.
Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested")]
pub(crate) struct Check {
    /// The URL of an HTTP server
    #[arg(value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// The command that starts a stdio server
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// Measure this revision only (repeatable) [default: every one that the server speaks]
    #[arg(long, value_name = "VERSION")]
    pub(crate) protocol: Vec<Version>,
    /// Run only these checks: an id, the beginning of one, a section, or an alias (repeatable)
    #[arg(long, value_name = "CHECK")]
    pub(crate) only: Vec<String>,
    /// Leave these checks out (repeatable)
    #[arg(long, value_name = "CHECK")]
    pub(crate) skip: Vec<String>,
    /// A header for every HTTP request, as `Name: value` (repeatable)
    #[arg(long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// The token that the server asks for, never shown [default: $YARDSTICK_BEARER]
    #[arg(long, value_name = "TOKEN")]
    pub(crate) bearer: Option<String>,
    /// A variable for the server's environment, as `NAME=value` (repeatable)
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) env: Vec<String>,
    /// The directory that the server runs in
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<std::path::PathBuf>,
    /// How many seconds the server has for one answer
    #[arg(long, value_name = "SECONDS", default_value = "3", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// How many seconds the server has to start
    #[arg(long, value_name = "SECONDS", default_value = "8", value_parser = seconds)]
    pub(crate) start_timeout: Duration,
    /// How the report is written
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// For machines
    Json,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick serve                                 on stdin and stdout
  yardstick serve --http 127.0.0.1:0              prints the URL that it listens on
  yardstick serve --fault list                    what can be broken on purpose
  yardstick serve --fault unknown-tool-succeeds")]
pub(crate) struct Serve {
    /// Listen on this address instead; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<SocketAddr>,
    /// Do one thing wrong on purpose (repeatable); `list` shows what there is
    #[arg(long, value_name = "NAME")]
    pub(crate) fault: Vec<String>,
    /// Admit this Host besides loopback (repeatable)
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// Admit this Origin besides loopback (repeatable)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
    /// Ask every request for this token, as an OAuth resource server does
    #[arg(long, value_name = "TOKEN", requires = "http")]
    pub(crate) token: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only these: an id, the beginning of one, a section, or an alias
    #[arg(value_name = "CHECK")]
    pub(crate) only: Vec<String>,
    /// Only those that bind in this revision
    #[arg(long, value_name = "VERSION")]
    pub(crate) protocol: Option<Version>,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The id of a check, or an alias
    #[arg(value_name = "CHECK")]
    pub(crate) id: String,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|limit| !limit.is_zero() && *limit <= Duration::from_secs(3600))
        .ok_or_else(|| format!("`{text}` is not between 0 and 3600 seconds"))
}
