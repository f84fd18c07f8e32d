//! `yardstick check app`

use std::path::PathBuf;

use clap::Args;
use suite::Tolerance;

use super::values::{count, tolerance};
use super::{AllowCalls, JudgingArguments, TargetArguments};
use crate::connection::ConnectionArguments;

const USAGE: &str = "\
yardstick check app [OPTIONS] [URL]
       yardstick check app [OPTIONS] -- <COMMAND>...
       yardstick check app [OPTIONS] --html <FILE> [--fixture <FILE>]";

#[derive(Debug, Args)]
#[command(
    override_usage = USAGE,
    after_help = "\
Examples:
  yardstick check app                                            the apps of the built-in server
  yardstick check app -- npx my-server --stdio
  yardstick check app localhost:3000/mcp --tool show_map --args '{\"place\": \"Bern\"}'
  yardstick check app --row dark --row phone -- ./my-server      in two kinds of hosts
  yardstick check app --output reports -- ./my-server            reports, and a picture for each row
  yardstick check app --only app/csp -- ./my-server
  yardstick check app --screenshots pictures -- ./my-server      compared with how the apps looked before
  yardstick check app --html app.html --fixture answers.json     one file, without a server

Needs Chromium, and no network. If Chromium is not found, set YARDSTICK_BROWSER to its path.
Only tools that say they are read-only are called; the app of any other tool is told that its call was cancelled.
Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested, 130 interrupted"
)]
pub(crate) struct AppArguments {
    /// Show the app in this file; there is no server
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command", "tool", "args"])]
    pub(crate) html: Option<PathBuf>,
    /// The results of that app's tools: an object with `tool`, `arguments`, `result`, `tools` and `meta`
    #[arg(long, value_name = "FILE", requires = "html")]
    pub(crate) fixture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: JudgingArguments,
    /// Show the app of this tool only, and call it, whatever it says about itself (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Vec<String>,
    /// Arguments as JSON or @FILE: of the --tool in the same position, or without --tool an object by tool name (repeatable)
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Vec<String>,
    /// Which tools are called, by the host and by the apps
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) allow_calls: AllowCalls,
    /// Show the apps only in this kind of host, besides the strict one (repeatable); `list` prints all
    #[arg(long, value_name = "NAME")]
    pub(crate) row: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    /// Compare each app in each row with the reference pictures in this folder; a difference fails the run
    #[arg(long, value_name = "DIR", help_heading = "Pictures")]
    pub(crate) screenshots: Option<PathBuf>,
    /// Write the reference pictures that are missing or differ
    #[arg(long, requires = "screenshots", help_heading = "Pictures")]
    pub(crate) update_screenshots: bool,
    /// The share of pixels that may differ, as 0.001 or 0.1% [default: 0.01%]
    #[arg(long, value_name = "SHARE", requires = "screenshots", value_parser = tolerance, help_heading = "Pictures")]
    pub(crate) tolerance: Option<Tolerance>,
    /// How many apps are shown in parallel
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(crate) jobs: Option<usize>,
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
    /// Do not hide secrets, not even in reports, which then say so
    #[arg(long)]
    pub(crate) with_secrets: bool,
}

impl AppArguments {
    /// These arguments with the options that stood before `app` on the command line.
    pub(crate) fn with_earlier(mut self, judging: JudgingArguments) -> Self {
        self.judging.add_earlier(judging);
        self
    }
}
