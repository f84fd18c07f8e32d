//! `yardstick completions`

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  yardstick completions bash > ~/.local/share/bash-completion/completions/yardstick
  yardstick completions zsh > ~/.zfunc/_yardstick
  yardstick completions fish > ~/.config/fish/completions/yardstick.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
