//! `yardstick check`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::values::{count, seconds};
use super::{AppArguments, CheckHostArguments, JudgingArguments, Sides, TargetArguments, WireArguments};
use crate::connection::ConnectionArguments;

/// The usual limits, in seconds.
pub(crate) const TIMEOUT: &str = "10";
pub(crate) const START_TIMEOUT: &str = "60";

const USAGE: &str = "\
yardstick check [OPTIONS] [URL]
       yardstick check [OPTIONS] -- <COMMAND>...
       yardstick check [OPTIONS] wire <FILE>...
       yardstick check app [OPTIONS] [URL | -- <COMMAND>...]
       yardstick check host [OPTIONS]";

#[derive(Debug, Args)]
#[command(disable_help_subcommand = true, override_usage = USAGE)]
#[command(
    subcommand_help_heading = "Other subjects",
    after_help = "\
Examples:
  yardstick check
  yardstick check -- npx my-server --stdio
  yardstick check localhost:3000/mcp --wait 30                   once it accepts connections
  yardstick check https://mcp.example/mcp --header 'Authorization: Bearer ${TOKEN}'
  yardstick check --config mcp.json                              every server of a client's configuration
  yardstick check --protocol 2025-11-25 --only server/tools -- ./my-server
  yardstick check --only tools --only must -- ./my-server
  yardstick check --plan -- ./my-server                          what would run and be called
  yardstick check --tool search --args '{\"query\": \"yard\"}' -- ./my-server
  yardstick check --args @arguments.json -- ./my-server          an object of arguments by tool
  yardstick check --format json -- ./my-server > report.json
  yardstick check --record run.ndjson -- ./my-server
  yardstick check wire run.ndjson                                recorded sessions; `-` reads stdin
  yardstick check app -- ./my-server                             its MCP Apps, in a browser
  yardstick check host                                           the built-in host of MCP Apps
  yardstick check --output reports --baseline known-failures.txt -- ./my-server

Only tools that say they are read-only are called, and the fixtures of the official suite.
HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR are honoured.
Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested, 130 interrupted"
)]
pub(crate) struct CheckArguments {
    #[command(subcommand)]
    pub(crate) subject: Option<CheckSubject>,
    /// Measure the built-in server, over both transports or one of them
    #[arg(
        long,
        value_enum,
        value_name = "TRANSPORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "both",
        conflicts_with_all = ["url", "command"]
    )]
    pub(crate) built_in: Option<BuiltIn>,
    /// Measure every server of a client's configuration file, from its `mcpServers` or `servers`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command", "built_in", "header", "bearer", "env", "cwd"])]
    pub(crate) config: Option<PathBuf>,
    /// Only this server of the configuration (repeatable)
    #[arg(long, value_name = "NAME", requires = "config")]
    pub(crate) server: Vec<String>,
    #[command(flatten)]
    pub(crate) judging: JudgingArguments,
    /// Which tools are called
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) allow_calls: AllowCalls,
    /// Call this tool, whatever it says about itself (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Vec<String>,
    /// Arguments as JSON or @FILE: of the --tool in the same position, or without --tool an object by tool name (repeatable)
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Vec<String>,
    /// Print what would run and which tools would be called, without calling any
    #[arg(long)]
    pub(crate) plan: bool,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    /// The token that the server asks for, never shown [default: $YARDSTICK_BEARER]
    #[arg(long, value_name = "TOKEN")]
    pub(crate) bearer: Option<String>,
    /// How many seconds the server has for one answer, once it has started
    #[arg(long, value_name = "SECONDS", default_value = TIMEOUT, value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// How many seconds a process has from its start to its first answer
    #[arg(long, value_name = "SECONDS", default_value = START_TIMEOUT, value_parser = seconds)]
    pub(crate) start_timeout: Duration,
    /// How many seconds to wait for an HTTP server that does not accept connections yet
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with_all = ["command", "built_in"])]
    pub(crate) wait: Option<Duration>,
    /// How many checks run in parallel
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
    /// Do not hide secrets, not even in reports and recordings, which then say so
    #[arg(long)]
    pub(crate) with_secrets: bool,
    /// Save every session of the run in this file
    #[arg(long, value_name = "FILE", help_heading = "Recorded sessions")]
    pub(crate) record: Option<PathBuf>,
    /// Whose messages are judged in recorded sessions [default: server]
    #[arg(long, value_enum, help_heading = "Recorded sessions")]
    pub(crate) side: Option<Sides>,
}

impl CheckArguments {
    /// The word that names a server, if there is one.
    pub(crate) fn target_given(&self) -> Option<&str> {
        let built_in = self.built_in.map(|_| "--built-in");
        self.target.url.as_deref().or(built_in).or(self.config.as_ref().map(|_| "--config"))
    }

    /// The first option that makes sense only with a target.
    pub(crate) fn option_of_a_target(&self) -> Option<&'static str> {
        let given = [
            ("--only", !self.judging.only.is_empty()),
            ("--skip", !self.judging.skip.is_empty()),
            ("--protocol", !self.judging.protocol.is_empty()),
            ("--tool", !self.tool.is_empty()),
            ("--args", !self.args.is_empty()),
            ("--header", !self.target.header.is_empty()),
            ("--bearer", self.bearer.is_some()),
            ("--env", !self.target.env.is_empty()),
            ("--cwd", self.target.cwd.is_some()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// What can be checked besides a server.
#[derive(Debug, Subcommand)]
pub(crate) enum CheckSubject {
    /// Judge recorded sessions, such as `tap` and `check --record` write
    Wire(WireArguments),
    /// Show the MCP Apps of a server in many kinds of hosts, in a browser, and judge them
    App(Box<AppArguments>),
    /// Measure a host of MCP Apps, by default the built-in one
    Host(Box<CheckHostArguments>),
}

/// How the built-in server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuiltIn {
    /// In both ways
    Both,
    /// Over a pipe within this process
    Stdio,
    /// Over HTTP on loopback
    Http,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AllowCalls {
    /// All of them
    All,
    /// Those that say they are read-only, and the fixtures of the official suite
    #[default]
    ReadOnly,
    /// None but those that --tool names
    None,
}
