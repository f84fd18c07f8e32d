//! The command that a finding prints shows the same finding again, for a spread of faults over both transports.

use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use protocol::Version;
use serde_json::Value;
use suite::{Check, On, Run, registry};

use crate::running::Running;
use crate::{SELF, stderr, stdout};

/// How many faults are tried over each transport, and how many of all have to be found.
const SPREAD: usize = 24;
const FOUND: usize = 40;
/// How many run side by side.
const SIDE_BY_SIDE: usize = 3;

#[derive(Clone, Copy, Debug)]
enum Over {
    Stdio,
    Http,
}

/// A check with its fault, and the revision that it is tried in.
#[derive(Clone, Copy, Debug)]
struct Trial {
    check: &'static Check,
    version: Version,
    over: Over,
}

/// Checks at equal distances in the registry, each in another of its revisions.
fn trials(over: Over) -> Vec<Trial> {
    let suits = |check: &&Check| match (over, check.on) {
        (_, On::Any) | (Over::Stdio, On::Pipe) | (Over::Http, On::Http) => true,
        (_, On::HttpSse | On::Bridge) | (Over::Stdio, On::Http) | (Over::Http, On::Pipe) => false,
    };
    // What is seen only by reading may be seen elsewhere the next time.
    let active = |check: &&Check| !matches!(check.run, Run::Wire(_));
    let checks: Vec<&'static Check> = registry().filter(suits).filter(active).collect();
    let step = checks.len().div_ceil(SPREAD);
    let spread = checks.into_iter().step_by(step).enumerate();
    spread
        .map(|(at, check)| {
            let versions: Vec<Version> = check.versions().collect();
            Trial { check, version: versions[at % versions.len()], over }
        })
        .collect()
}

/// The commands that the findings of a run print for `check`.
fn again_commands(output: &Output, check: &str) -> Vec<String> {
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = report["runs"][0]["results"].as_array().cloned().unwrap_or_default();
    let of_check = results.iter().filter(|result| result["ruleId"] == check);
    of_check.filter_map(|result| result["properties"]["again"].as_str()).map(str::to_owned).collect()
}

/// Whether the finding came again; `false` where the first run had none, since some faults need more than a name.
fn try_again(trial: &Trial) -> Result<bool, String> {
    let Trial { check, version, over } = trial;
    let fault = check.fault.name;
    let server = matches!(over, Over::Http).then(|| Running::serve(&["--fault", fault]));
    let mut first = Command::new(SELF);
    first.args(["check", "--only", check.id, "--protocol", version.as_str(), "--format", "sarif"]);
    match &server {
        Some(server) => first.arg(&server.url),
        None => first.args(["--", SELF, "serve", "--fault", fault]),
    };
    let first = first.output().unwrap();
    let told = |output: &Output| format!("{}{}", stdout(output), stderr(output));
    let commands = again_commands(&first, check.id);
    let Some(command) = commands.first() else { return Ok(false) };
    // The options of the report go first: what stands behind `--` belongs to the server.
    let line = command.replacen("yardstick check", &format!("{SELF} check --format json"), 1);
    let second = Command::new("sh").args(["-c", &line]).output().unwrap();
    let report: Value =
        serde_json::from_slice(&second.stdout).map_err(|_| format!("{line}: {}", told(&second)))?;
    let is_it = |case: &Value| {
        let found = case["outcome"] == "failed" || case["outcome"] == "warned";
        case["check"] == check.id && case["protocol"] == version.as_str() && found
    };
    let again = report["cases"].as_array().is_some_and(|cases| cases.iter().any(is_it));
    if again { Ok(true) } else { Err(format!("{line} shows something else: {}", report["cases"])) }
}

#[test]
fn every_finding_is_found_again() {
    let all = [trials(Over::Stdio), trials(Over::Http)].concat();
    let (queue, found, failed) = (Mutex::new(all), AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                loop {
                    let Some(trial) = queue.lock().unwrap().pop() else { return };
                    match try_again(&trial) {
                        Ok(came) => found.fetch_add(usize::from(came), Ordering::Relaxed),
                        Err(why) => {
                            failed.lock().unwrap().push(why);
                            0
                        }
                    };
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    let found = found.into_inner();
    assert!(found + failed.len() >= FOUND, "too few faults show at all: {found}");
    assert!(failed.is_empty(), "{} of them: {}", failed.len(), failed.join("\n"));
}
