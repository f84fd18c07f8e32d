//! `yardstick man`

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick man | man -l -
  yardstick man --output ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// Write yardstick.1, yardstick-check.1 and so on into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
