//! `yardstick check host`

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::JudgingArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick check host                                           the built-in host
  yardstick check host --page 'http://127.0.0.1:6274/?serverUrl={server}&openApp={tool}' --script inspector.js
  yardstick check host --remote http://127.0.0.1:9000/drive      a host that can be driven over HTTP
  yardstick check host --manual --platform 'macOS 26'            a host that you drive yourself
  yardstick check host --serve 127.0.0.1:4000                    the probe server alone
  yardstick check host --stdio --output reports                  the command of a server, in the settings of a host

A host is shown Views that are probes. What they, their server and witnesses on loopback see is judged.
Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested")]
pub(crate) struct CheckHostArguments {
    /// A web host: the URL that shows a tool, with `{server}`, `{other}`, `{tool}` and `{arguments}` in it
    #[arg(long, value_name = "TEMPLATE", conflicts_with_all = ["remote", "manual", "serve", "stdio"])]
    pub(crate) page: Option<String>,
    /// A script that drives that page: it sets `globalThis.yardstickDriver` to an object of functions
    #[arg(long, value_name = "FILE", requires = "page")]
    pub(crate) script: Option<PathBuf>,
    /// A host that is driven by JSON in POST requests to this URL
    #[arg(long, value_name = "URL", conflicts_with_all = ["manual", "serve", "stdio"])]
    pub(crate) remote: Option<String>,
    /// A host that you drive: add the probe server to it and do what is printed
    #[arg(long, conflicts_with_all = ["serve", "stdio"])]
    pub(crate) manual: bool,
    /// Only run the probe server, over HTTP
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    pub(crate) serve: Option<SocketAddr>,
    /// Be the probe server on stdio, for a host that starts its servers; what it showed is judged in the end, into files
    #[arg(long, conflicts_with = "serve")]
    pub(crate) stdio: bool,
    /// What the host runs on, for the report
    #[arg(long, value_name = "NAME")]
    pub(crate) platform: Option<String>,
    /// Write all facts that the checks use into this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) facts: Option<PathBuf>,
    /// Break the built-in host on purpose; `list` prints the ways
    #[arg(long, value_name = "NAME", conflicts_with_all = ["page", "remote", "manual", "serve", "stdio"])]
    pub(crate) fault: Option<String>,
    #[command(flatten)]
    pub(crate) judging: JudgingArguments,
}
