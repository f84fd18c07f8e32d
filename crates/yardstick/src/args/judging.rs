//! Which checks judge, in which revisions, and what becomes of the findings: for every subject of `check`.

use std::path::PathBuf;

use clap::Args;
use protocol::Version;

use super::OutputArguments;
use super::values::revision;

/// The options that every subject of `check` takes, before its name or after it.
#[derive(Debug, Args)]
pub(crate) struct JudgingArguments {
    /// Measure this revision only (repeatable) [default: every one that the server speaks]
    #[arg(long, value_name = "VERSION", value_parser = revision)]
    pub(crate) protocol: Vec<Version>,
    /// Run only these checks: an id, the beginning of one, a section, an alias, `must` or `should` (repeatable)
    #[arg(long, value_name = "CHECK")]
    pub(crate) only: Vec<String>,
    /// Leave these checks out, named in the same ways (repeatable)
    #[arg(long, value_name = "CHECK")]
    pub(crate) skip: Vec<String>,
    /// Known failures, which do not fail the run: lines of `CHECK [REVISION] [TRANSPORT]`, or the official suite's
    /// expected-failures YAML
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write the failures and warnings of this run as a baseline
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) write_baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

impl JudgingArguments {
    /// Adds what was given `earlier` on the command line. Lists grow; of two single values the later one holds.
    pub(crate) fn add_earlier(&mut self, earlier: Self) {
        self.protocol.splice(0..0, earlier.protocol);
        self.only.splice(0..0, earlier.only);
        self.skip.splice(0..0, earlier.skip);
        self.baseline = self.baseline.take().or(earlier.baseline);
        self.write_baseline = self.write_baseline.take().or(earlier.write_baseline);
        self.output.add_earlier(earlier.output);
    }
}
