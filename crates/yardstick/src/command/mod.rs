//! Carries out the subcommands, one file each.

mod app;
mod check;
mod check_host;
mod completions;
mod explain;
mod gateway;
mod host;
mod list;
mod man;
mod plan;
mod report;
mod serve;
mod tap;
mod wire;

use crate::args::Command;
use crate::exit::Exit;

/// Runs a subcommand.
pub(crate) async fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Check(arguments) => check::run(*arguments).await,
        Command::Host(arguments) => host::run(arguments).await,
        Command::Serve(arguments) => serve::run(arguments).await,
        Command::Gateway(arguments) => gateway::run(arguments).await,
        Command::Tap(arguments) => tap::run(arguments).await,
        Command::List(arguments) => list::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}
