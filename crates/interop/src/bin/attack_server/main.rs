//! Attacks on `yardstick serve`, each bounded in number and time, loopback only, with well-behaved clients beside them.
//!
//! `attack_server [--only NAME] -- COMMAND [ARGUMENT…]`: the command starts a server that prints its URL as its first line; each attack
//! gets a server of its own. Prints for each attack the memory of the server at its peak and how long the well-behaved clients
//! waited, and what was refused. Ends with 1 when the memory was too much, the wait too long, or such a client was let down.

mod attack;
mod bodies;
mod connections;
mod healthy;
mod retained;
mod streams;
mod subject;
mod wire;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::attack::{Attack, Outcome};
use crate::healthy::Healthy;
use crate::subject::Subject;

/// The most memory that the server may take, in KiB.
const MAX_MEMORY_KIB: u64 = 200 * 1000 * 1000 / 1024;
/// The longest that 99 of 100 requests of a well-behaved client may take.
const MAX_WAIT: Duration = Duration::from_millis(50);
/// The longest that an attack goes on.
const ATTACK_LIMIT: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let (only, command) = options(&words)?;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{:<22} {:>8} {:>9} {:>7} {:>9}  answers",
        "attack", "peak MB", "p99 ms", "asked", "let down"
    )?;
    let mut held = true;
    for attack in attack::ALL.iter().filter(|attack| only.is_none_or(|only| attack.name.contains(only))) {
        let row = run(attack, command).await.with_context(|| format!("{} did not run", attack.name))?;
        held &= row.holds();
        writeln!(out, "{row}")?;
    }
    writeln!(out, "{}", if held { "all held" } else { "not all held" })?;
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn options(words: &[String]) -> Result<(Option<&str>, &[String])> {
    match words {
        [option, name, dashes, command @ ..]
            if option == "--only" && dashes == "--" && !command.is_empty() =>
        {
            Ok((Some(name), command))
        }
        [dashes, command @ ..] if dashes == "--" && !command.is_empty() => Ok((None, command)),
        _ => bail!("usage: attack_server [--only NAME] -- COMMAND [ARGUMENT…]"),
    }
}

/// What an attack did to the server.
struct Row {
    name: &'static str,
    memory: u64,
    healthy: healthy::Report,
    outcome: Outcome,
}

async fn run(attack: &Attack, command: &[String]) -> Result<Row> {
    let subject = Subject::start(command).await?;
    let healthy = Healthy::start(subject.address)?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let outcome = tokio::time::timeout(ATTACK_LIMIT, (attack.run)(subject.address)).await;
    let outcome = outcome.unwrap_or_else(|_| Outcome::cut_short());
    tokio::time::sleep(Duration::from_millis(300)).await;
    let healthy = healthy.stop().await?;
    Ok(Row { name: attack.name, memory: subject.peak_kib()?, healthy, outcome })
}

impl Row {
    fn holds(&self) -> bool {
        let has_waited = self.healthy.p99().is_none_or(|wait| wait >= MAX_WAIT);
        self.memory < MAX_MEMORY_KIB
            && !has_waited
            && self.healthy.let_down == 0
            && self.outcome.broken.is_none()
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let wait = self.healthy.p99().map_or(f64::NAN, |wait| wait.as_secs_f64() * 1000.0);
        write!(
            f,
            "{:<22} {:>8.1} {:>9.1} {:>7} {:>9}  {}",
            self.name,
            self.memory as f64 * 1024.0 / 1e6,
            wait,
            self.healthy.waits.len(),
            self.healthy.let_down,
            self.outcome
        )?;
        let why = self.healthy.why.as_ref().or(self.outcome.broken.as_ref());
        why.map_or(Ok(()), |why| write!(f, "  NOT HELD: {why}"))
    }
}
