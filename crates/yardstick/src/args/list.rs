//! `yardstick list`

use clap::Args;
use protocol::Version;

use super::values::revision;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick list server/tools
  yardstick list --protocol 2025-11-25
  yardstick list --coverage
  yardstick list --coverage --protocol 2026-07-28")]
pub(crate) struct ListArguments {
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
