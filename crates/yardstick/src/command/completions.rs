//! `yardstick completions`

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Arguments, CompletionsArguments};
use crate::exit::Exit;
use crate::terminal;

pub(crate) fn run(arguments: &CompletionsArguments) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "yardstick", &mut script);
    terminal::print_data(&String::from_utf8(script).context("the completions are not text")?)?;
    Ok(Exit::Success)
}
