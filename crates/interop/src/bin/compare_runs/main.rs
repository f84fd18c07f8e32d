//! Runs `yardstick check` again and again, and prints every verdict that was not always the same.
//!
//! `compare_runs [--rounds N] YARDSTICK [ARGUMENT…]`: the arguments are those of `check`. Ends with 1 when a verdict changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// What identifies a case: check, revision and transport.
type Case = (String, String, String);

/// What one run gave: its exit code, and the outcome of every case.
type Round = (Option<i32>, Vec<(Case, String)>);

/// The outcomes of a case, with the number of rounds that each had.
type Outcomes = BTreeMap<String, usize>;

fn main() -> Result<ExitCode> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let (rounds, words) = options(&words)?;
    let mut seen: BTreeMap<Case, Outcomes> = BTreeMap::new();
    let mut codes: BTreeSet<Option<i32>> = BTreeSet::new();
    for _ in 0..rounds {
        let (code, cases) = check(words)?;
        codes.insert(code);
        for (case, outcome) in cases {
            *seen.entry(case).or_default().entry(outcome).or_default() += 1;
        }
    }
    let mut out = std::io::stdout();
    let changed: Vec<_> = seen
        .iter()
        .filter(|(_, outcomes)| outcomes.len() > 1 || outcomes.values().sum::<usize>() != rounds)
        .collect();
    for ((check, protocol, transport), outcomes) in &changed {
        let told: Vec<_> = outcomes.iter().map(|(outcome, times)| format!("{outcome} {times}")).collect();
        writeln!(out, "  {check} {protocol} {transport}: {} of {rounds} rounds", told.join(", "))?;
    }
    let steady = changed.is_empty() && codes.len() == 1;
    writeln!(
        out,
        "{} verdicts, {rounds} rounds, {} not always the same; exit codes {codes:?}",
        seen.len(),
        changed.len()
    )?;
    Ok(if steady { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn options(words: &[String]) -> Result<(usize, &[String])> {
    let (rounds, rest) = match words {
        [option, value, rest @ ..] if option == "--rounds" => {
            (value.parse().with_context(|| format!("--rounds {value} is not a number"))?, rest)
        }
        rest => (10, rest),
    };
    ensure!((1..=1000).contains(&rounds), "--rounds must be between 1 and 1000");
    ensure!(!rest.is_empty(), "usage: compare_runs [--rounds N] YARDSTICK [ARGUMENT…]");
    Ok((rounds, rest))
}

fn check(words: &[String]) -> Result<Round> {
    let [yardstick, arguments @ ..] = words else { anyhow::bail!("there is no yardstick") };
    let output = Command::new(yardstick)
        .args(["check", "--format", "json"])
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {yardstick}"))?;
    let report: Value = serde_json::from_slice(&output.stdout).context("check printed no report")?;
    let text = |case: &Value, name: &str| case[name].as_str().unwrap_or_default().to_owned();
    let cases = report["cases"].as_array().cloned().unwrap_or_default();
    let cases = cases.iter().map(|case| {
        ((text(case, "check"), text(case, "protocol"), text(case, "transport")), text(case, "outcome"))
    });
    Ok((output.status.code(), cases.collect()))
}
