//! The command line: a file for each subcommand, and what several of them share.
//!
//! Nothing here acts. Each type says what was asked for; `command` carries it out.

mod app;
mod check;
mod check_host;
mod completions;
mod explain;
mod gateway;
mod host;
mod judging;
mod list;
mod man;
mod output;
mod report;
mod serve;
mod tap;
mod target;
mod values;
mod wire;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use transport::client::quoted;

pub(crate) use self::app::AppArguments;
pub(crate) use self::check::{AllowCalls, BuiltIn, CheckArguments, CheckSubject, START_TIMEOUT, TIMEOUT};
pub(crate) use self::check_host::CheckHostArguments;
pub(crate) use self::completions::CompletionsArguments;
pub(crate) use self::explain::ExplainArguments;
pub(crate) use self::gateway::GatewayArguments;
pub(crate) use self::host::HostArguments;
pub(crate) use self::judging::JudgingArguments;
pub(crate) use self::list::ListArguments;
pub(crate) use self::man::ManArguments;
pub(crate) use self::output::OutputArguments;
pub(crate) use self::report::ReportArguments;
pub(crate) use self::serve::ServeArguments;
pub(crate) use self::tap::TapArguments;
pub(crate) use self::target::TargetArguments;
pub(crate) use self::wire::{Sides, WireArguments};
use crate::address::read_endpoint;
use crate::terminal;

/// Measures MCP servers, apps and hosts against the specification, and includes a reference of each.
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
    /// Applies the choice to everything that is printed from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => {}
            Self::Always => terminal::force_colors(true),
            Self::Never => terminal::force_colors(false),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  yardstick check                               measure the built-in reference server
  yardstick check -- node server.js             measure a stdio server
  yardstick check http://127.0.0.1:3000/mcp     measure an HTTP server
  yardstick explain server/tools/unknown-tool-refused
  yardstick check app -- node server.js         show its MCP Apps to many hosts, in a browser
  yardstick host -- node server.js              show its MCP Apps and all their messages
  yardstick serve --http 127.0.0.1:0            run the reference server
  yardstick gateway -- node server.js           serve a stdio server over HTTP
  yardstick tap -- node server.js               record what a client and a server say
  yardstick check wire session.ndjson           judge what was recorded

Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested, 130 interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure a server; without arguments, the built-in one
    Check(Box<CheckArguments>),
    /// Show MCP Apps in the browser, in a strict test host; without a target, those of the built-in server
    Host(HostArguments),
    /// Run the reference server, on stdio or over HTTP
    Serve(ServeArguments),
    /// Put a server behind an endpoint of its own, over another transport if need be
    Gateway(GatewayArguments),
    /// Record the messages between a client and a server
    Tap(TapArguments),
    /// List the checks
    List(ListArguments),
    /// Explain one check: what it asks for, why, and how to comply
    Explain(ExplainArguments),
    /// Show a saved run again, in any format
    Report(ReportArguments),
    /// Print a completion script for a shell
    Completions(CompletionsArguments),
    /// Print the manual page, or write one for each subcommand into a folder
    Man(ManArguments),
}

/// Reads the command line.
///
/// A `--` that ends it is refused: most often a variable behind it is not set, and the user did not mean to name no
/// target at all.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    // Applied before the rest is parsed, so that errors in the rest have the right colours.
    color_of(&words).apply();
    if words.iter().position(|word| word == "--").is_some_and(|at| at + 1 == words.len()) {
        let text = "no command follows `--`; is a variable not set?\n";
        return Err(Arguments::command().error(ErrorKind::MissingRequiredArgument, text));
    }
    Arguments::try_parse_from(&words).map_err(|error| {
        // Help is an error to the parser, and so is a wrong option of `check app`.
        let explained = error.use_stderr().then(|| explain_missing_dashes(&words)).flatten();
        explained.unwrap_or(error)
    })
}

/// The subcommands that take one URL or a command after `--`.
const TARGET_SUBCOMMANDS: [&str; 3] = ["check", "tap", "gateway"];
/// The subjects of `check` that are not servers.
const CHECK_SUBJECTS: [&str; 3] = ["wire", "app", "host"];

/// What is wrong with a command line that makes sense only with a `--` before one of its words.
fn explain_missing_dashes(words: &[OsString]) -> Option<clap::Error> {
    let words: Vec<&str> = words.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    let subcommand = words.get(1).filter(|word| TARGET_SUBCOMMANDS.contains(word))?;
    let is_subject = |word: &&&str| *subcommand == "check" && CHECK_SUBJECTS.contains(word);
    if words.contains(&"--") || words[2..].iter().any(|word| is_subject(&word)) {
        return None;
    }
    let makes_sense = |at: &usize| {
        let (options, command) = words.split_at(*at);
        let line = options.iter().copied().chain(["--"]).chain(command.iter().copied());
        !words[*at].starts_with('-') && Arguments::try_parse_from(line).is_ok()
    };
    let at = (2..words.len()).find(makes_sense)?;
    let program = words[at];
    if read_endpoint(program, subcommand).is_ok() {
        return None;
    }
    let shown = |words: &[&str]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let (options, command) = (shown(&words[1..at]), shown(&words[at..]));
    let text =
        format!("`{program}` is not a URL; a command goes after `--`: yardstick {options} -- {command}\n");
    Some(Arguments::command().error(ErrorKind::UnknownArgument, text))
}

/// The value of `--color`; the default if it has none that is known.
fn color_of(words: &[OsString]) -> Color {
    let mut words = words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    let value = words
        .find_map(|word| word.strip_prefix("--color=").or(if word == "--color" { Some("") } else { None }));
    let value = value.map(|value| if value.is_empty() { words.next().unwrap_or_default() } else { value });
    value.and_then(|value| Color::from_str(value, false).ok()).unwrap_or_default()
}
