//! How a report is written, and where to: for `check` and `report`.

use std::path::PathBuf;

use clap::Args;
use report::human::Detail;

use crate::format::{self, RequestedReport};

/// How a report is written, and where to.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub(crate) struct OutputArguments {
    /// human, json, ndjson, junit, sarif, markdown, html, mcpjam, mcp-validator or host-catalogue; with `:FILE`, into a
    /// file (repeatable) [default: human]
    #[arg(long, value_name = "FORMAT[:FILE]", value_parser = format::parse)]
    pub(crate) format: Vec<RequestedReport>,
    /// Also write report.json, .ndjson, .junit.xml, .sarif, .md and .html into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Only the findings, a line each, and the verdict
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Every check, and every message in full
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

impl OutputArguments {
    /// Adds what was given `earlier` on the command line.
    pub(super) fn add_earlier(&mut self, earlier: Self) {
        self.format.splice(0..0, earlier.format);
        self.output = self.output.take().or(earlier.output);
        self.quiet |= earlier.quiet;
        self.verbose |= earlier.verbose;
    }

    /// How much the human report tells.
    pub(crate) const fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Brief,
            (false, true) => Detail::Everything,
            (false, false) => Detail::Findings,
        }
    }
}
