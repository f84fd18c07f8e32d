//! `yardstick explain`

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The id of a check, or an alias
    #[arg(value_name = "CHECK")]
    pub(crate) id: String,
}
