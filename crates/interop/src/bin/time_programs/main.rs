//! Runs programs in turns, and says how long each takes and how much memory it needs at most.
//!
//! `time_programs [--rounds N] -- COMMAND [ARGUMENT…] -- COMMAND [ARGUMENT…]…`. What the programs print is thrown away; a program may
//! end with any code, for a suite that finds something does.

mod runner;

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::{Context as _, Result, ensure};

use crate::runner::{Measurement, run};

fn main() -> Result<()> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let mut parts = words.split(|word| word == "--");
    let rounds = rounds(parts.next().unwrap_or_default())?;
    let commands: Vec<_> = parts.collect();
    ensure!(!commands.is_empty() && commands.iter().all(|c| !c.is_empty()), "give programs: `-- COMMAND…`");
    for command in &commands {
        run(command)?;
    }
    let mut measurements: Vec<Vec<Measurement>> = vec![Vec::new(); commands.len()];
    for _ in 0..rounds {
        for (command, measurements) in commands.iter().zip(&mut measurements) {
            measurements.push(run(command)?);
        }
    }
    write!(std::io::stdout(), "{}", table(&commands, &measurements)?)?;
    Ok(())
}

fn rounds(options: &[String]) -> Result<usize> {
    match options {
        [] => Ok(5),
        [option, value] if option == "--rounds" => {
            let rounds = value.parse().with_context(|| format!("--rounds {value} is not a number"))?;
            ensure!((1..=100).contains(&rounds), "--rounds must be between 1 and 100");
            Ok(rounds)
        }
        [other, ..] => anyhow::bail!("unknown option {other}"),
    }
}

fn table(commands: &[&[String]], measurements: &[Vec<Measurement>]) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{:>10}  {:>10}  program", "seconds", "MB")?;
    let medians: Vec<_> = measurements.iter().map(|measurements| Measurement::median(measurements)).collect();
    for (command, lap) in commands.iter().zip(&medians) {
        writeln!(out, "{:>10.3}  {:>10.1}  {}", lap.seconds, lap.megabytes, command.join(" "))?;
    }
    let first = medians.first().context("there is a program")?;
    for other in &medians[1..] {
        let (time, memory) = (other.seconds / first.seconds, other.megabytes / first.megabytes);
        writeln!(out, "\nthe first is {time:.1} times as fast, with 1/{memory:.1} of the memory")?;
    }
    Ok(out)
}
