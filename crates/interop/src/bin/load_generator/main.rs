//! A load generator: how many `tools/call` a second servers answer, measured in turns in one run.
//!
//! `load_generator [options] -- [NAME=]COMMAND [ARGUMENT…] [-- …]…`. Each command starts a server that prints its URL as its first
//! line. Rounds alternate between the servers, so that a slow spell of the machine hits all alike. An answer that is
//! wrong ends the run: a fast server that is wrong is not fast.

mod call;
mod load;
mod options;
mod subject;
mod table;

use std::io::Write as _;
use std::sync::Arc;

use anyhow::Result;

use crate::load::Round;
use crate::options::Options;
use crate::subject::Subject;
use crate::table::Table;

// One thread: the generator is to leave the processors to the servers.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::parse(std::env::args().skip(1))?;
    let mut subjects = Vec::new();
    for command in &options.commands {
        subjects.push(Arc::new(Subject::start(command).await?));
    }
    let mut table = Table::new(subjects.iter().map(|subject| subject.name.clone()).collect());
    for subject in &subjects {
        load::round(subject, &options, options.warm_up()).await?;
    }
    for _ in 0..options.rounds {
        let mut row: Vec<Round> = Vec::new();
        for subject in &subjects {
            row.push(load::round(subject, &options, options.length).await?);
        }
        table.push(row);
    }
    writeln!(std::io::stdout(), "{options}\n\n{table}")?;
    Ok(())
}
