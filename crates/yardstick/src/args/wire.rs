//! `yardstick check wire`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::JudgingArguments;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick check wire run.ndjson
  yardstick check wire --side both session.ndjson other.ndjson
  yardstick check wire --protocol 2025-11-25 - < captured.ndjson

Exit codes: 0 conformant, 1 findings, 2 usage, 3 could not be judged")]
pub(crate) struct WireArguments {
    /// The files of recorded sessions; `-` is stdin
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Whose messages are judged [default: server]
    #[arg(long, value_enum)]
    pub(crate) side: Option<Sides>,
    #[command(flatten)]
    pub(crate) judging: JudgingArguments,
}

impl WireArguments {
    /// These arguments with the options that stood before `wire` on the command line.
    pub(crate) fn with_earlier(mut self, side: Option<Sides>, judging: JudgingArguments) -> Self {
        self.side = self.side.or(side);
        self.judging.add_earlier(judging);
        self
    }
}

/// Whose messages are judged.
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
