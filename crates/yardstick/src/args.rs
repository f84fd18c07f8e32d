//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use protocol::Version;
use report::human::Detail;

use crate::format::{self, Wanted};

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
    Check(Box<Check>),
    /// Run the reference server, on stdio unless told otherwise
    Serve(Serve),
    /// List the checks
    List(List),
    /// Say all there is to say about one check
    Explain(Explain),
    /// Show a saved run again, in any format
    Report(Report),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick check
  yardstick check -- npx my-server --stdio
  yardstick check http://127.0.0.1:3000/mcp --header 'Authorization: Bearer …'
  yardstick check --protocol 2025-11-25 --only server/tools -- ./my-server
  yardstick check --format json -- ./my-server > report.json
  yardstick check --output reports --baseline known-failures.txt -- ./my-server

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
    /// A variable for the server's environment, as `NAME=value` (repeatable)
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) env: Vec<String>,
    /// The directory that the server runs in
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// How many seconds the server has for one answer
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// How many seconds the server has to start
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    pub(crate) start_timeout: Duration,
    /// Known failures, which do not fail the run: `CHECK [REVISION] [TRANSPORT]` a line, or the official suite's
    /// expected-failures YAML
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what falls short in this run as a baseline
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) write_baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// How a report is written, and where to.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct Output {
    /// human, json, ndjson, junit, sarif, markdown, html, mcpjam or mcp-validator; with `:FILE`, into a file
    /// (repeatable) [default: human]
    #[arg(long, value_name = "FORMAT[:FILE]", value_parser = format::parse)]
    pub(crate) format: Vec<Wanted>,
    /// Write report.json, .ndjson, .junit.xml, .sarif, .md and .html into this folder besides
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Only the findings, a line each, and the verdict
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Every check, and every message in full
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

impl Output {
    /// How much the human report tells.
    pub(crate) const fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Brief,
            (false, true) => Detail::Everything,
            (false, false) => Detail::Findings,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick report --from report.json
  yardstick report --from report.ndjson --format html:report.html
  yardstick report --from stdio.json --from http.json --output reports

Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested")]
pub(crate) struct Report {
    /// A run that was saved as JSON or NDJSON, `-` for stdin; several are merged (repeatable)
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) from: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: Output,
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
