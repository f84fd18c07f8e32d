//! Measures `yardstick check` on stdio servers by others: how often it starts each, how long it takes beside the server's own
//! start, and how much could not be tested.
//!
//! `time_servers [--rounds N] YARDSTICK -- COMMAND [ARGUMENT…] -- COMMAND [ARGUMENT…]…`

mod handshake;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::handshake::start_to_list;

/// What one run of `yardstick check` cost, and found.
struct Run {
    seconds: f64,
    starts: usize,
    revisions: usize,
    blocked: u64,
    failed: u64,
}

fn main() -> Result<()> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let mut parts = words.split(|word| word == "--");
    let (rounds, yardstick) = options(parts.next().unwrap_or_default())?;
    let commands: Vec<_> = parts.collect();
    ensure!(!commands.is_empty() && commands.iter().all(|c| !c.is_empty()), "give servers: `-- COMMAND…`");
    let mut out = std::io::stdout();
    writeln!(
        out,
        "{:>9} {:>9} {:>6} {:>7} {:>10} {:>8} {:>7}  server",
        "start ms", "check ms", "ratio", "starts", "revisions", "blocked", "failed"
    )?;
    for command in commands {
        // The first start of all reads the program from the disk.
        start_to_list(command)?;
        let runs = between_starts(rounds, || start_to_list(command), || check(&yardstick, command))?;
        for (start, run) in &runs {
            let mut line = String::new();
            write!(line, "{:>9.0} {:>9.0} {:>6.1}", start * 1e3, run.seconds * 1e3, run.seconds / start)?;
            write!(line, " {:>7} {:>10} {:>8} {:>7}", run.starts, run.revisions, run.blocked, run.failed)?;
            writeln!(out, "{line}  {}", command.join(" "))?;
        }
    }
    Ok(())
}

fn options(words: &[String]) -> Result<(usize, PathBuf)> {
    match words {
        [binary] => Ok((1, binary.into())),
        [option, value, binary] if option == "--rounds" => {
            let rounds = value.parse().with_context(|| format!("--rounds {value} is not a number"))?;
            ensure!((1..=100).contains(&rounds), "--rounds must be between 1 and 100");
            Ok((rounds, binary.into()))
        }
        _ => anyhow::bail!("usage: time_servers [--rounds N] YARDSTICK -- COMMAND… [-- COMMAND…]…"),
    }
}

/// Checks a server that writes a line into a file whenever it is started.
fn check(yardstick: &Path, command: &[String]) -> Result<Run> {
    let folder = std::env::temp_dir().join(format!("yardstick-servers-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let (starts, report) = (folder.join("starts"), folder.join("report.json"));
    std::fs::write(&starts, "")?;
    let counted = format!("echo >> '{}'; exec \"$@\"", starts.display());
    let began = Instant::now();
    Command::new(yardstick)
        .args([
            "check",
            "--format",
            &format!("json:{}", report.display()),
            "--",
            "sh",
            "-c",
            &counted,
            "counted",
        ])
        .args(command)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", yardstick.display()))?;
    let seconds = began.elapsed().as_secs_f64();
    let starts = std::fs::read_to_string(&starts)?.lines().count();
    let report: Value = serde_json::from_slice(&std::fs::read(&report)?)?;
    std::fs::remove_dir_all(&folder)?;
    let count = |name: &str| report["counts"][name].as_u64().unwrap_or_default();
    let revisions = report["target"]["speaks"].as_array().map_or(0, Vec::len);
    Ok(Run { seconds, starts, revisions, blocked: count("blocked"), failed: count("failed") })
}

/// Runs, each with the mean of a start before it and a start after it: what else the machine does changes from run to run, and
/// slows both.
fn between_starts<T>(
    rounds: usize,
    mut start: impl FnMut() -> Result<f64>,
    mut run: impl FnMut() -> Result<T>,
) -> Result<Vec<(f64, T)>> {
    let mut before = start()?;
    let mut runs = Vec::new();
    for _ in 0..rounds {
        let run = run()?;
        let after = start()?;
        runs.push((f64::midpoint(before, after), run));
        before = after;
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_is_compared_with_the_starts_around_it() {
        let mut starts = [0.25, 0.75, 1.25].into_iter();
        let mut runs = ["first", "second"].into_iter();
        let measured = between_starts(
            2,
            || starts.next().context("a start too many"),
            || runs.next().context("a run too many"),
        );
        assert_eq!(measured.ok(), Some(vec![(0.5, "first"), (1.0, "second")]));
    }
}
