//! The command line.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use protocol::Version;
use report::human::Detail;

use crate::connection::Connection;
use crate::format::{self, Wanted};
use crate::suggest::did_you_mean;
use crate::terminal;

/// Measures MCP servers against the specification, and ships a reference to compare with.
#[derive(Debug, Parser)]
#[command(name = "yardstick", version, about, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours; without this, NO_COLOR and CLICOLOR_FORCE decide
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Makes it so for all that is printed from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => {}
            Self::Always => terminal::force_colors(true),
            Self::Never => terminal::force_colors(false),
        }
    }
}

/// The usual limits, in seconds.
pub(crate) const TIMEOUT: &str = "10";
pub(crate) const START_TIMEOUT: &str = "60";

const EXAMPLES: &str = "\
Examples:
  yardstick check                               measure the built-in reference server
  yardstick check -- node server.js             measure a stdio server
  yardstick check http://127.0.0.1:3000/mcp     measure an HTTP server
  yardstick explain server/tools/unknown-tool-refused
  yardstick host -- node server.js              see its MCP Apps run, and all that they say
  yardstick serve --http 127.0.0.1:0            run the reference server
  yardstick tap -- node server.js               record what a client and a server say
  yardstick check wire session.ndjson           judge what was recorded

Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested, 130 interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure a server; with no target and no choice of checks, the built-in one
    Check(Box<Check>),
    /// Show MCP Apps in the browser, as a strict host does; with no target, those of the built-in server
    Host(Host),
    /// Run the reference server, on stdio unless told otherwise
    Serve(Serve),
    /// Sit between a client and a server, pass everything on, and record
    Tap(Tap),
    /// List the checks
    List(List),
    /// Say all there is to say about one check
    Explain(Explain),
    /// Show a saved run again, in any format
    Report(Report),
    /// Print what makes a shell complete the options and subcommands
    Completions(Completions),
    /// Print the manual page, or write one for each subcommand into a folder
    Man(Man),
}

#[derive(Debug, Args)]
#[command(after_help = "\
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
  yardstick check wire run.ndjson                 judges recorded sessions; `-` reads stdin
  yardstick check --output reports --baseline known-failures.txt -- ./my-server

Only tools that say they are read-only are called, and the fixtures of the official suite.
HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE and SSL_CERT_DIR are honoured.
Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested, 130 interrupted")]
pub(crate) struct Check {
    /// The URL of an HTTP server, or the word `wire` for recorded sessions
    #[arg(value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// After `wire`: the files of recorded sessions; `-` is stdin
    #[arg(value_name = "FILE", requires = "url")]
    pub(crate) files: Vec<PathBuf>,
    /// The command that starts a stdio server
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
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
    /// Measure every server of a client's configuration, the file with its `mcpServers` or `servers`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command", "built_in", "header", "bearer", "env", "cwd"])]
    pub(crate) config: Option<PathBuf>,
    /// Only this server of the configuration (repeatable)
    #[arg(long, value_name = "NAME", requires = "config")]
    pub(crate) server: Vec<String>,
    /// Measure this revision only (repeatable) [default: every one that the server speaks]
    #[arg(long, value_name = "VERSION", value_parser = revision)]
    pub(crate) protocol: Vec<Version>,
    /// Run only these checks: an id, the beginning of one, a section, an alias, `must` or `should` (repeatable)
    #[arg(long, value_name = "CHECK")]
    pub(crate) only: Vec<String>,
    /// Leave these checks out, named in the same ways (repeatable)
    #[arg(long, value_name = "CHECK")]
    pub(crate) skip: Vec<String>,
    /// Which tools are called
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) allow_calls: AllowCalls,
    /// Call this tool, whatever it says about itself (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Vec<String>,
    /// The arguments of the --tool at the same place, or without --tool of each tool by name: JSON or @FILE (repeatable)
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Vec<String>,
    /// Say what would run and which tools would be called, and call nothing
    #[arg(long)]
    pub(crate) plan: bool,
    /// A header for every HTTP request, as `Name: value`; `${NAME}` is a variable, `$$` a dollar (repeatable)
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
    pub(crate) cwd: Option<PathBuf>,
    /// How many seconds the server has for one answer, once it has started
    #[arg(long, value_name = "SECONDS", default_value = TIMEOUT, value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// How many seconds a process has from its start to its first answer
    #[arg(long, value_name = "SECONDS", default_value = START_TIMEOUT, value_parser = seconds)]
    pub(crate) start_timeout: Duration,
    /// How many seconds to wait for an HTTP server that does not accept connections yet
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with_all = ["command", "built_in"])]
    pub(crate) wait: Option<Duration>,
    /// How many checks run side by side
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// Show secrets as they are, in reports and recordings too, which say so
    #[arg(long)]
    pub(crate) with_secrets: bool,
    /// Save every session of the run in this file
    #[arg(long, value_name = "FILE", help_heading = "Recorded sessions")]
    pub(crate) record: Option<PathBuf>,
    /// Whose messages are judged in recorded sessions
    #[arg(long, value_enum, default_value_t, help_heading = "Recorded sessions")]
    pub(crate) side: Sides,
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

impl Check {
    /// The first option that says what to look for, or how to reach a target.
    pub(crate) fn option_of_a_target(&self) -> Option<&'static str> {
        let given = [
            ("--only", !self.only.is_empty()),
            ("--skip", !self.skip.is_empty()),
            ("--protocol", !self.protocol.is_empty()),
            ("--tool", !self.tool.is_empty()),
            ("--args", !self.args.is_empty()),
            ("--header", !self.header.is_empty()),
            ("--bearer", self.bearer.is_some()),
            ("--env", !self.env.is_empty()),
            ("--cwd", self.cwd.is_some()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sides {
    /// The server's, or the host's between View and host
    #[default]
    #[value(alias = "host")]
    Server,
    /// The client's, or the View's between View and host
    #[value(alias = "view")]
    Client,
    /// Those of both
    Both,
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
  yardstick serve --http 127.0.0.1:0 --max-message 16M
  yardstick serve --http 127.0.0.1:0 --token-file token.txt
  yardstick serve --fault list                    what can be broken on purpose
  yardstick serve --fault unknown-tool-succeeds

What clients may ask for is bounded in bytes, numbers and time: docs/limits.md.")]
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
    /// Ask every request for this token, as an OAuth resource server does [default: $YARDSTICK_TOKEN]
    #[arg(long, value_name = "TOKEN", requires = "http")]
    pub(crate) token: Option<String>,
    /// The same, with the token in a file, where no list of processes shows it
    #[arg(long, value_name = "FILE", requires = "http", conflicts_with = "token")]
    pub(crate) token_file: Option<PathBuf>,
    /// The longest message that is taken, as bytes or with K, M or G; what is held at once grows with it [default: 4M, on stdio 16M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_message: Option<usize>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick host                                  the demo apps of the built-in server
  yardstick host -- node server.js                the apps of a stdio server
  yardstick host http://127.0.0.1:3001/mcp http://127.0.0.1:3002/mcp
  yardstick host --config mcp.json                every server of a client's configuration
  yardstick host --watch src -- node server.js    starts the server again when a file changes

It listens on loopback alone. Ctrl-C ends it.")]
pub(crate) struct Host {
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
    /// Behave like this host: see the page for what there is
    #[arg(long, value_name = "NAME", default_value = "strict")]
    pub(crate) profile: String,
    /// Start the servers again when a file here changes (repeatable)
    #[arg(long, value_name = "PATH")]
    pub(crate) watch: Vec<PathBuf>,
    /// Let apps and servers ask the model; you answer in its place
    #[arg(long)]
    pub(crate) sampling: bool,
    /// Tell servers of this folder as a root (repeatable) [default: no roots]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Vec<PathBuf>,
    /// Listen on this port; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value = "0")]
    pub(crate) port: u16,
    /// Do not open the browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Show secrets on the page and in what is saved from it
    #[arg(long)]
    pub(crate) with_secrets: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick tap -- node server.js                 started by a client in the place of `node server.js`
  yardstick tap --record session.ndjson --check -- node server.js
  yardstick tap http://127.0.0.1:3000/mcp         prints the URL that clients use instead
  yardstick check wire session.ndjson             judges what was recorded

Bytes pass on untouched, and the exit code is that of the command. Tokens and other secrets are left out of the file.")]
pub(crate) struct Tap {
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
    /// Judge what was recorded, in the end, on stderr
    #[arg(long)]
    pub(crate) check: bool,
    /// Write secrets as they are
    #[arg(long)]
    pub(crate) with_secrets: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick list server/tools
  yardstick list --protocol 2025-11-25
  yardstick list --coverage
  yardstick list --coverage --protocol 2026-07-28")]
pub(crate) struct List {
    /// Only these: an id, the beginning of one, a section, or an alias
    #[arg(value_name = "CHECK")]
    pub(crate) only: Vec<String>,
    /// Only those that bind in this revision
    #[arg(long, value_name = "VERSION", value_parser = revision)]
    pub(crate) protocol: Option<Version>,
    /// How much of the specification is checked, and what is not and why
    #[arg(long, conflicts_with = "only")]
    pub(crate) coverage: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The id of a check, or an alias
    #[arg(value_name = "CHECK")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick completions bash > ~/.local/share/bash-completion/completions/yardstick
  yardstick completions zsh > ~/.zfunc/_yardstick
  yardstick completions fish > ~/.config/fish/completions/yardstick.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick man | man -l -
  yardstick man --output ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write yardstick.1, yardstick-check.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// Reads the command line.
///
/// A `--` that ends it is refused: most often a variable behind it is not set, and the user did not mean to name no
/// target at all.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    // Known before the rest is read, so that what is wrong with the rest is shown as wished.
    color_of(&words).apply();
    if words.iter().position(|word| word == "--").is_some_and(|at| at + 1 == words.len()) {
        let text = "no command follows `--`; is a variable not set?\n";
        return Err(Arguments::command().error(ErrorKind::MissingRequiredArgument, text));
    }
    Arguments::try_parse_from(words)
}

/// What `--color` says, as far as that makes sense.
fn color_of(words: &[OsString]) -> Color {
    let mut words = words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    let value = words
        .find_map(|word| word.strip_prefix("--color=").or(if word == "--color" { Some("") } else { None }));
    let value = value.map(|value| if value.is_empty() { words.next().unwrap_or_default() } else { value });
    value.and_then(|value| Color::from_str(value, false).ok()).unwrap_or_default()
}

fn revision(text: &str) -> Result<Version, String> {
    text.parse().map_err(|error: protocol::UnknownVersion| {
        let near = did_you_mean(text, Version::ALL.iter().map(|version| version.as_str()));
        format!("{error}{near}")
    })
}

fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=1000).contains(count));
    count.ok_or_else(|| format!("`{text}` is not between 1 and 1000"))
}

/// A number of bytes, as `4194304`, `4096K` or `4M`.
fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1024),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 1024 * 1024),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 1024 * 1024 * 1024),
        _ => (text, 1),
    };
    let bytes = digits.parse::<usize>().ok().and_then(|count| count.checked_mul(unit));
    let bytes = bytes.ok_or_else(|| format!("`{text}` is not a size such as 4M"))?;
    let allowed = 64 * 1024..=1024 * 1024 * 1024;
    allowed.contains(&bytes).then_some(bytes).ok_or_else(|| format!("`{text}` is not between 64K and 1G"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|limit| !limit.is_zero() && *limit <= Duration::from_secs(3600))
        .ok_or_else(|| format!("`{text}` is not between 0 and 3600 seconds"))
}
