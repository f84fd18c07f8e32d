//! `yardstick report`

use std::path::PathBuf;

use clap::Args;

use super::OutputArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick report --from report.json
  yardstick report --from report.ndjson --format html:report.html
  yardstick report --from stdio.json --from http.json --output reports

Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be tested")]
pub(crate) struct ReportArguments {
    /// A run that was saved as JSON or NDJSON, `-` for stdin; several are merged (repeatable)
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) from: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}
